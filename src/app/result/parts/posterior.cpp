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

/// Parameters that a long table begins with.
constexpr std::size_t listed = 40;

/// A line on the parameters that a table leaves out.
std::string describe_unlisted(const Json& entries, bool of_chains) {
    auto text = fmt::format("  and {} more, all in summary.json", entries.size() - listed);
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

/// A table: a parameter per line.
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
    const std::size_t n = entries.size() > listed + 10 ? listed : entries.size();
    for (std::size_t k = 0; k < n; ++k) {
        const auto& p = entries[k];
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
    return n < entries.size() ? text + describe_unlisted(entries, of_chains) : text;
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
