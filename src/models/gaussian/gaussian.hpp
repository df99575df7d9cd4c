#pragma once
/// The Gaussian toy: from one normal distribution to another, in d independent dimensions.

#include "pearlite/model/fingerprint.hpp"
#include "pearlite/random/stream.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// f_0 = exp(-|x - start_mean|^2 / (2 start_sd^2)), f_1 likewise: both unnormalised, so log Z_1/Z_0 = d
/// log(end_sd/start_sd) (Habeck 2017, section 5.1: 20, 10 -> 0, 1).
struct GaussianSettings {
    Index dimension = 1;
    double start_mean = 20;
    double start_sd = 10;
    double end_mean = 0;
    double end_sd = 1;
};

/// The path as a Density: the "prior" is f_0, the "likelihood" f_1/f_0.
class Gaussian {
  public:
    explicit Gaussian(const GaussianSettings& settings) : settings_(settings) {}

    std::vector<std::string> parameter_names() const;
    void draw_prior(random::Stream& stream, std::span<double> x) const;
    static constexpr bool evaluates_padding = true;
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const;
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const;
    /// The precision at b, the same at every point.
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const;
    void metric_derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> derivative) const;
    double log_prior_normaliser() const;
    std::optional<double> exact_log_ratio() const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    GaussianSettings settings_;
};

} // namespace pearlite::models
