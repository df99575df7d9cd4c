#pragma once
/// The linear Gaussian process of known parameters, growing by time. A state's conditional distribution is normal, from
/// which a sweep draws it (the Gibbs sampler). Exact: by the Kalman filter.

#include "models/state_space/growing/growing_states.hpp"
#include "models/state_space/linear_gaussian.hpp"

namespace pearlite::models {

class GrowingLinearGaussian : public StateProcess {
  public:
    /// Proposals are p(x_t | x_{t-1}), or p(x_t | x_{t-1}, y_t) if `adapted`. At least one observation; parameters out
    /// of range: ContractViolation.
    GrowingLinearGaussian(const LinearGaussianParameters& parameters, std::vector<double> observations, bool adapted);
    GrowingLinearGaussian(const GrowingLinearGaussian&) = delete;
    GrowingLinearGaussian& operator=(const GrowingLinearGaussian&) = delete;

    Index length() const override { return std::ssize(observations_); }
    double log_first() const override { return process_.log_adapted_look_ahead(0, 0); }
    void draw_first(StateBlock& block, const model::BlockStreams& streams) const override;
    void propose(StateBlock& block, Index t, const model::BlockStreams& streams,
                 std::span<double> log_weights) const override;
    bool proposes_exactly() const override { return adapted_; }
    void sweep(StateBlock& block, Index from, Index n, const model::BlockStreams& streams) const override;
    void log_density(const StateBlock& block, Index n, std::span<double> out) const override;
    std::optional<double> log_likelihood() const override { return process_.log_likelihood(); }
    std::string description() const override;
    void fingerprint(model::Fingerprint& fingerprint) const override;

  private:
    LinearGaussianParameters parameters_;
    std::vector<double> observations_;
    LinearGaussianProcess process_; ///< of these observations
    bool adapted_;
};

} // namespace pearlite::models
