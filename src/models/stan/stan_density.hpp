#pragma once
/// A Stan program as a density over its unconstrained parameters.

#include "models/stan/stan_program.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "random/student_mixture.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::models {

/// What tells a program with its data from others.
struct StanIdentity {
    std::string library, data; ///< the bytes of both
};

/// Stan programs have a joint density p of parameters and data, with no prior that could be drawn from. In place of a
/// prior there is a wide distribution q around 0, normalised: log prior := log q, log likelihood := log p - log q, so
/// that log Z/Z_0 is the log of the integral of p over the parameters.
class StanDensity final : public model::DensityFunctions {
  public:
    /// q is a Student t distribution of 7 degrees of freedom; `scale`: of each coordinate.
    StanDensity(std::shared_ptr<const StanProgram> program, double scale, bool with_generated,
                const StanIdentity& identity);

    const std::vector<std::string>& parameter_names() const override { return program_->coordinate_names(); }
    void draw_prior(random::Stream& stream, std::span<double> x) const override { start_->draw(stream, x); }
    void evaluate(const Matrix& points, Index n, const model::BlockStreams& streams, Vector& log_prior,
                  Vector& log_likelihood) const override;
    bool is_estimated() const override { return false; }
    std::optional<double> log_prior_normaliser() const override { return 0.0; }
    std::optional<double> exact_log_ratio() const override { return {}; }
    void fingerprint(model::Fingerprint& fingerprint) const override;

  private:
    std::shared_ptr<const StanProgram> program_;
    std::shared_ptr<const random::StudentMixture> start_;
    double scale_;
    std::string identity_;
};

} // namespace pearlite::models
