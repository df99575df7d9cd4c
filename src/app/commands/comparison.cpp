#include "app/commands/comparison.hpp"

#include "app/result/parts/part.hpp"
#include "pearlite/core/error.hpp"

#include <fstream>
#include <numbers>

namespace pearlite::app {

namespace {

struct Evidence {
    std::string directory, model, label, support;
    double value = 0, error = std::numeric_limits<double>::quiet_NaN();
    Json data = Json::object(), files = Json::array(), prior_scale = Json::array(); ///< as in summary.json
    bool has_error() const { return std::isfinite(error); }
    Json observed() const { return data.value("observed", Json::array()); }
    Json rows() const { return data.value("rows", Json::object()); }
};

std::string text_at(const Json& entry, const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Evidence read_evidence(const std::filesystem::path& directory) {
    const auto file = directory / "summary.json";
    std::ifstream in(file);
    const auto summary = Json::parse(in, nullptr, false);
    const auto refuse = [&](const std::string& what) {
        throw InputError(
            fmt::format("{}: {}, expected the directory of a finished run with an evidence", directory.string(), what));
    };
    if (!summary.is_object())
        refuse("no readable summary.json");
    if (text_at(summary, "status") != "finished")
        refuse("its run has not finished");
    const auto headline = summary.find("headline");
    Evidence evidence{directory.string(), text_at(summary, "model"), {}, {}};
    if (headline == summary.end() || !headline->is_object() || !text_at(*headline, "label").starts_with("log "))
        refuse("no evidence");
    evidence.label = text_at(*headline, "label");
    evidence.value = number_at(*headline, "value");
    evidence.error = number_at(*headline, "standard_error");
    if (const auto support = headline->find("support"); support != headline->end() && support->is_object())
        evidence.support = text_at(*support, "word");
    if (!std::isfinite(evidence.value))
        refuse("no value of the evidence");
    for (const auto& [key, entry] : {std::pair("data", &evidence.data), std::pair("files", &evidence.files),
                                     std::pair("prior_scale", &evidence.prior_scale)})
        if (const auto found = summary.find(key); found != summary.end())
            *entry = *found;
    return evidence;
}

/// "231 values of visits, rows of trial.csv without 9 which lack age".
std::string observations_of(const Evidence& run) {
    std::string text;
    for (const auto& array : run.observed())
        text += fmt::format("{}{} value(s) of {}", text.empty() ? "" : " and ", whole_at(array, "size"),
                            text_at(array, "name"));
    const auto rows = run.rows();
    if (rows.empty())
        return text;
    text += " in " + text_at(rows, "file");
    if (whole_at(rows, "left_out") > 0) {
        std::string lacking;
        const auto columns = rows.value("lacking", Json::object());
        for (const auto& [column, n] : columns.items())
            lacking += (lacking.empty() ? "" : ", ") + column;
        text += fmt::format(" without row(s) {}, which lack {}", text_at(rows, "left_out_rows"), lacking);
    }
    return text;
}

/// Says why the observations of two runs are not the same; empty if they are. Both runs describe theirs.
std::string difference_of(const Evidence& a, const Evidence& b) {
    constexpr double rounding = 1e-9;
    const auto of_a = a.observed(), of_b = b.observed();
    if (of_a.size() != of_b.size())
        return "they have another number of observed variables";
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        const auto &one = of_a[i], &other = of_b[i];
        if (text_at(one, "sha256") == text_at(other, "sha256"))
            continue;
        if (whole_at(one, "size") != whole_at(other, "size"))
            return "they have another number of rows";
        const double sd = number_at(one, "sd"), factor = number_at(other, "sd") / sd;
        const double mean = number_at(one, "mean"), mean_of_other = number_at(other, "mean");
        if (factor > 0 && std::abs(factor - 1) > rounding &&
            std::abs(mean_of_other - factor * mean) <= rounding * (std::abs(mean_of_other) + factor * sd))
            return fmt::format("the values of the second are {:.6g} times those of the first, in another unit", factor);
        return "their values differ";
    }
    const auto rows_of_a = a.rows(), rows_of_b = b.rows();
    const bool has_one_file = a.files == b.files && !rows_of_a.empty() && !rows_of_b.empty();
    if (has_one_file && text_at(rows_of_a, "sha256") != text_at(rows_of_b, "sha256"))
        return "they are other rows with the same values";
    return {};
}

bool describes_data(const Evidence& run) {
    return !run.observed().empty();
}

std::vector<std::string> digests_of(const Evidence& run) {
    std::vector<std::string> digests;
    for (const auto& file : run.files)
        digests.push_back(text_at(file, "sha256"));
    std::ranges::sort(digests);
    return digests;
}

/// Throws InputError for two runs whose evidences have nothing to do with each other. Returns what is not known of
/// them, a warning; empty if all is known.
std::string require_comparable(const Evidence& a, const Evidence& b) {
    const bool is_tempered = a.label.find("inverse temperature") != std::string::npos ||
                             b.label.find("inverse temperature") != std::string::npos;
    if (is_tempered && a.label != b.label)
        throw InputError(fmt::format("{} has a {}, {} a {}: they cannot be compared, expected evidences of whole "
                                     "likelihoods (path.inverse_temperature_end = 1)",
                                     a.directory, a.label, b.directory, b.label));
    if (describes_data(a) && describes_data(b)) {
        const auto difference = difference_of(a, b);
        if (!difference.empty())
            throw InputError(fmt::format(
                "{} and {} have other observations, so that their evidences cannot be compared: {}. The first has {}; "
                "the second has {}. Expected the same observations; `pearlite compare` of the two configurations "
                "(.toml) fits both on their common rows",
                a.directory, b.directory, difference, observations_of(a), observations_of(b)));
        return {};
    }
    if (digests_of(a) == digests_of(b) && !a.files.empty())
        return {};
    const auto& silent = describes_data(a) ? b : a;
    return fmt::format("warning: {} does not say what it observed{}: the comparison holds if both have the same "
                       "observations in the same unit\n",
                       silent.directory,
                       a.files.empty() || b.files.empty() ? "" : ", and its data files are not those of the other");
}

/// Probabilities of models that were equally probable before the data, with the errors of independent evidences, NaN
/// where one of those has none.
struct Probability {
    double value = 0, error = 0;
};
std::vector<Probability> probabilities_of(const std::vector<Evidence>& all) {
    double total = 0;
    for (const auto& one : all)
        total += std::exp(one.value - all.front().value);
    std::vector<Probability> probabilities;
    probabilities.reserve(all.size());
    for (const auto& one : all)
        probabilities.push_back({std::exp(one.value - all.front().value) / total});
    for (auto& one : probabilities) {
        double variance = 0; // dp_i/dlog Z_j = p_i ((i = j) - p_j)
        for (std::size_t j = 0; j < all.size(); ++j) {
            const double slope = (&one == &probabilities[j] ? 1 : 0) - probabilities[j].value;
            variance += std::pow(one.value * slope * all[j].error, 2);
        }
        one.error = std::sqrt(variance);
    }
    return probabilities;
}

std::string number_with_error(double value, double error) {
    return std::isfinite(error) ? fmt::format("{:.4f} +- {:.4f}", value, error)
                                : fmt::format("{:.4f} (no error)", value);
}

/// The log evidence with priors of another scale; nothing where too few draws have a weight there.
std::optional<double> value_at_scale(const Evidence& run, double scale) {
    constexpr double fewest_draws = 100;
    for (const auto& change : run.prior_scale)
        if (number_at(change, "scale") == scale && number_at(change, "ess") >= fewest_draws)
            return run.value + number_at(change, "log_ratio");
    return {};
}

/// Lines on the priors: what they are, and the log Bayes factors with others of half and twice the scale.
std::string words_on_priors(const std::vector<Evidence>& all) {
    std::string text;
    for (const auto& one : all)
        if (const auto priors = one.data.value("priors", std::vector<std::string>()); !priors.empty())
            text += fmt::format("priors of {}: {}\n", one.directory, fmt::join(priors, ", "));
    if (std::ranges::all_of(all, [](const auto& one) { return one.prior_scale.empty(); }))
        return text;
    text += "log Bayes factors if the priors of all models had half, or twice, the standard deviations:\n";
    for (std::size_t i = 1; i < all.size(); ++i) {
        text += "  " + all[i].directory + ":";
        for (const double scale : {0.5, 2.0}) {
            const auto best = value_at_scale(all.front(), scale), other = value_at_scale(all[i], scale);
            text += best && other ? fmt::format(" {:.3f}", *best - *other) : " unknown (too few draws reach there)";
            text += scale < 1 ? "," : "\n";
        }
    }
    return text;
}

std::string warnings_of(const std::vector<Evidence>& all) {
    const auto& best = all.front();
    std::string text;
    for (const auto& one : all)
        if (one.label != best.label) {
            text += fmt::format("warning: {} has a {}, {} a {}: they can be compared if priors are normalised\n",
                                best.directory, best.label, one.directory, one.label);
            break;
        }
    if (best.label != "log evidence")
        text += fmt::format("warning: {} is an evidence only if the prior is normalised\n", best.label);
    for (const auto& one : all)
        if (!is_supported(one.support))
            text += fmt::format("warning: the verdict of {} is \"{}\": look at it before the comparison\n",
                                one.directory, one.support);
    if (best.has_error() && all[1].has_error() && best.value - all[1].value < 2 * std::hypot(best.error, all[1].error))
        text += "warning: the first two differ by less than two standard errors: which is the best is not known\n";
    return text;
}

} // namespace

std::string compare_runs(const std::vector<std::filesystem::path>& directories) {
    if (directories.size() < 2)
        throw InputError("one run only, expected the directories of two or more");
    std::vector<Evidence> all;
    all.reserve(directories.size());
    for (const auto& directory : directories)
        all.push_back(read_evidence(directory));
    std::string unknown;
    for (std::size_t i = 1; i < all.size(); ++i)
        if (const auto warning = require_comparable(all.front(), all[i]); unknown.find(warning) == std::string::npos)
            unknown += warning;
    std::ranges::stable_sort(all, std::greater<>(), &Evidence::value);
    const auto& best = all.front();
    std::size_t width = 4;
    for (const auto& one : all)
        width = std::max(width, one.directory.size());
    auto text = fmt::format("{:<{}}  {:<24} {:>22}  {:>22} {:>12}  {:>22}  verdict\n", "run", width, "model",
                            best.label, "log Bayes factor", "log10", "probability");
    const auto probabilities = probabilities_of(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& one = all[i];
        const double difference = best.value - one.value, error = std::hypot(best.error, one.error);
        const auto [probability, its_error] = probabilities[i];
        text += fmt::format("{:<{}}  {:<24} {:>22}  {:>22} {:>12}  {:>22}  {}\n", one.directory, width, one.model,
                            number_with_error(one.value, one.error), i == 0 ? "" : number_with_error(difference, error),
                            i == 0 ? "" : fmt::format("{:.2f}", difference / std::numbers::ln10),
                            std::isfinite(its_error) ? fmt::format("{:.4g} +- {:.2g}", probability, its_error)
                                                     : fmt::format("{:.4g}", probability),
                            one.support);
    }
    text += "Bayes factors are those of the first over each other one; probabilities are those of models that were "
            "equally\nprobable before the data.\n";
    if (describes_data(best))
        text += "data: " + observations_of(best) + "\n";
    return text + words_on_priors(all) + unknown + warnings_of(all);
}

} // namespace pearlite::app
