#include "algorithm/parallel_tempering/tempering_sums.hpp"

#include "core/exact_sum.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

namespace {

/// sum of exp(x - shift), where the shift follows the largest x.
void add_exponential(double& sum, double& shift, double x, bool is_first) {
    constexpr double far = 30;
    if (is_first || x > shift + far) {
        sum *= is_first ? 0 : std::exp(shift - x);
        shift = std::max(x, -1e300);
    }
    sum += std::exp(x - shift);
}

} // namespace

TemperingSums TemperingSums::of_states(std::size_t n) {
    TemperingSums sums;
    sums.each([n](const char*, auto& values) { values.assign(n, 0); });
    sums.tags.assign(n, ReplicaTag::nowhere);
    return sums;
}

void TemperingSums::add(std::size_t first, std::span<const double> derivatives, std::span<const double> log_ratios,
                        const Scan& scan) {
    PEARLITE_EXPECTS(log_ratios.size() == derivatives.size() && first + derivatives.size() <= u.size());
    for (std::size_t i = 0; i < derivatives.size(); ++i) {
        const double value = derivatives[i];
        u[first + i] += value;
        u_square[first + i] += value * value;
        if (scan.is_in_first_half)
            u_first_half[first + i] += value;
        add_exponential(ratio[first + i], ratio_shift[first + i], log_ratios[i], scan.is_first);
    }
}

Index due_scans(Index t, Index after, Index last) {
    const auto up_to = [t](Index n) { return t % 2 == 0 ? n / 2 : (n + 1) / 2; };
    return up_to(last) - up_to(after);
}

Trace tempering_trace(const parallel::Communicator& ranks, const TemperingSums& sums,
                      const parallel::BlockLayout& layout, const path::Schedule& schedule, Index burn_in, Index scans) {
    const Index replicas = layout.block();
    const auto n = static_cast<double>(std::max<Index>(scans - burn_in, 1) * replicas);
    const auto T = static_cast<std::size_t>(layout.blocks());
    std::vector<ExactSum> totals(2 * T);
    for (std::size_t i = 0; i < sums.u.size(); ++i) {
        const auto t = static_cast<std::size_t>(layout.first_local_block() + static_cast<Index>(i) / replicas);
        totals[2 * t].add(sums.u[i]);
        totals[2 * t + 1].add(sums.u_square[i]);
    }
    parallel::exact_sum(ranks, std::span(totals));
    Trace trace;
    trace.inverse_temperature = schedule.points();
    double log_ratio = 0;
    for (std::size_t t = 0; t < T; ++t) {
        const double mean = totals[2 * t].value() / n;
        const double variance = totals[2 * t + 1].value() / n - mean * mean;
        if (t > 0)
            log_ratio += 0.5 * (schedule[static_cast<Index>(t)] - schedule[static_cast<Index>(t) - 1]) *
                         (trace.mean_u.back() + mean);
        trace.mean_u.push_back(mean);
        trace.variance_u.push_back(variance < 0 ? 0 : variance);
        trace.log_ratio.push_back(log_ratio);
        trace.ess.push_back(n);
    }
    return trace;
}

} // namespace pearlite::algorithm
