#pragma once
/// Waste-free sequential Monte Carlo (Dau & Chopin 2022, algorithm 2, along the path of smc.hpp): N = M P particles, of
/// which M are drawn at each temperature, and all states of the chains that these start are kept.
///
///     x_1..x_N ~ p_0
///     for t = 1..T:
///         a_t from the schedule, or as far from a_{t-1} as the conditional ESS allows
///         w_i = f_{a_t}(x_i)/f_{a_{t-1}}(x_i);   log Z += log sum_i w_i/N;   Var[log Z] += s2_t/N
///         y_1..y_M from x_1..x_N, x_i being M w_i/sum w of them on average
///         for m = 1..M:  x_{m,1} = y_m;  x_{m,k+1} ~ T_t(. | x_{m,k}), k = 1..P-1
///         x_1..x_N = all x_{m,k}, with equal weights
///
/// a_t: inverse temperatures; T_t: the moves of the kernel, which leave p_{a_t} invariant, its scale from the weighted
/// x. Z is unbiased if schedule and scales are fixed beforehand. s2_t = c_0 + 2 sum_{k>=1} c_k, c_k the autocovariance
/// of w/mean w along the chains; c_0 alone for t = 1, as x_1..x_N are then independent. It is for chains much longer
/// than the autocorrelation time s2_t/c_0.
///
/// Slot m P + k holds state k of chain m. Chains whose starts are a block of the M belong to one rank, so that M
/// particles travel at each temperature and N are kept.

#include "algorithm/smc/tempered_population.hpp"
#include "estimator/chains.hpp"

namespace pearlite::algorithm {

struct WasteFreeSettings {
    Index chain_length = 2; ///< P
    population::Resampling resampling = population::Resampling::systematic;
};

class WasteFree final : public TemperedPopulation {
  public:
    /// N = settings.particles, a multiple of P of at least 2 P, P >= 2; chains move in blocks of settings.block.
    WasteFree(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
              path::Temperatures schedule, const kernel::Kernel& kernel, const PopulationSettings& settings,
              const WasteFreeSettings& waste_free);

    void begin() override;

    /// Collective. One temperature.
    void step() override;

    Progress progress() const override;

    /// Collective; finished().
    Outcome outcome() const override;

    LogRatioSoFar log_ratio_so_far() override;
    Found found() override;
    /// The estimated variance of log_ratio(), also where chains are too short for it.
    double log_ratio_variance() const { return variance_; }

    void fields(Fields& f) override;

  private:
    Index n_chains() const { return settings_.particles / waste_free_.chain_length; }

    /// The largest autocorrelation time of the weights so far, of one temperature at least.
    double longest_tau() const;
    /// Whether chains are long enough for an error bar of one run.
    bool has_error() const;

    /// The variance of w/mean w along the chains; at the first temperature, that of independent states.
    estimator::ChainVariance weight_variance(double log_mean) const;

    /// The M starts are drawn.
    void resample();

    /// Their chains take the places of all particles.
    void make_chains();

    /// The block's chains have come to state k: copies it into the generation.
    void keep(Index block, Index k, std::span<const double> derivative);

    void record(double weight_tau);

    WasteFreeSettings waste_free_;
    population::Generation heads_;  ///< where the M chains are now; nothing between steps
    double variance_ = 0;           ///< of log_ratio_
    std::vector<std::byte> packed_; ///< a particle
};

} // namespace pearlite::algorithm
