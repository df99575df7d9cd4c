#include "app/result/parts/posterior.hpp"

#include "app/posterior/posterior_arrays.hpp"
#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

PosteriorPart::PosteriorPart(const parallel::Communicator& ranks, std::shared_ptr<const Posterior> posterior,
                             const algorithm::ChainOutcome* chains)
    : ranks_(ranks),
      posterior_(std::move(posterior)),
      convergence_(chains ? chains->summaries : posterior_->convergence) {}

void PosteriorPart::digest(io::Sha256& hash) {
    if (posterior_->samples.are_recorded) // else they follow from the final population
        posterior_->samples.digest(ranks_, hash);
}

void PosteriorPart::write_fields(io::Writer& writer) {
    writer("samples/names", posterior_->parameter_names);
    posterior_->samples.write(writer);
}

void PosteriorPart::write_summary(SummaryParts& summary) const {
    if (posterior_->summaries.empty())
        return;
    Json entries = Json::array();
    for (const auto& p : posterior_->summaries) {
        entries.push_back({{"name", p.name},
                           {"mean", json_number(p.mean)},
                           {"sd", json_number(p.sd)},
                           {"quantiles",
                            {{"0.025", json_number(p.quantile_025)},
                             {"0.25", json_number(p.quantile_250)},
                             {"0.5", json_number(p.quantile_500)},
                             {"0.75", json_number(p.quantile_750)},
                             {"0.975", json_number(p.quantile_975)}}}});
        auto& entry = entries.back();
        if (!convergence_.empty()) {
            const auto& convergence = convergence_[entries.size() - 1];
            entry["r_hat"] = json_number(convergence.r_hat);
            entry["bulk_ess"] = json_number(convergence.bulk_ess);
            entry["tail_ess"] = json_number(convergence.tail_ess);
        }
        if (std::isnan(p.mcse))
            continue;
        entry["mcse"] = json_number(p.mcse);
        entry["ess"] = json_number(p.ess);
    }
    summary.entries["posterior"] = std::move(entries);
}

void PosteriorPart::write_posterior(PosteriorArrays& arrays) const {
    add_draws(*posterior_, arrays);
}

namespace {

constexpr std::size_t listed = 40;       ///< lines of a long table
constexpr std::size_t least_folded = 10; ///< elements of an array that are one of these lines

/// The name of the array that a parameter is an element of; its own name if it is of none.
std::string array_of(const Json& parameter) {
    const auto name = parameter.value("name", "");
    return name.ends_with(']') ? name.substr(0, name.rfind('[')) : name;
}

/// Entries from `first` on that are elements of one array.
std::size_t elements_from(const Json& entries, std::size_t first) {
    std::size_t n = 1;
    while (first + n < entries.size() && array_of(entries[first + n]) == array_of(entries[first]))
        ++n;
    return n;
}

/// A line on the elements of an array.
std::string describe_array(const Json& entries, std::size_t first, std::size_t n, std::size_t width) {
    const auto range_of = [&](const char* key) {
        double lowest = infinity, highest = -infinity;
        for (std::size_t k = first; k < first + n; ++k) {
            lowest = std::min(lowest, number_at(entries[k], key));
            highest = std::max(highest, number_at(entries[k], key));
        }
        return std::pair(lowest, highest);
    };
    const auto [least_mean, largest_mean] = range_of("mean");
    const auto [least_sd, largest_sd] = range_of("sd");
    auto text = fmt::format("  {:<{}} {} elements: means {:.5g} to {:.5g}, sds {:.4g} to {:.4g}",
                            array_of(entries[first]), width, n, least_mean, largest_mean, least_sd, largest_sd);
    if (entries[first].contains("ess"))
        text += fmt::format(", least ess {:.0f}", range_of("ess").first);
    return text + "\n";
}

/// A line on the parameters that a table leaves out.
std::string describe_unlisted(const Json& entries, std::size_t n, bool of_chains) {
    auto text = fmt::format("  and {} more, all in summary.json", n);
    const char* const key = of_chains ? "bulk_ess" : "ess";
    const Json* least = nullptr;
    for (const auto& p : entries)
        if (p.contains(key) && (!least || number_at(p, key) < number_at(*least, key)))
            least = &p;
    if (least)
        text += fmt::format("; least {} of all: {:.0f}, of {}", of_chains ? "bulk ess" : "ess", number_at(*least, key),
                            least->value("name", ""));
    return text + "\n";
}

/// A warning where systems that ran side by side disagree about a parameter; empty if they agree. The limit is that of
/// their energies (tempering_outcome.cpp): modes of equal height and width differ in their parameters alone.
std::string disagreement_of(const std::vector<estimator::ChainSummary>& systems) {
    constexpr double suspicious_r_hat = 1.05;
    const estimator::ChainSummary* worst = nullptr; // R-hat is NaN where all draws are equal
    for (const auto& parameter : systems)
        if (parameter.r_hat > (worst ? worst->r_hat : suspicious_r_hat))
            worst = &parameter;
    if (!worst)
        return {};
    return fmt::format("the systems disagree about the posterior: R-hat of {} is {:.3f} and should be at most {:g}; "
                       "more scans, or temperatures at which modes meet",
                       worst->posterior.name, worst->r_hat, suspicious_r_hat);
}

/// A table: a parameter per line, and in long tables an array.
std::string describe_posterior(const Json& summary) {
    const auto entries = summary.value("posterior", Json::array());
    if (entries.empty())
        return {};
    const std::array<const char*, 5> levels{"0.025", "0.25", "0.5", "0.75", "0.975"};
    std::size_t widest = 9;
    for (const auto& p : entries)
        widest = std::max(widest, p.value("name", "").size());
    auto text = fmt::format("  {:<{}} {:>10} {:>9} {:>8} {:>7} {:>10} {:>10} {:>10} {:>10} {:>10}", "parameter", widest,
                            "mean", "sd", "mcse", "ess", "2.5 %", "25 %", "50 %", "75 %", "97.5 %");
    const bool of_chains = entries.front().contains("r_hat");
    text += of_chains ? fmt::format(" {:>7} {:>8} {:>8}\n", "R-hat", "bulk ess", "tail ess") : "\n";
    const bool is_long = entries.size() > listed + 10;
    std::size_t k = 0; // the entry
    for (std::size_t line = 0; k < entries.size() && (!is_long || line < listed); ++line) {
        if (const auto n = elements_from(entries, k); is_long && n >= least_folded) {
            text += describe_array(entries, k, n, widest);
            k += n;
            continue;
        }
        const auto& p = entries[k++];
        text += fmt::format("  {:<{}} {:>10.5g} {:>9.4g}", p.value("name", ""), widest, number_at(p, "mean"),
                            number_at(p, "sd"));
        text += p.contains("mcse") ? fmt::format(" {:>8.2g} {:>7.0f}", number_at(p, "mcse"), number_at(p, "ess"))
                                   : fmt::format(" {:>8} {:>7}", "-", "-");
        const auto quantiles = p.value("quantiles", Json::object());
        for (const auto* level : levels)
            text += fmt::format(" {:>10.5g}", number_at(quantiles, level));
        if (of_chains)
            text += fmt::format(" {:>7.3f} {:>8.0f} {:>8.0f}", number_at(p, "r_hat"), number_at(p, "bulk_ess"),
                                number_at(p, "tail_ess"));
        text += "\n";
    }
    return k < entries.size() ? text + describe_unlisted(entries, entries.size() - k, of_chains) : text;
}

std::unique_ptr<ResultPart> posterior_part(RunView& run) {
    if (!run.chains && !run.target->offers<model::ReportedParameters>())
        return nullptr;
    run.posterior = std::make_shared<const Posterior>(
        run.chains ? posterior_of_chains(run.ranks, *run.target, *run.found.chains, *run.chains)
                   : posterior_of_particles(run.ranks, *run.target, run.found, run.seed, run.log_ratios));
    if (const auto warning = disagreement_of(run.posterior->convergence); !run.chains && !warning.empty())
        run.outcome.warnings.push_back(warning);
    return std::make_unique<PosteriorPart>(run.ranks, run.posterior, run.chains ? &*run.chains : nullptr);
}

} // namespace

PartKind posterior_kind() {
    return {posterior_part, describe_posterior, model::Task::annealing, true, "the posterior"};
}

} // namespace pearlite::app
