#pragma once
/// Particle filters for state-space models, plain and in double precision: an unbiased estimate of the likelihood and
/// the filtered distributions. Bootstrap (Gordon, Salmond & Smith 1993), auxiliary (Pitt & Shephard 1999) and adapted.

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <concepts>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// A hidden Markov process x_0, x_1, ... and observations y_t given x_t. States are values.
///   length()                    number of observations
///   draw_next(t, x, stream)     a draw of x_t given x_{t-1} = x; at t = 0 the first state, and x is to be ignored
///   log_observation(t, x)       log p(y_t | x_t = x)
template <class M>
concept StateSpaceModel = requires(const M& model, Index t, const typename M::State& x, random::Stream& stream) {
    { model.length() } -> std::convertible_to<Index>;
    { model.draw_next(t, x, stream) } -> std::convertible_to<typename M::State>;
    { model.log_observation(t, x) } -> std::convertible_to<double>;
};

/// Optional, for auxiliary filters: log of any approximation to p(y_t | x_{t-1} = x), above -inf if p is positive.
template <class M>
concept HasLookAhead = StateSpaceModel<M> && requires(const M& model, Index t, const typename M::State& x) {
    { model.log_look_ahead(t, x) } -> std::convertible_to<double>;
};

/// Optional, for adapted filters: a proposal q(x_t | x_{t-1}, y_t) and a look-ahead a_t(x_{t-1}) that belongs to it.
/// If they are p(x_t | x_{t-1}, y_t) and p(y_t | x_{t-1}) the filter is fully adapted and all weights are equal.
///   log_adapted_look_ahead(t, x)          log a_t(x)
///   draw_adapted(t, x, stream)            a draw from q
///   log_adapted_weight(t, x, next)        log p(next | x) p(y_t | next) / (a_t(x) q(next))
template <class M>
concept HasAdaptedProposal = StateSpaceModel<M> &&
    requires(const M& model, Index t, const typename M::State& x, random::Stream& stream) {
    { model.log_adapted_look_ahead(t, x) } -> std::convertible_to<double>;
    { model.draw_adapted(t, x, stream) } -> std::convertible_to<typename M::State>;
    { model.log_adapted_weight(t, x, x) } -> std::convertible_to<double>;
};

/// Observations that are NaN are missing: nothing is known of the state at their time but what the process says.
inline bool is_missing(double observation) {
    return std::isnan(observation);
}
/// The times, from 0, at which observations are missing.
std::vector<Index> missing_times(std::span<const double> observations);

enum class FilterKind { bootstrap, auxiliary, adapted };

struct FilterSettings {
    Index particles = 1000;
    FilterKind kind = FilterKind::bootstrap;
    double resample_below = 0.5; ///< of the effective sample size, as a share of the particles; above 1: every step
};

struct FilterOutcome {
    double log_likelihood = 0; ///< log of the unbiased estimate; log_zero if all weights were zero at some time
    Index resamplings = 0;
};

/// Ancestors of N equal particles by systematic resampling: the number of offspring of i is N w_i rounded up or down.
/// weights: not negative, not all zero; offset uniform on [0, 1). Particles of weight zero have no offspring.
void systematic_ancestors(std::span<const double> weights, double offset, std::span<Index> ancestors);

/// For each probability p in [0, 1] the smallest value at which the cumulative weight reaches p of the sum. At least
/// one weight is positive.
std::vector<double> weighted_quantiles(std::span<const double> values, std::span<const double> weights,
                                       std::span<const double> probabilities);

namespace detail {

/// Log weights of N particles, normalised by every update.
class CloudWeights {
  public:
    explicit CloudWeights(Index n) : log_weights_(static_cast<std::size_t>(n)) { make_equal(); }

    void make_equal();
    /// Multiplies weight i by exp(log_factor(i)) and returns the log of the new weights' sum. A weight of zero stays,
    /// whatever its factor; NaN is a NumericalError that names time and particle.
    template <class LogFactor>
    double multiply(Index t, LogFactor log_factor) {
        for (std::size_t i = 0; i < log_weights_.size(); ++i) {
            if (log_weights_[i] == log_zero)
                continue;
            log_weights_[i] += log_factor(i);
            if (std::isnan(log_weights_[i]))
                throw NumericalError("particle filter: the weight of particle " + std::to_string(i) + " at time " +
                                     std::to_string(t) + " is not a number");
        }
        return normalise();
    }
    double effective_size() const;
    std::span<const double> logs() const { return log_weights_; }
    std::vector<double> values() const;

  private:
    double normalise();
    std::vector<double> log_weights_;
};

template <class M>
struct BootstrapProposal {
    static constexpr bool looks_ahead = false;
    const M& model;
    auto draw(Index t, const typename M::State& x, random::Stream& stream) const {
        return model.draw_next(t, x, stream);
    }
    double log_weight(Index t, const typename M::State&, const typename M::State& next) const {
        return model.log_observation(t, next);
    }
};

template <class M>
struct AuxiliaryProposal : BootstrapProposal<M> {
    static constexpr bool looks_ahead = true;
    double log_look_ahead(Index t, const typename M::State& x) const { return this->model.log_look_ahead(t, x); }
    double log_weight(Index t, const typename M::State& x, const typename M::State& next) const {
        return this->model.log_observation(t, next) - this->model.log_look_ahead(t, x);
    }
};

template <class M>
struct AdaptedProposal {
    static constexpr bool looks_ahead = true;
    const M& model;
    double log_look_ahead(Index t, const typename M::State& x) const { return model.log_adapted_look_ahead(t, x); }
    auto draw(Index t, const typename M::State& x, random::Stream& stream) const {
        return model.draw_adapted(t, x, stream);
    }
    double log_weight(Index t, const typename M::State& x, const typename M::State& next) const {
        return model.log_adapted_weight(t, x, next);
    }
};

/// With w the weights (sum 1): log p(y) = sum over t of log sum_i w_i a_i + log sum_i w'_i v_i, where a is the
/// look-ahead (1 for the bootstrap filter), w' are the weights w a normalised, or equal after resampling by them, and v
/// the weights of the draws. Each factor is unbiased for its conditional expectation given the past, and whether to
/// resample depends on the past alone, so the product is unbiased (Pitt, Silva, Giordani & Kohn 2012).
template <class M, class Proposal, class Observe>
FilterOutcome run(const M& model, const Proposal& proposal, const FilterSettings& settings, random::Stream& stream,
                  Observe& observe) {
    const auto n = static_cast<std::size_t>(settings.particles);
    std::vector<typename M::State> states(n), previous(n);
    std::vector<Index> ancestors(n);
    CloudWeights weights(settings.particles);
    FilterOutcome outcome;
    for (Index t = 0; t < model.length(); ++t) {
        if constexpr (Proposal::looks_ahead)
            outcome.log_likelihood +=
                weights.multiply(t, [&](std::size_t i) { return proposal.log_look_ahead(t, states[i]); });
        if (outcome.log_likelihood == log_zero)
            return outcome;
        std::swap(states, previous);
        if (t > 0 && weights.effective_size() < settings.resample_below * static_cast<double>(n)) {
            systematic_ancestors(weights.values(), stream.uniform(), ancestors);
            for (std::size_t i = 0; i < n; ++i)
                states[i] = previous[static_cast<std::size_t>(ancestors[i])];
            std::swap(states, previous);
            weights.make_equal();
            ++outcome.resamplings;
        }
        for (std::size_t i = 0; i < n; ++i)
            states[i] = proposal.draw(t, previous[i], stream);
        outcome.log_likelihood +=
            weights.multiply(t, [&](std::size_t i) { return proposal.log_weight(t, previous[i], states[i]); });
        if (outcome.log_likelihood == log_zero)
            return outcome;
        observe(t, std::span<const typename M::State>(states), weights.logs());
    }
    return outcome;
}

} // namespace detail

/// Runs a filter over all observations. observe(t, states, log_weights) sees the filtered distribution at each time
/// (log weights whose exponentials sum to 1), unless all weights are zero, which ends the run with log_zero. A kind
/// that the model does not provide for, or fewer than one particle, is a ContractViolation.
template <StateSpaceModel M, class Observe>
FilterOutcome run_filter(const M& model, const FilterSettings& settings, random::Stream& stream, Observe observe) {
    PEARLITE_EXPECTS(settings.particles >= 1);
    if constexpr (HasLookAhead<M>)
        if (settings.kind == FilterKind::auxiliary)
            return detail::run(model, detail::AuxiliaryProposal<M>{{model}}, settings, stream, observe);
    if constexpr (HasAdaptedProposal<M>)
        if (settings.kind == FilterKind::adapted)
            return detail::run(model, detail::AdaptedProposal<M>{model}, settings, stream, observe);
    PEARLITE_EXPECTS(settings.kind == FilterKind::bootstrap);
    return detail::run(model, detail::BootstrapProposal<M>{model}, settings, stream, observe);
}

template <StateSpaceModel M>
FilterOutcome run_filter(const M& model, const FilterSettings& settings, random::Stream& stream) {
    return run_filter(model, settings, stream, [](auto&&...) {});
}

} // namespace pearlite::models
