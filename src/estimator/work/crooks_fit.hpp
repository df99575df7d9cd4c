#pragma once
/// Crooks' theorem by logistic regression, of sums over the works. Internal to the layer.

#include "estimator/work/work.hpp"

#include <Eigen/Core>

#include <functional>

namespace pearlite::estimator::detail {

/// Sums over standardised works y with P(forward | W) = 1/(1 + exp(-(intercept + slope y))).
struct CrooksLikelihood {
    struct Derivatives {
        Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
        Eigen::Matrix2d information = Eigen::Matrix2d::Zero(); ///< minus the second derivatives: inverse covariance
    };
    std::function<double(double intercept, double slope)> log_likelihood;
    std::function<Derivatives(double intercept, double slope)> derivatives;
};
struct CrooksFit {
    double intercept = 0, slope = 0;
    Eigen::Matrix2d information = Eigen::Matrix2d::Zero();
    bool converged = false;
};
CrooksFit fit_logistic(const CrooksLikelihood& likelihood);

/// The fit to works y = (W + log_ratio)/width.
CrooksCheck crooks_check(const CrooksFit& fit, double log_ratio, double log_odds, double width);

} // namespace pearlite::estimator::detail
