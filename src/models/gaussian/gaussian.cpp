#include "models/gaussian/gaussian.hpp"

#include <cmath>
#include <numbers>

namespace pearlite::models {

std::vector<std::string> Gaussian::parameter_names() const {
    if (settings_.dimension == 1)
        return {"x"};
    std::vector<std::string> names;
    for (Index k = 1; k <= settings_.dimension; ++k)
        names.push_back("x" + std::to_string(k));
    return names;
}

void Gaussian::draw_prior(random::Stream& stream, std::span<double> x) const {
    for (double& value : x)
        value = settings_.start_mean + settings_.start_sd * stream.normal();
}

void Gaussian::evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
    for (Index i = 0; i < points.cols(); ++i) {
        const auto x = points.col(i).array();
        const double start = -0.5 * ((x - settings_.start_mean) / settings_.start_sd).square().sum();
        const double end = -0.5 * ((x - settings_.end_mean) / settings_.end_sd).square().sum();
        log_prior[static_cast<std::size_t>(i)] = start;
        log_likelihood[static_cast<std::size_t>(i)] = end - start;
    }
}

void Gaussian::evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                      std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
    evaluate(points, log_prior, log_likelihood);
    const auto& s = settings_;
    const double start_weight = (1 - b) / (s.start_sd * s.start_sd), end_weight = b / (s.end_sd * s.end_sd);
    gradient = start_weight * (s.start_mean - points.array()) + end_weight * (s.end_mean - points.array());
}

void Gaussian::metric(std::span<const double>, double b, Eigen::Ref<Matrix> metric) const {
    const auto& s = settings_;
    metric.setZero();
    metric.diagonal().setConstant((1 - b) / (s.start_sd * s.start_sd) + b / (s.end_sd * s.end_sd));
}

void Gaussian::metric_derivative(std::span<const double>, double, Index, Eigen::Ref<Matrix> derivative) const {
    derivative.setZero();
}

double Gaussian::log_prior_normaliser() const {
    return static_cast<double>(settings_.dimension) *
           (std::log(settings_.start_sd) + 0.5 * std::log(2 * std::numbers::pi));
}

std::optional<double> Gaussian::exact_log_ratio() const {
    return static_cast<double>(settings_.dimension) * std::log(settings_.end_sd / settings_.start_sd);
}

void Gaussian::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("gaussian");
    fingerprint.add(static_cast<double>(settings_.dimension));
    for (const double value : {settings_.start_mean, settings_.start_sd, settings_.end_mean, settings_.end_sd})
        fingerprint.add(value);
}

} // namespace pearlite::models
