#include "algorithm/common/trace.hpp"

#include "parallel/agreement.hpp"
#include "parallel/reduction.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

namespace {

/// Sums run in lanes, whole packets only and always from the block's first particle, so that their bits depend neither
/// on where the arrays lie in memory nor on the compiler's choice of a tail.
constexpr std::size_t n_lanes = 8;
using Lanes = Eigen::Array<double, n_lanes, 1>;

Lanes lanes_at(std::span<const double> values, std::size_t begin, double beyond_end) {
    if (begin + n_lanes <= values.size())
        return Eigen::Map<const Lanes>(values.data() + begin);
    Lanes lanes = Lanes::Constant(beyond_end);
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(begin), values.end(), lanes.data());
    return lanes;
}

/// Eigen 3.4 does not vectorise expressions with select().
Lanes where(const Lanes& condition_above_0, const Lanes& values) {
    Lanes chosen;
    for (Index lane = 0; lane < Index{n_lanes}; ++lane)
        chosen[lane] = condition_above_0[lane] > 0 ? values[lane] : 0;
    return chosen;
}

/// exp(log_weights - log_max), where Eigen's exp would give about 1e-308 instead of 0.
Lanes relative_weights(const Lanes& log_weights, double log_max) {
    constexpr double log_negligible = -700;
    const Lanes relative = log_weights - log_max;
    return where(relative - log_negligible, relative.exp());
}

double largest_of(std::span<const double> values) {
    Lanes lanes = Lanes::Constant(log_zero);
    for (std::size_t i = 0; i < values.size(); i += n_lanes)
        lanes = lanes.max(lanes_at(values, i, log_zero));
    return lanes.maxCoeff();
}

} // namespace

void OnTheFly::begin(double inverse_temperature, Index moves, Index particles) {
    records_.push_back({inverse_temperature, moves, particles, {}, {}, 0});
}

void OnTheFly::add_block(std::span<const double> log_weights, std::span<const double> derivatives, Index accepted,
                         BlockMotion motion) {
    Partial partial{largest_of(log_weights), 0, 0, 0, 0};
    if (partial.log_max > log_zero) {
        Lanes weight = Lanes::Zero(), square = weight, first = weight, second = weight;
        for (std::size_t i = 0; i < log_weights.size(); i += n_lanes) {
            const Lanes w = relative_weights(lanes_at(log_weights, i, log_zero), partial.log_max);
            // The derivative of a particle without weight may be infinite.
            const Lanes u = where(w, lanes_at(derivatives, i, 0));
            weight += w;
            square += w * w;
            first += w * u;
            second += w * u * u;
        }
        partial = {partial.log_max, weight.sum(), square.sum(), first.sum(), second.sum()};
    }
    records_.back().blocks.push_back(partial);
    records_.back().accepted += accepted;
    if (!motion.sums.empty())
        records_.back().motions.push_back(std::move(motion));
}

std::vector<double> OnTheFly::largest() const {
    std::vector<double> all;
    std::size_t n_sums = 0; // a rank may watch no block
    for (const auto& record : records_) {
        double of_blocks = log_zero, of_motions = log_zero;
        for (const auto& block : record.blocks)
            of_blocks = std::max(of_blocks, block.log_max);
        for (const auto& block : record.motions) {
            of_motions = std::max(of_motions, block.log_max);
            n_sums = std::max(n_sums, block.sums.size());
        }
        all.insert(all.end(), {of_blocks, of_motions});
    }
    all.push_back(static_cast<double>(n_sums));
    return all;
}

void OnTheFly::flush(const parallel::Communicator& ranks, Index n_particles, double log_ratio_offset, bool accepts,
                     Trace& trace, const std::exception_ptr& failure) {
    auto log_max = largest();
    parallel::agree(ranks, failure, std::span(log_max));
    const auto n_motions = static_cast<std::size_t>(log_max.back()), n_sums = 4 + n_motions;
    std::vector<ExactSum> sums(n_sums * records_.size());
    std::vector<std::int64_t> accepted;
    for (std::size_t k = 0; k < records_.size(); ++k) {
        auto* const of_record = sums.data() + n_sums * k;
        for (const auto& block : records_[k].blocks)
            if (block.log_max > log_zero) {
                const double scale = std::exp(block.log_max - log_max[2 * k]);
                of_record[0].add(scale * block.weight);
                of_record[1].add(scale * scale * block.square);
                of_record[2].add(scale * block.first);
                of_record[3].add(scale * block.second);
            }
        for (const auto& block : records_[k].motions) {
            const double scale = std::exp(block.log_max - log_max[2 * k + 1]);
            for (std::size_t j = 0; j < n_motions; ++j)
                of_record[4 + j].add(scale * block.sums[j]);
        }
        accepted.push_back(records_[k].accepted);
    }
    parallel::exact_sum(ranks, std::span(sums), std::span(accepted));

    std::vector<double> values(n_sums);
    for (std::size_t k = 0; k < records_.size(); ++k) {
        std::transform(sums.data() + n_sums * k, sums.data() + n_sums * (k + 1), values.begin(),
                       [](const ExactSum& sum) { return sum.value(); });
        const double weight = values[0];
        const double mean = values[2] / weight;
        trace.inverse_temperature.push_back(records_[k].inverse_temperature);
        trace.log_ratio.push_back(log_ratio_offset + log_max[2 * k] +
                                  std::log(weight / static_cast<double>(n_particles)));
        trace.ess.push_back(weight > 0 ? weight * weight / values[1] : 0);
        trace.mean_u.push_back(mean);
        const double variance = values[3] / weight - mean * mean;
        trace.variance_u.push_back(variance < 0 ? 0 : variance); // below 0 by rounding; NaN, where u is infinite, stays
        if (accepts)
            trace.acceptance.push_back(records_[k].moves > 0
                                           ? static_cast<double>(accepted[k]) /
                                                 static_cast<double>(records_[k].moves * records_[k].particles)
                                           : std::numeric_limits<double>::quiet_NaN());
        trace.moves.push_back(records_[k].moves);
        const auto motion = motion_of(std::span(values).subspan(4));
        trace.mobility.push_back(motion.mobility);
        trace.mobility_energy.push_back(motion.energy);
        trace.mobility_worst.push_back(motion.worst);
        trace.mobility_median.push_back(motion.median);
        trace.unmoved.push_back(motion.unmoved);
    }
    records_.clear();
}

} // namespace pearlite::algorithm
