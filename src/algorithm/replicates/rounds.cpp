#include "algorithm/replicates/rounds.hpp"

#include <fmt/format.h>

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
    auto outcome = outcome_of_replicates(singles, log_ratios(), rounds_.front()->is_unbiased());
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

Progress Rounds::progress() const {
    auto progress = current().progress();
    progress.stages_before = std::ssize(rounds_) - 1;
    const auto sum = [&](auto Progress::*part) {
        using Number = typename std::remove_reference_t<decltype(progress.*part)>::value_type;
        return sum_where_all_have<Number>(std::ssize(rounds_), [&](Index k) {
            return k + 1 == std::ssize(rounds_) ? progress.*part
                                                : rounds_[static_cast<std::size_t>(k)]->progress().*part;
        });
    };
    const auto likelihoods = sum(&Progress::likelihoods);
    const auto work = sum(&Progress::work);
    progress.likelihoods = likelihoods;
    progress.work = work;
    return progress;
}

Found Rounds::found() {
    auto found = current().found();
    found.replicates.clear();
    for (const auto& round : rounds_)
        for (Index r = 0; r < of_a_round(); ++r)
            found.replicates.push_back(round->has_replicate(r) ? &round->replicate(r) : nullptr);
    found.log_ratios = log_ratios();
    return found;
}

std::vector<double> Rounds::log_ratios() const {
    std::vector<double> all;
    for (const auto& round : rounds_)
        for (const double value : round->log_ratios())
            all.push_back(value);
    return all;
}

} // namespace pearlite::algorithm
