#pragma once
/// A toy model: theta ~ N(0, prior_sd^2); y | theta ~ N(theta, 1).

#include "pearlite/core/keys.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/random/stream.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

class Toy {
  public:
    void keys(Keys& k);

    std::vector<std::string> parameter_names() const { return {"theta"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = prior_sd_ * stream.normal(); }
    double log_prior(std::span<const double> x) const { return log_normal(x[0], prior_sd_); }
    double log_likelihood(std::span<const double> x) const { return log_normal(y_ - x[0], 1); }
    std::optional<double> exact_log_ratio() const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    static double log_normal(double x, double sd);

    double y_ = 2, prior_sd_ = 3;
};

} // namespace pearlite::models
