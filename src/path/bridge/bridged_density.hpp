#pragma once
/// The bridge from a fitted reference q to a density: f_b = q^(1-b) p^b. With log prior := log q and
/// log likelihood := log p - log q it is the tempered path of another density, so that path::Tempered serves it.

#include "pearlite/model/detail/density_functions.hpp"
#include "random/student_mixture.hpp"

#include <memory>

namespace pearlite::path {

/// A density p = prior x likelihood of d coordinates, and a reference q of d coordinates that is normalised and drawn
/// exactly. log Z_0 = 0: log Z/Z_0 is the log of the integral of p, whatever constant the prior leaves out. Points to
/// which the prior or the likelihood gives no mass have log likelihood -inf. If the likelihood is an unbiased estimate,
/// so is that of the bridge, with the same error of its logarithm. Offers the density's capabilities, except the
/// likelihood by data points, and StartScale.
class BridgedDensity final : public model::DensityFunctions {
  public:
    /// ContractViolation for a reference of another dimension.
    BridgedDensity(std::shared_ptr<const model::DensityFunctions> density,
                   std::shared_ptr<const random::StudentMixture> reference);

    const random::StudentMixture& reference() const { return *reference_; }

    const std::vector<std::string>& parameter_names() const override { return density_->parameter_names(); }
    /// A draw from q.
    void draw_prior(random::Stream& stream, std::span<double> x) const override { reference_->draw(stream, x); }
    void evaluate(const Matrix& points, Index n, const model::BlockStreams& streams, Vector& log_prior,
                  Vector& log_likelihood) const override;
    bool is_estimated() const override { return density_->is_estimated(); }
    std::optional<double> log_prior_normaliser() const override { return 0.0; }
    /// That of the density plus log Z_0 of its prior; nothing if one of them is not known.
    std::optional<double> exact_log_ratio() const override;
    void fingerprint(model::Fingerprint& fingerprint) const override;

  private:
    std::shared_ptr<const model::DensityFunctions> density_;
    std::shared_ptr<const random::StudentMixture> reference_;
};

} // namespace pearlite::path
