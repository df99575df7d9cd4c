#pragma once
/// Stochastic volatility of known parameters, growing by time. A sweep moves h_t by an independence Metropolis step:
/// the normal distribution that its neighbours make of it, times the tangent of the log observation density (Shephard &
/// Pitt 1997; Kim, Shephard & Chib 1998). With leverage, h_{t+1} depends also on z_t, which the proposal takes at the
/// value that h_{t-1} leads to expect; with Student-t errors beside, the mixing variable g_t belongs to the state.

#include "models/state_space/growing/growing_states.hpp"
#include "models/state_space/volatility_process.hpp"

namespace pearlite::models {

class GrowingVolatility : public StateProcess {
  public:
    /// Proposals are p(h_t | h_{t-1}), or the adapted ones of VolatilityProcess. At least one return; parameters out of
    /// range: ContractViolation.
    GrowingVolatility(const VolatilityParameters& parameters, std::vector<double> returns, bool adapted);

    Index length() const override { return std::ssize(returns_); }
    /// h_t, and g_t with leverage and Student-t errors.
    Index fields() const override { return has_mixing() ? 2 : 1; }
    /// By quadrature.
    double log_first() const override;
    /// By rejection.
    void draw_first(StateBlock& block, const model::BlockStreams& streams) const override;
    void propose(StateBlock& block, Index t, const model::BlockStreams& streams,
                 std::span<double> log_weights) const override;
    bool proposes_exactly() const override { return false; }
    void sweep(StateBlock& block, Index from, Index n, const model::BlockStreams& streams) const override;
    void log_density(const StateBlock& block, Index n, std::span<double> out) const override;
    /// By quadrature; nothing if its grid would be too large.
    std::optional<double> log_likelihood() const override;
    std::string description() const override;
    void fingerprint(model::Fingerprint& fingerprint) const override;

  protected:
    const std::vector<double>& returns() const { return returns_; }

  private:
    bool has_mixing() const { return parameters_.rho != 0 && parameters_.student(); }
    VolatilityObservation observation(Index t) const { return {parameters_, returns_[at(t)]}; }
    bool misses(Index t) const { return is_missing(returns_[at(t)]); }
    /// The standard deviation of h_t given the state before, as VolatilityProcess has it.
    double sd(Index t) const {
        return t == 0 ? parameters_.stationary_sd() : misses(t - 1) ? parameters_.sigma : parameters_.innovation_sd();
    }
    /// z_t of a state.
    double shock(Index t, double h, double g) const;
    /// The mean of h_{t+1}.
    double next_mean(Index t, double h, double g) const;
    double next_mean(const StateBlock& block, Index t, Index i) const {
        return next_mean(t, block.row(t)[i], has_mixing() ? block.row(t, 1)[i] : 1);
    }
    /// g_t given h_t and y_t; 1 if y_t is missing.
    double draw_mixing(Index t, double h, random::Stream& stream) const;

    VolatilityParameters parameters_;
    std::vector<double> returns_;
    bool adapted_;
};

} // namespace pearlite::models
