#include "algorithm/replicates/replicates.hpp"

#include "algorithm/common/bridge_at_end.hpp"
#include "core/field_list.hpp"
#include "estimator/evidence/genealogy.hpp"
#include "parallel/states.hpp"
#include "pearlite/core/detail/key_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

namespace pearlite::algorithm {

SingleOutcome::SingleOutcome(const Outcome& outcome)
    : ess(outcome.ess), warnings(outcome.warnings), has_no_error_bar(outcome.has_no_error_bar) {
    if (!outcome.log_weights.empty())
        log_weights = outcome.log_weights.front();
    std::set<std::string> seen; // further entries of an estimator repeat its value with other error bars
    for (const auto& estimate : outcome.log_ratio)
        if (seen.insert(estimate.estimator).second) {
            estimators.push_back(estimate.estimator);
            values.push_back(estimate.value);
            notes.push_back(estimate.note);
            if (estimate.is_integral)
                integrals.push_back(estimate.estimator);
            if (estimate.hides_error)
                hidden.push_back(estimate.estimator);
        }
}

void SingleOutcome::fields(Fields& f) {
    f("ess", ess);
    f("warnings", warnings);
    f("estimators", estimators);
    f("values", values);
    f("notes", notes);
    f("integrals", integrals);
    f("hidden", hidden);
    f("has_no_error_bar", has_no_error_bar);
    f("log_weights", log_weights.n);
    f("log_weight_mean", log_weights.mean);
    f("log_weight_variance", log_weights.variance);
}

namespace {

/// The mean of an estimator over replicates, or its refusal if one of them refuses it.
estimator::Estimate mean_of_replicates(const std::string& name, const std::vector<double>& values,
                                       const std::vector<SingleOutcome>& singles) {
    const auto refused = std::ranges::count_if(values, [](double value) { return std::isnan(value); });
    if (refused == 0)
        return estimator::batch_mean(name, values);
    estimator::Estimate estimate{name};
    for (const auto& single : singles)
        for (std::size_t k = 0; k < single.values.size(); ++k)
            if (single.estimators[k] == name && std::isnan(single.values[k]))
                estimate.refuse(fmt::format("in {} of {} replicates: {}", refused, values.size(), single.notes[k]));
    return estimate;
}

/// The estimator that `log_ratios` are values of.
std::string path_estimator(const SingleOutcome& single) {
    const auto& names = single.estimators;
    const auto found = std::ranges::find_if(names, [](const auto& name) { return name != bridge_sampling_name; });
    return found != names.end() ? *found : "";
}

bool has_bridge_as_headline(const SingleOutcome& single) {
    return !single.estimators.empty() && single.estimators.front() == bridge_sampling_name;
}

} // namespace

Outcome outcome_of_replicates(const std::vector<SingleOutcome>& replicates, std::span<const double> log_ratios,
                              bool is_unbiased) {
    const std::size_t n = log_ratios.size();
    Outcome outcome;
    std::string headline;
    std::map<std::string, std::vector<double>> values; // by estimator, one value of every replicate that has it
    for (std::size_t r = 0; r < replicates.size(); ++r) {
        const auto& single = replicates[r];
        outcome.ess += single.ess;
        if (single.log_weights.n > 0)
            outcome.log_weights.push_back(single.log_weights);
        for (const auto& warning : single.warnings)
            outcome.warnings.push_back("replicate " + std::to_string(r) + ": " + warning);
        if (r == 0)
            headline = path_estimator(single);
        for (std::size_t k = 0; k < single.values.size(); ++k)
            values[single.estimators[k]].push_back(single.values[k]);
    }
    if (is_unbiased)
        outcome.log_ratio = {estimator::batch_estimate(log_ratios)};
    else if (values[headline].size() == n)
        outcome.log_ratio = {mean_of_replicates(headline, values[headline], replicates)};
    if (!outcome.log_ratio.empty())
        outcome.log_ratio.front().estimator = headline;
    for (const auto& [name, of_replicates] : values)
        if (name != headline && of_replicates.size() == n) {
            outcome.log_ratio.push_back(mean_of_replicates(name, of_replicates, replicates));
            outcome.log_ratio.back().is_integral = contains(replicates.front().integrals, name);
            outcome.log_ratio.back().hides_error = contains(replicates.front().hidden, name);
        }
    if (!replicates.empty() && std::ranges::all_of(replicates, has_bridge_as_headline)) { // none but on rank 0
        auto& all = outcome.log_ratio;
        const auto bridge = std::ranges::find(all, std::string(bridge_sampling_name), &estimator::Estimate::estimator);
        std::rotate(all.begin(), bridge, bridge + 1);
    }
    if (std::ranges::any_of(replicates, &SingleOutcome::has_no_error_bar))
        for (auto& estimate : outcome.log_ratio)
            estimate.withhold_error(
                "no error bar: too few effective families of the pilot, which all replicates share");
    if (n < 8)
        outcome.warnings.emplace_back(
            "an error bar from fewer than 8 replicates is itself uncertain by a quarter or more");
    return outcome;
}

Replicates::Replicates(const parallel::Communicator& ranks, Index n, const random::Seed& seed, const Make& make,
                       Index first)
    : ranks_(ranks), groups_(ranks, n) {
    const auto& owned = groups_.owned();
    const auto seed_of = [&](Index r) {
        return n == 1 && first == 0 ? seed : random::derive_seed(seed, static_cast<std::uint64_t>(first + r));
    };
    first_seed_ = seed_of(0);
    const auto make_all = [&] {
        for (Index r = owned.first_local_item(); r < owned.first_local_item() + owned.local_items(); ++r)
            here_.push_back(make(groups_.team(), seed_of(r)));
    };
    failure_.guard(ranks_, make_all, groups_.team().size());
    failure_.agree(ranks_);
}

template <class Work>
void Replicates::each(Work&& work) const {
    for (const auto& replicate : here_)
        if (is_one_group())
            work(*replicate);
        else
            failure_.guard(
                ranks_, [&] { work(*replicate); }, groups_.team().size());
}

void Replicates::begin() {
    each([](Sampler& replicate) { replicate.begin(); });
    agree();
}

bool Replicates::finished() const {
    if (is_one_group())
        return std::ranges::all_of(here_, [](const auto& replicate) { return replicate->finished(); });
    return !reports_.empty() && std::ranges::all_of(reports_, &Report::is_finished);
}

void Replicates::step() {
    each([](Sampler& replicate) {
        if (!replicate.finished())
            replicate.step();
    });
    if (--steps_to_agreement_ <= 0)
        agree();
}

void Replicates::flush() {
    each([](Sampler& replicate) { replicate.flush(); });
    agree();
}

/// The next agreement is due when all replicates will have finished, where this is known.
void Replicates::agree() {
    if (is_one_group())
        return;
    failure_.agree(ranks_);
    std::vector<Report> mine;
    for (const auto& replicate : here_)
        if (groups_.team().is_root())
            mine.push_back(report_of(*replicate));
    reports_ = ranks_.all_gather(std::span<const Report>(mine));
    steps_to_agreement_ = 1;
    for (const auto& report : reports_)
        if (!report.is_finished)
            steps_to_agreement_ =
                std::max(steps_to_agreement_, report.steps > 0 ? report.steps - report.step : steps_per_agreement);
    steps_to_agreement_ = std::min(steps_to_agreement_, steps_per_agreement);
}

Replicates::Report Replicates::report_of(const Sampler& replicate) {
    const auto progress = replicate.progress();
    return {progress.step,      progress.steps,       progress.inverse_temperature, progress.ess,
            progress.log_ratio, replicate.finished(), progress.likelihoods,         progress.work};
}

const Sampler& Replicates::here(Index r) const {
    return *here_[static_cast<std::size_t>(r - groups_.owned().first_local_item())];
}

Sampler& Replicates::replicate(Index r) {
    PEARLITE_EXPECTS(has_replicate(r));
    return *here_[static_cast<std::size_t>(r - groups_.owned().first_local_item())];
}

Replicates::Report Replicates::report(Index r) const {
    return has_replicate(r) ? report_of(here(r)) : reports_[static_cast<std::size_t>(r)];
}

void Replicates::fields(Fields& f) {
    if (!f.is_reading())
        return list_fields(f);
    const Index first = groups_.owned().first_local_item();
    const auto name_of = [](Index r) { return "replicate-" + std::to_string(r); };
    if (is_one_group()) {
        for (Index r = 0; r < n_replicates(); ++r)
            group(f, name_of(r), replicate(r));
        return;
    }
    for (Index r = first; r < first + groups_.owned().local_items(); ++r)
        failure_.guard(
            ranks_, [&] { f.read_among(groups_.team(), [&] { group(f, name_of(r), replicate(r)); }); },
            groups_.team().size());
    agree();
}

/// Every rank lists the fields of all replicates; for replicates of other groups it gets them from their first rank.
void Replicates::list_fields(Fields& f) {
    std::vector<FieldList> lists;
    const Index first = groups_.owned().first_local_item();
    each([&](Sampler& replicate) {
        auto& list = lists.emplace_back();
        group(list, "replicate-" + std::to_string(first + static_cast<Index>(lists.size()) - 1), replicate);
    });
    if (!is_one_group())
        failure_.agree(ranks_);
    for (Index r = 0; r < n_replicates(); ++r) {
        FieldList received;
        FieldList& list = has_replicate(r) ? lists[static_cast<std::size_t>(r - first)] : received;
        const int root = groups_.root_of(r);
        if (!is_one_group())
            parallel::broadcast_state(ranks_, ranks_.rank() == root ? list : received, root);
        list.list_to(f);
    }
}

Progress Replicates::progress() const {
    Progress slowest = here_.front()->progress();
    if (n_replicates() == 1)
        return slowest;
    slowest.updates_per_step *= n_replicates();
    slowest.likelihoods = sum_where_all_have<Index>(n_replicates(), [&](Index r) { return report(r).likelihoods; });
    slowest.work = sum_where_all_have<population::WorkAccount>(n_replicates(), [&](Index r) { return report(r).work; });
    slowest.inverse_temperature = HUGE_VAL;
    for (Index r = 0; r < n_replicates(); ++r)
        // Among finished replicates, take the one with the most steps, so that the numbers of checkpoints never fall.
        if (const auto s = report(r);
            std::pair(s.inverse_temperature, -s.step) < std::pair(slowest.inverse_temperature, -slowest.step)) {
            slowest.step = s.step;
            slowest.steps = s.steps;
            slowest.inverse_temperature = s.inverse_temperature;
            slowest.ess = s.ess;
            slowest.log_ratio = s.log_ratio;
        }
    return slowest;
}

Found Replicates::found() {
    auto found = here_.front()->found();
    found.survey = nullptr;
    if (n_replicates() == 1)
        return found;
    if (found.prediction_seed)
        found.prediction_seed = first_seed_;
    found.sharded_results = {};
    for (Index r = 0; r < n_replicates(); ++r)
        found.replicates.push_back(has_replicate(r) ? &replicate(r) : nullptr);
    found.log_ratios = log_ratios();
    found.team = groups_.team();
    return found;
}

std::vector<double> Replicates::log_ratios() const {
    std::vector<double> values;
    for (Index r = 0; r < n_replicates(); ++r)
        values.push_back(report(r).log_ratio);
    return values;
}

LogRatioSoFar Replicates::log_ratio_so_far() {
    if (n_replicates() == 1)
        return here_.front()->log_ratio_so_far();
    const auto slowest = progress();
    for (Index r = 0; r < n_replicates(); ++r)
        if (report(r).inverse_temperature != slowest.inverse_temperature)
            return {slowest.log_ratio, {}};
    const auto all = estimator::batch_estimate(log_ratios());
    return {all.value, all.standard_error};
}

std::vector<SingleOutcome> Replicates::single_outcomes() const {
    std::vector<SingleOutcome> mine;
    each([&](Sampler& replicate) { mine.emplace_back(replicate.outcome()); });
    failure_.agree(ranks_);
    return parallel::gather_states(ranks_, groups_.team().is_root(), mine);
}

Outcome Replicates::outcome() const {
    if (n_replicates() == 1)
        return here_.front()->outcome();
    return outcome_of_replicates(single_outcomes(), log_ratios(), is_unbiased());
}

} // namespace pearlite::algorithm
