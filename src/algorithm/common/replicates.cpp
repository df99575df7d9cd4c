#include "algorithm/common/replicates.hpp"

#include "core/log_space.hpp"
#include "estimator/evidence/genealogy.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace pearlite::algorithm {

Replicates::Replicates(Index n, std::uint64_t seed, const Make& make) {
    for (Index r = 0; r < n; ++r)
        replicates_.push_back(make(n == 1 ? seed : random::derive_seed(seed, static_cast<std::uint64_t>(r))));
}

void Replicates::begin() {
    for (auto& replicate : replicates_)
        replicate->begin();
}

bool Replicates::finished() const {
    return std::all_of(replicates_.begin(), replicates_.end(), [](const auto& r) { return r->finished(); });
}

void Replicates::step() {
    for (auto& replicate : replicates_)
        if (!replicate->finished())
            replicate->step();
}

void Replicates::flush() {
    for (auto& replicate : replicates_)
        replicate->flush();
}

void Replicates::fields(Fields& f) {
    for (std::size_t r = 0; r < replicates_.size(); ++r)
        group(f, "replicate-" + std::to_string(r), *replicates_[r]);
}

Progress Replicates::progress() const {
    Progress slowest = replicates_.front()->progress();
    for (const auto& replicate : replicates_)
        if (const auto p = replicate->progress(); p.inverse_temperature < slowest.inverse_temperature)
            slowest = p;
    return slowest;
}

Index Replicates::updates_per_step() const {
    return replicates_.front()->updates_per_step() * n_replicates();
}

std::optional<Index> Replicates::likelihood_estimates() const {
    Index all = 0;
    for (const auto& replicate : replicates_) {
        const auto estimates = replicate->likelihood_estimates();
        if (!estimates)
            return {};
        all += *estimates;
    }
    return all;
}

std::optional<population::WorkAccount> Replicates::work() const {
    population::WorkAccount all;
    for (const auto& replicate : replicates_) {
        const auto account = replicate->work();
        if (!account)
            return {};
        all += *account;
    }
    return all;
}

std::vector<double> Replicates::log_ratios() const {
    std::vector<double> values;
    for (const auto& replicate : replicates_)
        values.push_back(replicate->log_ratio());
    return values;
}

double Replicates::log_ratio() const {
    return log_sum_exp(log_ratios()) - std::log(static_cast<double>(n_replicates()));
}

Outcome Replicates::outcome() const {
    if (replicates_.size() == 1)
        return replicates_.front()->outcome();
    Outcome outcome;
    std::string headline;
    std::map<std::string, std::vector<double>> values; // by estimator, one of every replicate that has it
    for (std::size_t r = 0; r < replicates_.size(); ++r) {
        auto single = replicates_[r]->outcome();
        outcome.ess += single.ess;
        for (auto& warning : single.warnings)
            outcome.warnings.push_back("replicate " + std::to_string(r) + ": " + warning);
        if (r == 0 && !single.log_ratio.empty())
            headline = single.log_ratio.front().estimator;
        std::set<std::string> seen; // an estimator's further entries have other error bars for the same value
        for (const auto& estimate : single.log_ratio)
            if (seen.insert(estimate.estimator).second)
                values[estimate.estimator].push_back(estimate.value);
    }
    if (has_unbiased_normaliser())
        outcome.log_ratio = {estimator::batch_estimate(log_ratios())};
    else if (values[headline].size() == replicates_.size())
        outcome.log_ratio = {estimator::batch_mean(headline, values[headline])};
    if (!outcome.log_ratio.empty())
        outcome.log_ratio.front().estimator = headline;
    for (const auto& [name, of_replicates] : values)
        if (name != headline && of_replicates.size() == replicates_.size())
            outcome.log_ratio.push_back(estimator::batch_mean(name, of_replicates));
    if (replicates_.size() < 8)
        outcome.warnings.push_back(
            "an error bar from fewer than 8 replicates is itself uncertain by a quarter or more");
    return outcome;
}

void Replicates::result_fields(Fields& f) {
    if (replicates_.size() == 1)
        replicates_.front()->result_fields(f);
}

} // namespace pearlite::algorithm
