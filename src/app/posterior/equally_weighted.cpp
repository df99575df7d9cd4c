#include "app/posterior/gather_posterior.hpp"

#include "core/log_space.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pearlite::app {

std::vector<std::vector<Index>> systematic_draws(const parallel::Communicator& ranks,
                                                 std::span<const std::span<const double>> log_weights, Index n,
                                                 const random::Seed& seed, std::uint64_t id) {
    Index count = 0;
    double largest = log_zero;
    for (const auto part : log_weights) {
        count += static_cast<Index>(part.size());
        for (const double log_weight : part)
            largest = std::max(largest, log_weight);
    }
    largest = ranks.max(largest);
    const int bits = 62 - std::bit_width(static_cast<std::uint64_t>(ranks.sum(count)));
    const auto integer = [&](double log_weight) {
        return static_cast<WideCount>(std::llround(std::ldexp(std::exp(log_weight - largest), bits)));
    };

    // The sums of the weights before this rank's share of each part.
    std::vector<WideCount> before;
    WideCount total = 0;
    for (const auto part : log_weights) {
        WideCount local = 0;
        for (const double log_weight : part)
            local += integer(log_weight);
        const auto scan = parallel::exclusive_scan(ranks, local);
        before.push_back(total + scan.before);
        total += scan.total;
    }
    PEARLITE_EXPECTS(total > 0);

    // Draw k is where the summed weights exceed (k + U) total / n; times n, all of it is integers.
    random::Stream stream({seed, random::Purpose::posterior_draw, id, 0});
    const auto offset = std::min(total - 1, static_cast<WideCount>(stream.uniform() * static_cast<double>(total)));
    const auto first_draw_from = [&](WideCount sum) {
        const WideCount scaled = sum * static_cast<WideCount>(n);
        return scaled <= offset ? Index{0} : static_cast<Index>((scaled - offset + total - 1) / total);
    };
    std::vector<std::vector<Index>> drawn(log_weights.size());
    for (std::size_t p = 0; p < log_weights.size(); ++p) {
        WideCount sum = before[p];
        Index next = first_draw_from(sum);
        for (std::size_t i = 0; i < log_weights[p].size(); ++i) {
            sum += integer(log_weights[p][i]);
            for (const Index end = first_draw_from(sum); next < end; ++next)
                drawn[p].push_back(static_cast<Index>(i));
        }
    }
    return drawn;
}

} // namespace pearlite::app
