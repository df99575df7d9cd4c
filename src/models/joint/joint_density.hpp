#pragma once
/// A joint density of parameters and data as something to anneal: a wide distribution stands in for the prior.

#include "pearlite/model/detail/density_functions.hpp"
#include "random/student_mixture.hpp"
#include "target/joint_functions.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::models {

/// A joint density p without a prior to draw from. A wide normalised distribution q around 0 takes the place of the
/// prior: log prior := log q, log likelihood := log p - log q. Thus log Z/Z_0 is the log of the integral of p over the
/// parameters.
class JointDensity final : public model::DensityFunctions {
  public:
    /// q is a Student t distribution of 7 degrees of freedom; `scale`: of each coordinate. `prior`: of p, over the same
    /// coordinates, if it is known.
    JointDensity(std::shared_ptr<const model::JointFunctions> functions, double scale,
                 std::shared_ptr<const model::JointFunctions> prior = nullptr);

    const std::vector<std::string>& parameter_names() const override { return functions_->coordinate_names(); }
    void draw_prior(random::Stream& stream, std::span<double> x) const override { start_->draw(stream, x); }
    void evaluate(const Matrix& points, Index n, const model::BlockStreams& streams, Vector& log_prior,
                  Vector& log_likelihood) const override;
    bool is_estimated() const override { return false; }
    std::optional<double> log_prior_normaliser() const override { return 0.0; }
    std::optional<double> exact_log_ratio() const override { return {}; }
    void fingerprint(model::Fingerprint& fingerprint) const override;

  private:
    std::shared_ptr<const model::JointFunctions> functions_, prior_;
    std::shared_ptr<const random::StudentMixture> start_;
    double scale_;
};

} // namespace pearlite::models
