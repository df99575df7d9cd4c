#include "algorithm/replicates/rounds.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <fmt/format.h>

#include <utility>

namespace pearlite::algorithm {

Rounds::Rounds(const parallel::Communicator& ranks, const TargetError& target, MakeRound make)
    : ranks_(ranks), target_(target), make_(std::move(make)) {
    PEARLITE_EXPECTS(target.error.has_value());
    rounds_.push_back(make_(0, nullptr));
}

void Rounds::step() {
    PEARLITE_EXPECTS(!finished());
    auto& round = *rounds_.back();
    round.step();
    if (!round.finished())
        return;
    round.flush();
    const Index next = n_replicates();
    is_done_ = is_precise() || next + of_a_round() > target_.most_replicates;
    if (is_done_)
        return;
    rounds_.push_back(make_(next, &round));
    rounds_.back()->begin();
}

bool Rounds::is_precise() const {
    const auto so_far = outcome();
    double error = infinity; // estimates are valid on rank 0
    if (ranks_.is_root() && !so_far.log_ratio.empty())
        error = so_far.log_ratio.front().standard_error.value_or(infinity);
    ranks_.broadcast(std::span(&error, 1));
    return error <= *target_.error;
}

Outcome Rounds::outcome() const {
    std::vector<SingleOutcome> singles;
    for (const auto& round : rounds_)
        for (auto& single : round->single_outcomes())
            singles.push_back(std::move(single));
    auto outcome = outcome_of_replicates(singles, log_ratios(), has_unbiased_normaliser());
    if (ranks_.is_root() && is_done_ && !outcome.log_ratio.empty()) {
        const auto error = outcome.log_ratio.front().standard_error;
        if (!error || *error > *target_.error)
            outcome.warnings.push_back(fmt::format("the error bar is not the wanted {:g} after {} replicates; raise "
                                                   "algorithm.most_replicates",
                                                   *target_.error, n_replicates()));
    }
    return outcome;
}

void Rounds::fields(Fields& f) {
    auto n = static_cast<Index>(rounds_.size());
    f("rounds", n);
    f("is_done", is_done_);
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        if (k == rounds_.size()) // read, after the round that it may learn from
            rounds_.push_back(make_(n_replicates(), rounds_.back().get()));
        group(f, "round-" + std::to_string(k), *rounds_[k]);
    }
}

std::optional<Index> Rounds::likelihood_estimates() const {
    return sum_where_all_have<Index>(
        std::ssize(rounds_), [&](Index k) { return rounds_[static_cast<std::size_t>(k)]->likelihood_estimates(); });
}

std::optional<population::WorkAccount> Rounds::work() const {
    return sum_where_all_have<population::WorkAccount>(
        std::ssize(rounds_), [&](Index k) { return rounds_[static_cast<std::size_t>(k)]->work(); });
}

double Rounds::log_ratio() const {
    return log_mean_exp(log_ratios());
}

std::vector<double> Rounds::log_ratios() const {
    std::vector<double> all;
    for (const auto& round : rounds_)
        for (const double value : round->log_ratios())
            all.push_back(value);
    return all;
}

std::vector<Trace> Rounds::traces() const {
    std::vector<Trace> all;
    for (const auto& round : rounds_)
        for (auto& trace : round->traces())
            all.push_back(std::move(trace));
    return all;
}

Sampler& Rounds::replicate(Index r) {
    return rounds_[static_cast<std::size_t>(r / of_a_round())]->replicate(r % of_a_round());
}

} // namespace pearlite::algorithm
