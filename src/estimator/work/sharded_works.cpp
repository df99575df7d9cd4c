#include "estimator/work/sharded_works.hpp"

#include "core/log_space.hpp"
#include "parallel/agreement.hpp"
#include "parallel/reduction.hpp"

namespace pearlite::estimator::detail {

namespace {

Index count_infinite(const population::Shards& works, double legal, const char* name) {
    Index n = 0;
    for (const double w : works.here) {
        if (std::isfinite(w))
            continue;
        if (w != legal)
            throw NumericalError(std::string("a ") + name + " work is " + std::to_string(w));
        ++n;
    }
    return n;
}

/// Collective.
LogSums log_sums(const ShardedWorks& works, double log_ratio) {
    std::vector<double> q, not_q;
    works.for_each([&](double w, std::uint64_t) {
        if (!std::isfinite(w))
            return;
        const double a = works.log_odds() + log_ratio + w;
        q.push_back(-softplus(a));
        not_q.push_back(-softplus(-a));
    });
    const auto& ranks = works.forward.ranks;
    return {parallel::log_sum_exp(ranks, q), parallel::log_sum_exp(ranks, not_q)};
}

} // namespace

ShardedWorks sharded_works(const population::Shards& forward, const population::Shards& reverse) {
    PEARLITE_EXPECTS(forward.size() >= 1 && reverse.size() >= 1);
    ShardedWorks works{forward, reverse};
    works.n_forward = static_cast<double>(forward.size());
    works.n_reverse = static_cast<double>(reverse.size());
    std::array<std::int64_t, 2> n_infinite{};
    std::array<double, 2> ends{-infinity, -infinity}; // of -W and of W
    parallel::together(forward.ranks, [&] {
        n_infinite = {count_infinite(forward, infinity, "forward"), count_infinite(reverse, -infinity, "reverse")};
        works.for_each([&](double w, std::uint64_t) {
            if (std::isfinite(w))
                ends = {std::max(ends[0], -w), std::max(ends[1], w)};
        });
    });
    forward.ranks.sum(n_infinite);
    forward.ranks.max(std::span(ends));
    works.n_infinite_forward = static_cast<double>(n_infinite[0]);
    works.n_infinite_reverse = static_cast<double>(n_infinite[1]);
    if (works.n_finite() > 0) {
        works.smallest = -ends[0];
        works.largest = ends[1];
    }
    return works;
}

PosteriorSums posterior_sums(const ShardedWorks& works, double log_ratio) {
    constexpr double largest = 700; // exp stays finite
    const double shift = works.log_odds() + log_ratio;
    const auto [q, not_q, q_not_q] = works.sums<3>([&](double w) {
        const double e = std::exp(std::clamp(w + shift, -largest, largest));
        const double probability = 1 / (1 + e);
        return std::array{probability, e * probability, e * probability * probability};
    });
    return {q, not_q, q_not_q};
}

double solve_bar(const ShardedWorks& works) {
    BennettEquation equation{
        works.target(), works.n_finite() - works.target(), works.smallest, works.largest, works.log_odds(), {}, {}};
    equation.sums = [&](double log_ratio) { return posterior_sums(works, log_ratio); };
    equation.log_sums = [&](double log_ratio) { return log_sums(works, log_ratio); };
    return solve(equation);
}

Ends ends_of(const ShardedWorks& works) {
    std::array<double, 2> ends{-infinity, -infinity};
    for (const double w : works.forward.here)
        ends[0] = std::max(ends[0], -w);
    for (const double w : works.reverse.here)
        ends[1] = std::max(ends[1], w);
    works.forward.ranks.max(std::span(ends));
    return {-ends[0], ends[1]};
}

IntegerSums::IntegerSums(std::size_t R, double n_items, double largest) : sums_(R, 0) {
    int bits_of_count = 0;
    std::frexp(std::max(n_items, 1.0), &bits_of_count);
    constexpr int bits_of_sum = 62, bits_of_term = 50; // bits of a word, and bits that the rounding can handle
    scale_ = std::ldexp(1.0, std::min(bits_of_sum - bits_of_count, bits_of_term)) / largest;
}

std::vector<double> IntegerSums::total(const parallel::Communicator& ranks) {
    ranks.sum(sums_);
    std::vector<double> values;
    values.reserve(sums_.size());
    for (const std::int64_t sum : sums_)
        values.push_back(static_cast<double>(sum) / scale_);
    return values;
}

} // namespace pearlite::estimator::detail
