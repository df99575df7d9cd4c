#pragma once
/// The particle filter of the linear Gaussian model in double precision, eight particles at a time.

#include "models/state_space/lanes/systematic_slots.hpp"
#include "models/state_space/linear_gaussian.hpp"

#include <span>

namespace pearlite::models::detail {

/// Particles, each stored as the mean of its next state. Elements beyond `size` pad the arrays; their weight is 0.
struct LinearGaussianCloud {
    Index size = 0;
    Eigen::ArrayXd mean, next_mean, weight, next_weight;
    Eigen::ArrayXd exponent; ///< of the factor that a weight is about to be multiplied by
    SlotMemory slots;
};

/// Bootstrap, auxiliary or adapted, as LinearGaussianProcess with run_filter. Where an observation is NaN, missing,
/// particles move on with the weights that they have. Holds the memory of one filter and runs
/// one after another. Exponentials are right to 1e-14.
///
/// Random numbers, of the stream at the address: particle i at time t has normal number t s + i, s the number of
/// particles rounded up to 16; resampling before time t takes word 2^33 + t. So s times the number of observations is
/// at most 2^32.
class LinearGaussianFilter {
  public:
    /// Log of the unbiased estimate. Too many numbers, or invalid parameters: ContractViolation.
    FilterOutcome run(const LinearGaussianParameters& parameters, std::span<const double> observations,
                      const FilterSettings& settings, const random::Address& address);

  private:
    /// A kernel (simd/instructions.hpp).
    template <class Instructions>
    FilterOutcome run_on(const LinearGaussianParameters& parameters, std::span<const double> observations,
                         const FilterSettings& settings, const random::Address& address);

    LinearGaussianCloud cloud_;
};

} // namespace pearlite::models::detail
