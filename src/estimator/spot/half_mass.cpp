#include "estimator/spot/half_mass.hpp"

#include "core/log_space.hpp"
#include "estimator/evidence/estimate.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <numbers>

namespace pearlite::estimator {

HalfMass::HalfMass(Vector centre, Matrix factor) : centre_(std::move(centre)), factor_(std::move(factor)) {
    PEARLITE_EXPECTS(factor_.rows() == dimension() && factor_.cols() == dimension());
    PEARLITE_EXPECTS(factor_.diagonal().minCoeff() > 0);
    const auto d = static_cast<double>(dimension());
    square_radius_ = d * std::pow(1 - 2 / (9 * d), 3); // Wilson & Hilferty 1931; the mass below is that of this c
    const double mass = boost::math::gamma_p(d / 2, square_radius_ / 2);
    log_constant_ = -std::log(mass) - factor_.diagonal().array().log().sum() - 0.5 * d * std::log(2 * std::numbers::pi);
}

bool HalfMass::holds(std::span<const double> x) const {
    std::vector<double> z(x.size());
    double square = 0;
    for (Index k = 0; k < dimension(); ++k) {
        double rest = x[at(k)] - centre_(k);
        for (Index l = 0; l < k; ++l)
            rest -= factor_(k, l) * z[at(l)];
        z[at(k)] = rest / factor_(k, k);
        square += z[at(k)] * z[at(k)];
        if (!(square <= square_radius_)) // most points are far away, as the first coordinates show
            return false;
    }
    return true;
}

double HalfMass::draw(random::Stream& stream, std::span<double> x) const {
    Vector z(dimension());
    do
        for (double& value : z)
            value = stream.normal();
    while (z.squaredNorm() > square_radius_);
    Eigen::Map<Vector>(x.data(), dimension()) = centre_ + factor_.triangularView<Eigen::Lower>() * z;
    return log_constant_ - 0.5 * z.squaredNorm();
}

namespace {

constexpr double log_reach = 6.9, step_in_deviations = 0.7;

/// The quantile of Student's t that a normal deviation of significant_difference corresponds to, relative to it.
double inflation(double n) {
    const double tail = boost::math::cdf(boost::math::complement(boost::math::normal(), significant_difference));
    return boost::math::quantile(boost::math::complement(boost::math::students_t(n - 1), tail)) /
           significant_difference;
}

} // namespace

Index HalfMass::points_of_line(Index n_together) const {
    // The standard deviation of log r of a normal distribution is 1/sqrt(2 d).
    const double steps = 2 * log_reach * std::sqrt(2 * static_cast<double>(dimension())) / step_in_deviations;
    return n_together * static_cast<Index>(std::ceil(steps / static_cast<double>(n_together)));
}

HalfMass::Line HalfMass::line(random::Stream& stream, Index n_together) const {
    const Index n = points_of_line(n_together), half = n / 2;
    const auto d = static_cast<double>(dimension());
    Vector direction(dimension());
    for (double& value : direction)
        value = stream.normal();
    direction = factor_.triangularView<Eigen::Lower>() * (direction / direction.norm()).eval();
    const double step = log_reach / static_cast<double>(half), first = stream.uniform() * step;
    const double log_surface = std::numbers::ln2 + 0.5 * d * std::log(std::numbers::pi) - std::lgamma(0.5 * d);
    const double log_measure = log_surface + factor_.diagonal().array().log().sum() + std::log(0.5 * step);
    Line line{Matrix(dimension(), n), Vector(n)};
    for (Index i = 0; i < n; ++i) {
        const double log_r = 0.5 * std::log(square_radius_) + first + step * static_cast<double>(i % half);
        line.points.col(i) = centre_ + (i < half ? 1 : -1) * std::exp(log_r) * direction;
        line.log_weights(i) = log_measure + d * log_r;
    }
    return line;
}

SpotIntegral integral_of(std::span<const double> log_ratios) {
    PEARLITE_EXPECTS(log_ratios.size() >= 2);
    const auto n = static_cast<double>(log_ratios.size());
    const double log_mean = log_sum_exp(log_ratios) - std::log(n);
    if (log_mean == log_zero)
        return {log_zero, 0};
    double squares = 0;
    for (const double log_ratio : log_ratios)
        squares += std::pow(std::exp(log_ratio - log_mean) - 1, 2);
    return {log_mean, inflation(n) * std::sqrt(squares / (n * (n - 1)))};
}

} // namespace pearlite::estimator
