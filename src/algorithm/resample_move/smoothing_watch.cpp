#include "algorithm/resample_move/smoothing_watch.hpp"

#include "algorithm/common/streams.hpp"
#include "parallel/agreement.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace pearlite::algorithm {

namespace {

bool is_watched(const population::Generation& particles, Index b) {
    constexpr Index watched_particles = 1024;
    return particles.layout().first_local_item() + particles.block_begin(b) < watched_particles;
}

} // namespace

void SmoothingWatch::remember(const parallel::Communicator& ranks, const model::GrowingStage& stage,
                              population::Generation& particles, const random::Seed& seed, Index tick) {
    before_.assign(at(particles.local_size()), 0.0);
    parallel::together(ranks, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b)
            if (is_watched(particles, b))
                stage.smooth(particles.block(b), block_streams(particles, b, seed, tick),
                             particles.of_block(before_, b));
    });
}

double SmoothingWatch::mobility(const parallel::Communicator& ranks, const population::Generation& particles,
                                const std::vector<double>& log_weights) const {
    double log_max = log_zero;
    for (Index b = 0; b < particles.local_blocks(); ++b)
        if (is_watched(particles, b))
            for (const auto& log_w : {particles.of_block(before_, b), particles.of_block(log_weights, b)})
                log_max = std::max(log_max, *std::ranges::max_element(log_w));
    log_max = ranks.max(log_max);
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (!std::isfinite(log_max))
        return unknown;
    population::BlockSums sums(4);
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        if (!is_watched(particles, b))
            continue;
        const auto log_shares = particles.of_block(particles.log_weights(), b), of_x = particles.of_block(before_, b),
                   of_moved = particles.of_block(log_weights, b);
        double all = 0, first = 0, second = 0, jump = 0; // sums of W, W w', W w'^2, W (w' - w)^2
        for (std::size_t i = 0; i < of_x.size(); ++i) {
            const double share = std::exp(log_shares[i]), w = std::exp(of_moved[i] - log_max),
                         change = w - std::exp(of_x[i] - log_max);
            all += share;
            first += share * w;
            second += share * w * w;
            jump += share * change * change;
        }
        sums.add(0, all);
        sums.add(1, first);
        sums.add(2, second);
        sums.add(3, jump);
    }
    const auto total = sums.total(ranks);
    const double mean = total[1] / total[0], variance = total[2] / total[0] - mean * mean;
    constexpr double rounding = 1e-12; // of the mean's square
    return variance > rounding * mean * mean ? total[3] / total[0] / (2 * variance) : unknown;
}

} // namespace pearlite::algorithm
