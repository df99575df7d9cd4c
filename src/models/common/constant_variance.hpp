#pragma once
/// Particles by point: as many as make the log of an estimated likelihood equally noisy everywhere (Tran, Strickland,
/// Pitt & Kohn, assumption 3: N(theta) = gamma^2(theta) / s2).

#include "pearlite/random/stream.hpp"

#include <functional>
#include <string>

namespace pearlite::models {

/// For particle filters, in place of one number of particles for all points: N(theta) = pilot_particles v / variance, v
/// the sample variance of the log likelihood over pilot_runs filters, kept between smallest and largest and rounded up
/// to 32. The pilots' draws are independent of the estimate's, so given N(theta) the estimate is unbiased, and hence
/// without it.
struct ConstantVariance {
    double variance = 1; ///< of the log of the estimate
    Index pilot_particles = 96;
    Index pilot_runs = 8;
    Index smallest = 96;
    Index largest = 9600;
};

/// For importance sampling over the effects of many subjects: their weights' variances add up, so few samples do. A
/// pilot of independent samples measures them; N(theta) is kept between smallest and largest.
struct ConstantVarianceOfSubjects {
    double variance = 1; ///< of the log of the estimate
    Index smallest = 4;
    Index largest = 4096;
};

namespace detail {

/// Seeds of pilots: derived by this part and those that follow.
inline constexpr std::uint64_t pilots_from = std::uint64_t{1} << 63;

/// InputError for settings outside their ranges.
void check_constant_variance(const std::string& model, const ConstantVariance& goal);

/// N(theta) of ConstantVariance. run(particles, address) is the log of an estimate; pilot r has the estimate's address
/// with the seed derived by part 2^63 + r.
Index particles_for(const ConstantVariance& goal, const random::Address& address,
                    const std::function<double(Index, const random::Address&)>& run);

} // namespace detail

} // namespace pearlite::models
