#include "pearlite/sampler/trace.hpp"

#include "pearlite/core/log_space.hpp"
#include "pearlite/parallel/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pearlite::sampler {

void OnTheFly::begin(double inverse_temperature, Index proposals) {
    records_.push_back({inverse_temperature, proposals, {}, 0});
}

void OnTheFly::add_block(std::span<const double> log_weights, std::span<const double> derivatives, Index accepted) {
    Partial partial{log_zero, 0, 0, 0, 0};
    for (const double lw : log_weights)
        partial.log_max = std::max(partial.log_max, lw);
    if (partial.log_max > log_zero)
        for (std::size_t i = 0; i < log_weights.size(); ++i) {
            const double w = std::exp(log_weights[i] - partial.log_max);
            if (w == 0)
                continue; // the derivative of a particle without weight may be infinite
            partial.weight += w;
            partial.square += w * w;
            partial.first += w * derivatives[i];
            partial.second += w * derivatives[i] * derivatives[i];
        }
    records_.back().blocks.push_back(partial);
    records_.back().accepted += accepted;
}

void OnTheFly::flush(const parallel::Communicator& ranks, Index n_particles, double log_ratio_offset, bool accepts,
                     Trace& trace) {
    std::vector<double> log_max;
    std::vector<std::int64_t> accepted;
    for (const auto& record : records_) {
        double largest = log_zero;
        for (const auto& block : record.blocks)
            largest = std::max(largest, block.log_max);
        log_max.push_back(largest);
        accepted.push_back(record.accepted);
    }
    ranks.max(std::span(log_max));
    ranks.sum(std::span(accepted));

    std::vector<ExactSum> sums(4 * records_.size());
    for (std::size_t k = 0; k < records_.size(); ++k)
        for (const auto& block : records_[k].blocks)
            if (block.log_max > log_zero) {
                const double scale = std::exp(block.log_max - log_max[k]);
                sums[4 * k].add(scale * block.weight);
                sums[4 * k + 1].add(scale * scale * block.square);
                sums[4 * k + 2].add(scale * block.first);
                sums[4 * k + 3].add(scale * block.second);
            }
    parallel::exact_sum(ranks, std::span(sums));

    for (std::size_t k = 0; k < records_.size(); ++k) {
        const double weight = sums[4 * k].value();
        const double mean = sums[4 * k + 2].value() / weight;
        trace.inverse_temperature.push_back(records_[k].inverse_temperature);
        trace.log_ratio.push_back(log_ratio_offset + log_max[k] + std::log(weight / static_cast<double>(n_particles)));
        trace.ess.push_back(weight > 0 ? weight * weight / sums[4 * k + 1].value() : 0);
        trace.mean_u.push_back(mean);
        const double variance = sums[4 * k + 3].value() / weight - mean * mean;
        trace.variance_u.push_back(variance < 0 ? 0 : variance); // below 0 by rounding; NaN, where u is infinite, stays
        if (accepts)
            trace.acceptance.push_back(records_[k].proposals > 0 ? static_cast<double>(accepted[k]) /
                                                                       static_cast<double>(records_[k].proposals)
                                                                 : std::numeric_limits<double>::quiet_NaN());
    }
    records_.clear();
}

} // namespace pearlite::sampler
