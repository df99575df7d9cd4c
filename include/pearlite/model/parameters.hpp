#pragma once
/// Parameters on the scale of their priors, and the unconstrained scale on which samplers move: x in (low, infinity) is
/// low + exp(u), x in (low, high) is low + (high - low) logistic(u).

#include "pearlite/core/types.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/prior.hpp"
#include "pearlite/random/stream.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::model {

/// The map of one parameter. `natural` is x(u), `slope` dx/du, `unconstrained` the inverse (infinite at a finite end of
/// the support), `log_jacobian` is log dx/du.
class SupportMap {
  public:
    /// lower < upper, each may be infinite but not the lower one alone: ContractViolation.
    SupportMap(double lower, double upper);
    double natural(double u) const;
    double unconstrained(double x) const;
    double slope(double u) const;
    double log_jacobian(double u) const;
    double log_jacobian_slope(double u) const;

  private:
    enum class Kind { line, half_line, interval };
    Kind kind_;
    double lower_, width_;
};

/// d independent parameters with names.
class Parameters {
  public:
    void add(std::string name, const Prior& prior);

    Index size() const { return static_cast<Index>(priors_.size()); }
    const std::vector<std::string>& names() const { return names_; }
    const Prior& prior(Index k) const { return priors_[static_cast<std::size_t>(k)]; }
    /// One draw from the prior, unconstrained; u has length d.
    void draw(random::Stream& stream, std::span<double> u) const;
    /// Log density of u under the prior: that of the natural values, with the Jacobian. -inf where a natural value has
    /// left its support by rounding.
    double log_prior(std::span<const double> u) const;
    /// The same number, and its gradient into a span of d; anything where the number is -inf.
    double log_prior(std::span<const double> u, std::span<double> gradient) const;
    /// dx_k/du_k of parameter k at u.
    double slope(Index k, double u) const { return maps_[static_cast<std::size_t>(k)].slope(u); }
    double natural(Index k, double u) const { return maps_[static_cast<std::size_t>(k)].natural(u); }
    double unconstrained(Index k, double x) const { return maps_[static_cast<std::size_t>(k)].unconstrained(x); }
    void fingerprint(Fingerprint& fingerprint) const;

  private:
    std::vector<std::string> names_;
    std::vector<Prior> priors_;
    std::vector<SupportMap> maps_;
};

} // namespace pearlite::model
