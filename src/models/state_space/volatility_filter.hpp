#pragma once
/// The particle filter of stochastic volatility in single precision, sixteen particles at a time.

#include "models/state_space/volatility_cloud.hpp"
#include "models/state_space/volatility_process.hpp"

#include <functional>
#include <span>

namespace pearlite::models::detail {

/// Sees h and the unnormalised weights of the particles at time t.
using VolatilityObserver = std::function<void(Index t, std::span<const float> h, std::span<const float> weights)>;

/// Bootstrap, or adapted by tangents as VolatilityProcess. Holds the memory of one filter and runs one after another.
///
/// Where a return is NaN, missing, particles move on with the weights that they have.
///
/// Weights are multiplied from step to step and kept near 1 by a factor known before the step (from the bound of the
/// observation density and the sum of the weights before it), so that a step needs no maximum and no logarithm of a
/// particle's; where their sum nevertheless leaves [1e-12, 1e12] N the step is done again, relative to the largest.
/// exp(-h) is cut at 2^126.
///
/// Random words, of the stream at the address: particle i at time t has normal number t s + i, s the number of
/// particles rounded up to 32; resampling before time t takes word 3 2^32 + t. Leverage with Student-t errors takes
/// also normal 2^32 + t s + i, of which a gamma-distributed number is made (GammaRoots). So s times the number of
/// observations is at most 2^32.
class VolatilityFilter {
  public:
    /// Log of the unbiased estimate. Too many words, an auxiliary kind, or invalid parameters: ContractViolation.
    FilterOutcome run(const VolatilityParameters& parameters, std::span<const double> observations,
                      const FilterSettings& settings, const random::Address& address,
                      const VolatilityObserver& observer = {});

    /// After a run.
    std::span<const float> weights() const { return {cloud_.weight.data(), cloud_.size}; }

  private:
    /// A kernel (simd/instructions.hpp).
    template <class Instructions>
    FilterOutcome run_on(const VolatilityParameters& parameters, std::span<const double> observations,
                         const FilterSettings& settings, const random::Address& address,
                         const VolatilityObserver& observer);

    VolatilityCloud cloud_;
};

} // namespace pearlite::models::detail
