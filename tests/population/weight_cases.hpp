#pragma once
/// Log weights to test with.

#include "core/log_space.hpp"
#include "pearlite/random/stream.hpp"
#include "population/resampling.hpp"

#include <string>
#include <vector>

namespace pearlite::population::testing {

inline constexpr Resampling all_schemes[] = {Resampling::multinomial, Resampling::stratified, Resampling::systematic,
                                             Resampling::residual};

struct WeightCase {
    std::string name;
    std::vector<double> log_weights;
};

/// `size` weights of each kind: spread, over hundreds of orders, with zeros, one that dominates, all equal, all but one
/// 0.
inline std::vector<WeightCase> weight_cases(Index size) {
    const auto n = static_cast<std::size_t>(size);
    random::Stream stream({31, random::Purpose::test, static_cast<std::uint64_t>(size), 0});
    std::vector<WeightCase> cases{
        {"spread", std::vector<double>(n)},         {"wide", std::vector<double>(n)},
        {"zeros", std::vector<double>(n)},          {"dominating", std::vector<double>(n)},
        {"equal", std::vector<double>(n, -1234.5)}, {"single", std::vector<double>(n, log_zero)}};
    for (std::size_t i = 0; i < n; ++i) {
        cases[0].log_weights[i] = stream.normal() - 900;
        cases[1].log_weights[i] = 200 * stream.normal();
        cases[2].log_weights[i] = stream.bernoulli(0.6) ? log_zero : stream.normal();
        cases[3].log_weights[i] = stream.normal();
    }
    const auto chosen = stream.index(n);
    cases[2].log_weights[chosen] = 0;
    cases[3].log_weights[chosen] = 60;
    cases[5].log_weights[chosen] = -5;
    return cases;
}

/// Plain reference: normalised weights in long double.
inline std::vector<long double> reference_weights(const std::vector<double>& log_weights) {
    double largest = log_zero;
    for (const double lw : log_weights)
        largest = std::max(largest, lw);
    long double total = 0;
    std::vector<long double> weights;
    for (const double lw : log_weights) {
        weights.push_back(std::exp(static_cast<long double>(lw) - largest));
        total += weights.back();
    }
    for (auto& w : weights)
        w /= total;
    return weights;
}

/// The part of `all` that belongs to the rank of `layout`.
template <class T>
std::vector<T> local_part(const std::vector<T>& all, const parallel::BlockLayout& layout) {
    const auto first = all.begin() + layout.first_local_item();
    return {first, first + layout.local_items()};
}

} // namespace pearlite::population::testing
