#include "app/result/parts/evidence.hpp"

#include "app/posterior/posterior_arrays.hpp"
#include "app/result/parts/kinds.hpp"
#include "parallel/agreement.hpp"

#include <set>

namespace pearlite::app {

namespace {

bool is_shown(const estimator::Estimate& estimate) {
    return std::isfinite(estimate.value);
}

std::string note_of(const estimator::Estimate& estimate) {
    if (!estimate.is_conservative || estimate.hides_error)
        return estimate.note;
    return estimate.note.empty() ? "conservative" : "conservative; " + estimate.note;
}

/// One estimate of a quantity; `shift` turns log_ratio into log_normaliser.
Json estimate_entry(const estimator::Estimate& estimate, const char* quantity, double shift,
                    const std::optional<double>& exact_log_ratio) {
    Json entry{{"estimator", estimate.estimator}, {"quantity", quantity}, {"value", estimate.value + shift}};
    const bool shows_error = estimate.standard_error && !estimate.hides_error;
    if (shows_error) {
        entry["standard_error"] = *estimate.standard_error;
        if (estimate.interval95)
            entry["interval95"] = {estimate.interval95->low + shift, estimate.interval95->high + shift};
    }
    if (!estimate.error_method.empty() && !estimate.hides_error)
        entry["error_method"] = estimate.error_method;
    if (const auto note = note_of(estimate); !note.empty())
        entry["note"] = note;
    if (exact_log_ratio) {
        entry["exact"] = *exact_log_ratio + shift;
        if (shows_error && *estimate.standard_error > 0)
            entry["z_score"] = (estimate.value - *exact_log_ratio) / *estimate.standard_error;
    }
    return entry;
}

bool is_same_number(const Json& a, const Json& b) {
    return a.value("estimator", "") == b.value("estimator", "") && a.value("quantity", "") == b.value("quantity", "") &&
           a.value("value", 0.0) == b.value("value", 0.0);
}

/// One estimate, with the standard errors of other methods for the same number in brackets.
std::string describe_estimate(const Json& entry, const Json& all) {
    if (entry.contains("refused"))
        return fmt::format("  {}: refused: {}\n", entry.value("estimator", ""), entry.value("refused", ""));
    const bool ratio = entry.value("quantity", "") == "log_ratio";
    auto line = fmt::format("  {:<9} = {:.4f}", ratio ? "log Z/Z_0" : "log Z", entry.value("value", 0.0));
    if (entry.contains("standard_error"))
        line += fmt::format(" +- {:.4f}", entry.value("standard_error", 0.0));
    line += "   (" + entry.value("estimator", "");
    if (entry.contains("error_method"))
        line += ", " + entry.value("error_method", "");
    for (const auto& other : all)
        if (is_same_number(other, entry) && other.value("error_method", "") != entry.value("error_method", "") &&
            other.contains("standard_error"))
            line += fmt::format("; {} {:.4f}", other.value("error_method", ""), other.value("standard_error", 0.0));
    line += ")";
    if (entry.contains("exact"))
        line += fmt::format("   exact {:.4f}", entry.value("exact", 0.0));
    if (entry.contains("z_score"))
        line += fmt::format("   z {:+.2f}", entry.value("z_score", 0.0));
    if (entry.contains("note"))
        line += fmt::format("   [{}]", entry.value("note", ""));
    return line + "\n";
}

} // namespace

void EvidencePart::digest(io::Sha256& hash) {
    for (const auto& estimate : estimates_)
        for (const double value : {estimate.value, estimate.standard_error.value_or(0)})
            hash.add(std::as_bytes(std::span(&value, 1)));
}

void EvidencePart::write_fields(io::Writer& writer) {
    if (!of_replicates_.empty())
        writer("batches/log_ratio", of_replicates_);
}

void EvidencePart::write_summary(SummaryParts& summary) const {
    // If log Z_0 is known and not 0, the summary has the normaliser beside the ratio.
    const bool has_normaliser = log_normaliser_start_ && *log_normaliser_start_ != 0;
    Json entries = Json::array();
    for (const auto& estimate : estimates_) {
        if (!is_shown(estimate)) {
            entries.push_back(
                {{"estimator", estimate.estimator},
                 {"refused", estimate.note.empty() ? "no particle has a positive weight" : estimate.note}});
            continue;
        }
        entries.push_back(estimate_entry(estimate, "log_ratio", 0, exact_));
        if (has_normaliser)
            entries.push_back(estimate_entry(estimate, "log_normaliser", *log_normaliser_start_, exact_));
    }
    summary.entries["log_evidence"] = std::move(entries);
}

void EvidencePart::write_posterior(PosteriorArrays& posterior) const {
    if (estimates_.empty())
        return;
    auto& arrays = posterior.of_run;
    const auto& headline = estimates_.front();
    if (of_replicates_.empty())
        arrays.push_back(
            {"log_marginal_likelihood", {{"chain", 1}}, {headline.value}, "of the whole run: " + headline.estimator});
    else
        arrays.push_back({"log_marginal_likelihood",
                          {{"chain", static_cast<Index>(of_replicates_.size())}},
                          of_replicates_,
                          "of each batch"});
    LabelledDimension estimator{"estimator", static_cast<Index>(estimates_.size())};
    std::set<std::string> taken;
    LabelledArray values{
        "log_evidence", {}, {}, "log marginal likelihood by every estimator, the headline first; NaN where refused"};
    LabelledArray errors{"log_evidence_standard_error", {}, {}, "NaN where the diagnostics support none"};
    for (const auto& estimate : estimates_) {
        auto label = estimate.estimator;
        if (!taken.insert(label).second)
            label += ", " + estimate.error_method;
        estimator.labels.push_back(label);
        values.values.push_back(is_shown(estimate) ? estimate.value : std::numeric_limits<double>::quiet_NaN());
        errors.values.push_back(estimate.hides_error
                                    ? std::numeric_limits<double>::quiet_NaN()
                                    : estimate.standard_error.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    values.dimensions = errors.dimensions = {estimator};
    arrays.push_back(std::move(values));
    arrays.push_back(std::move(errors));
}

/// The first that applies of: no value, no error bar, a contradiction of the exact value.
std::vector<Finding> EvidencePart::findings() const {
    if (estimates_.empty() || !is_shown(estimates_.front()))
        return {{"the estimates", Finding::Weight::no_value}};
    const auto& first = estimates_.front();
    if (!first.standard_error)
        return {{"the headline's error bar", Finding::Weight::no_error_bar}};
    if (!exact_)
        return {};
    const double difference = std::abs(first.value - *exact_);
    // An estimate without an error may still be rounded.
    const double limit =
        std::max(estimator::significant_difference * *first.standard_error, 1e-9 * (1 + std::abs(*exact_)));
    if (!(difference > limit))
        return {{"difference from the exact value", Finding::Weight::note, {}, difference, limit}};
    return {{"difference from the exact value", Finding::Weight::contradiction,
             fmt::format("the estimate contradicts the exact value, from which it is {:.1f} standard errors off",
                         difference / *first.standard_error),
             difference, limit}};
}

std::optional<Headline> EvidencePart::headline() const {
    Headline headline;
    // From a normalised start the ratio is the evidence.
    headline.label = log_normaliser_start_ != 0.0 ? "log Z/Z_0"
                     : inverse_temperature_ == 1
                         ? "log evidence"
                         : fmt::format("log integral at inverse temperature {:g}", inverse_temperature_);
    headline.findings = findings();
    headline.account = verdict_;
    if (estimates_.empty() || !is_shown(estimates_.front()))
        return headline;
    const auto& first = estimates_.front();
    headline.value = first.value;
    headline.standard_error = first.standard_error;
    headline.interval95 = first.interval95;
    headline.exact = exact_;
    headline.method = first.standard_error ? first.estimator + ", " + first.error_method : first.estimator;
    return headline;
}

void OutcomePart::write_fields(io::Writer& writer) {
    for (const auto& array : outcome_.arrays)
        writer(array.path, array.values);
}

void OutcomePart::write_summary(SummaryParts& summary) const {
    auto& diagnostics = summary.diagnostics;
    if (outcome_.ess > 0)
        diagnostics["ess"] = outcome_.ess;
    for (const auto& diagnostic : outcome_.diagnostics) {
        diagnostics[diagnostic.name] = json_number(diagnostic.value);
        if (diagnostic.standard_error)
            diagnostics[diagnostic.name + "_standard_error"] = json_number(*diagnostic.standard_error);
    }
    summary.warnings.insert(summary.warnings.end(), outcome_.warnings.begin(), outcome_.warnings.end());
}

std::optional<Headline> OutcomePart::headline() const {
    if (outcome_.verdict.empty())
        return {};
    Headline headline;
    headline.account = outcome_.verdict;
    if (outcome_.has_no_error_bar)
        headline.findings = {{"the pilot's families", Finding::Weight::no_error_bar}};
    return headline;
}

namespace {

std::string describe_evidence(const Json& summary) {
    std::string text;
    const auto estimates = summary.value("log_evidence", Json::array());
    const bool is_supported = has_supported_result(summary);
    const std::string headline = estimates.empty() ? "" : estimates.front().value("estimator", "");
    for (auto entry = estimates.begin(); entry != estimates.end(); ++entry) {
        const bool is_shifted = // the same estimates again, by log Z_0
            entry->value("quantity", "") == "log_normaliser" && entry->value("estimator", "") != headline;
        const bool is_folded = is_supported && entry->contains("refused"); // summary.json says why
        const auto is_its_number = [&](const Json& earlier) { return is_same_number(earlier, *entry); };
        if (!is_shifted && !is_folded && std::none_of(estimates.begin(), entry, is_its_number))
            text += describe_estimate(*entry, estimates);
    }
    return text;
}

std::unique_ptr<ResultPart> evidence_part(RunView& run) {
    if (run.chains)
        return nullptr;
    auto& exact = run.exact_log_ratio;
    parallel::on_root(run.ranks, [&] { exact = run.target->exact_log_ratio(run.inverse_temperature_end); });
    return std::make_unique<EvidencePart>(run.outcome.log_ratio, run.outcome.verdict, run.log_ratios,
                                          run.target->log_normaliser_start(), exact, run.inverse_temperature_end);
}

std::string describe_outcome(const Json& summary) {
    const auto diagnostics = summary.value("diagnostics", Json::object());
    std::string text;
    if (diagnostics.contains("ess"))
        text += fmt::format("  effective sample size {:.1f}\n", diagnostics.value("ess", 0.0));
    if (diagnostics.contains("weight_autocorrelation_time"))
        text += fmt::format("  autocorrelation time of the weights, at most {:.1f} states of a chain\n",
                            diagnostics.value("weight_autocorrelation_time", 0.0));
    return text;
}

std::unique_ptr<ResultPart> outcome_part(RunView& run) {
    return std::make_unique<OutcomePart>(run.outcome);
}

} // namespace

PartKind evidence_kind() {
    return {evidence_part, describe_evidence};
}

PartKind outcome_kind() {
    return {outcome_part, describe_outcome};
}

} // namespace pearlite::app
