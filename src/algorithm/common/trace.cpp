#include "algorithm/common/trace.hpp"

#include "parallel/agreement.hpp"
#include "parallel/reduction.hpp"

#include <algorithm>
#include <bit>
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

/// Sums of families need few digits. With 24 leading bits, and without blocks of negligible weight, they fit into the
/// two words of a compact sum nearly always.
constexpr double least_scale_of_families = 1e-12;
double leading_bits(double x) {
    constexpr std::uint64_t other_bits = (std::uint64_t{1} << 29) - 1;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~other_bits);
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

void OnTheFly::add(const Record& record, const Largest& largest, std::size_t of_families, std::span<ExactSum> sums) {
    for (const auto& block : record.blocks)
        if (block.log_max > log_zero) {
            const double scale = std::exp(block.log_max - largest.of_all);
            sums[0].add(population::weight_term(scale * block.weight));
            sums[1].add(population::weight_term(scale * scale * block.square));
            sums[2].add(scale * block.first);
            sums[3].add(scale * block.second);
        }
    for (const auto& block : record.motions) {
        const double scale = std::exp(block.log_max - largest.of_watched);
        const std::size_t families = sums.size() - of_families;
        for (std::size_t j = n_of_record; j < families; ++j)
            sums[j].add(scale * block.sums[j - n_of_record]);
        if (scale > least_scale_of_families)
            for (std::size_t j = families; j < sums.size(); ++j)
                sums[j].add(leading_bits(scale * block.sums[j - n_of_record]));
    }
}

OnTheFly::Sums OnTheFly::sum(const parallel::Communicator& ranks, const Largest& largest, std::size_t n_motions,
                             std::span<std::int64_t> further, const std::exception_ptr& failure) const {
    std::vector<ExactSum> sums(n_of_record + n_motions);
    std::vector<std::int64_t> counts(further.begin(), further.end());
    counts.push_back(failure ? 1 : 0);
    counts.push_back(0);
    if (!failure) {
        PEARLITE_EXPECTS(records_.size() == 1);
        add(records_.front(), largest, n_motions > 0 ? n_family_sums : 0, sums);
        counts.back() = records_.front().accepted;
    }
    parallel::exact_sum(ranks, std::span(sums), std::span(counts));
    if (counts[further.size()] > 0)
        parallel::agree(ranks, failure);
    std::copy_n(counts.begin(), further.size(), further.begin());
    Sums result{{}, counts.back(), n_motions > 0};
    for (const auto& sum : sums)
        result.values.push_back(sum.value());
    return result;
}

void OnTheFly::append(const Sums& sums, const Largest& largest, Index n_particles, double log_ratio_offset,
                      bool accepts, Trace& trace) {
    append(records_.front(), sums, largest.of_all, n_particles, log_ratio_offset, accepts, trace);
    drop();
}

void OnTheFly::flush(const parallel::Communicator& ranks, Index n_particles, double log_ratio_offset, bool accepts,
                     Trace& trace, const std::exception_ptr& failure) {
    auto log_max = largest();
    parallel::agree(ranks, failure, std::span(log_max));
    const auto n_sums = n_of_record + static_cast<std::size_t>(log_max.back());
    std::vector<ExactSum> sums(n_sums * records_.size());
    std::vector<std::int64_t> accepted;
    for (std::size_t k = 0; k < records_.size(); ++k) {
        add(records_[k], {log_max[2 * k], log_max[2 * k + 1]}, 0, std::span(sums).subspan(n_sums * k, n_sums));
        accepted.push_back(records_[k].accepted);
    }
    parallel::exact_sum(ranks, std::span(sums), std::span(accepted));
    for (std::size_t k = 0; k < records_.size(); ++k) {
        Sums of_record{{}, accepted[k]};
        for (std::size_t j = 0; j < n_sums; ++j)
            of_record.values.push_back(sums[n_sums * k + j].value());
        append(records_[k], of_record, log_max[2 * k], n_particles, log_ratio_offset, accepts, trace);
    }
    drop();
}

void OnTheFly::append(const Record& record, const Sums& sums, double log_max, Index n_particles,
                      double log_ratio_offset, bool accepts, Trace& trace) {
    const auto& values = sums.values;
    const double weight = values[0], mean = values[2] / weight;
    trace.inverse_temperature.push_back(record.inverse_temperature);
    trace.log_ratio.push_back(log_ratio_offset + log_max + std::log(weight / static_cast<double>(n_particles)));
    trace.ess.push_back(weight > 0 ? weight * weight / values[1] : 0);
    trace.mean_u.push_back(mean);
    const double variance = values[3] / weight - mean * mean;
    trace.variance_u.push_back(variance < 0 ? 0 : variance); // below 0 by rounding; NaN, where u is infinite, stays
    if (accepts)
        trace.acceptance.push_back(record.moves > 0 ? static_cast<double>(sums.accepted) /
                                                          static_cast<double>(record.moves * record.particles)
                                                    : std::numeric_limits<double>::quiet_NaN());
    trace.moves.push_back(record.moves);
    const auto motion = sums.motion();
    trace.mobility.push_back(motion.mobility);
    trace.mobility_energy.push_back(motion.energy);
    trace.mobility_worst.push_back(motion.worst);
    trace.mobility_median.push_back(motion.median);
    trace.unmoved.push_back(motion.unmoved);
    if (!trace.energy_families.empty()) { // since its start
        const auto families = families_of_motion(std::span(values).subspan(n_of_record));
        trace.energy_families.push_back(families.energy);
        trace.unmoved_families.push_back(families.unmoved);
    }
}

} // namespace pearlite::algorithm
