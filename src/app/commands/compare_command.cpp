#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/result/parts/part.hpp"
#include "pearlite/app/command_line.hpp"

#include <cstdio>
#include <fstream>
#include <numbers>

namespace pearlite::app {

namespace {

struct Evidence {
    std::string directory, model, label, support;
    double value = 0, error = std::numeric_limits<double>::quiet_NaN();
    bool has_error() const { return std::isfinite(error); }
};

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
    const auto text = [](const Json& entry, const char* key) {
        const auto found = entry.find(key);
        return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    if (text(summary, "status") != "finished")
        refuse("its run has not finished");
    const auto headline = summary.find("headline");
    Evidence evidence{directory.string(), text(summary, "model"), {}, {}};
    if (headline == summary.end() || !headline->is_object() || !text(*headline, "label").starts_with("log "))
        refuse("no evidence");
    evidence.label = text(*headline, "label");
    evidence.value = number_at(*headline, "value");
    evidence.error = number_at(*headline, "standard_error");
    if (const auto support = headline->find("support"); support != headline->end() && support->is_object())
        evidence.support = text(*support, "word");
    if (!std::isfinite(evidence.value))
        refuse("no value of the evidence");
    return evidence;
}

/// A table for a person: log evidences with their errors, the best first; log Bayes factors of the best over each
/// other, with the errors of independent runs; and the probabilities of the models, equally probable before the data.
/// InputError for fewer than two directories, for one that has no finished run, or a run without an evidence.
std::string compare_runs(const std::vector<std::filesystem::path>& directories) {
    if (directories.size() < 2)
        throw InputError("one run only, expected the directories of two or more");
    std::vector<Evidence> all;
    all.reserve(directories.size());
    for (const auto& directory : directories)
        all.push_back(read_evidence(directory));
    std::ranges::stable_sort(all, std::greater<>(), &Evidence::value);
    const auto& best = all.front();
    double total = 0;
    for (const auto& one : all)
        total += std::exp(one.value - best.value);
    std::size_t width = 4;
    for (const auto& one : all)
        width = std::max(width, one.directory.size());

    auto text = fmt::format("{:<{}}  {:<24} {:>22}  {:>22} {:>12}  {:>11}  verdict\n", "run", width, "model",
                            best.label, "log Bayes factor", "log10", "probability");
    const auto with_error = [](double value, double error, bool has_error) {
        return has_error ? fmt::format("{:.4f} +- {:.4f}", value, error) : fmt::format("{:.4f} (no error)", value);
    };
    for (const auto& one : all) {
        const double difference = best.value - one.value, error = std::hypot(best.error, one.error);
        const bool is_best = &one == &best;
        text += fmt::format("{:<{}}  {:<24} {:>22}  {:>22} {:>12}  {:>11.4g}  {}\n", one.directory, width, one.model,
                            with_error(one.value, one.error, one.has_error()),
                            is_best ? "" : with_error(difference, error, std::isfinite(error)),
                            is_best ? "" : fmt::format("{:.2f}", difference / std::numbers::ln10),
                            std::exp(one.value - best.value) / total, one.support);
    }
    text += "Bayes factors are those of the first over each other one; probabilities are those of models that were "
            "equally\nprobable before the data.\n";
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
    if (all.size() > 1 && best.has_error() && all[1].has_error() &&
        best.value - all[1].value < 2 * std::hypot(best.error, all[1].error))
        text += "warning: the first two differ by less than two standard errors: which is the best is not known\n";
    return text;
}

int compare(const std::vector<std::filesystem::path>& directories) {
    std::fputs(compare_runs(directories).c_str(), stdout);
    return exit_finished;
}

} // namespace

CommandEntry compare_command_entry() {
    return {"compare", "models by the evidences of finished runs: Bayes factors",
            [](CLI::App& command, const CommandContext&) -> Action {
                const auto options = std::make_shared<std::vector<std::filesystem::path>>();
                command.add_option("directories", *options, "of finished runs, two or more")->required();
                return {.serial = [options] { return compare(*options); }};
            }};
}

} // namespace pearlite::app
