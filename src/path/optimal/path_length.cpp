#include "path/optimal/path_length.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::path {

namespace {

/// int_0^x exp(log_begin + (log_end - log_begin) t/h) dt for a piece of length h.
double part_of_piece(double log_begin, double log_end, double h, double x) {
    const double growth = (log_end - log_begin) * (x / h);
    const double mean_factor = std::abs(growth) < 1e-8 ? 1 + growth / 2 : std::expm1(growth) / growth;
    return x * std::exp(log_begin) * mean_factor;
}

} // namespace

Integral::Integral(std::span<const double> points, std::span<const double> values)
    : points_(points.begin(), points.end()), sums_{0} {
    PEARLITE_EXPECTS(points.size() >= 2 && points.size() == values.size());
    for (const double value : values) {
        PEARLITE_EXPECTS(value > 0 && std::isfinite(value));
        logs_.push_back(std::log(value));
    }
    for (std::size_t i = 1; i < points_.size(); ++i) {
        const double h = points_[i] - points_[i - 1];
        PEARLITE_EXPECTS(h > 0);
        sums_.push_back(sums_.back() + part_of_piece(logs_[i - 1], logs_[i], h, h));
    }
}

std::size_t Integral::piece(double b) const {
    const auto after = std::upper_bound(points_.begin() + 1, points_.end() - 1, b);
    return static_cast<std::size_t>(after - points_.begin()) - 1;
}

double Integral::up_to(double b) const {
    const std::size_t i = piece(b);
    if (b >= points_.back())
        return sums_.back();
    return sums_[i] + part_of_piece(logs_[i], logs_[i + 1], points_[i + 1] - points_[i], b - points_[i]);
}

double Integral::integrand(double b) const {
    const std::size_t i = piece(b);
    const double share = (b - points_[i]) / (points_[i + 1] - points_[i]);
    return std::exp(logs_[i] + share * (logs_[i + 1] - logs_[i]));
}

std::vector<double> log_interpolated(std::span<const double> points, std::span<const double> values,
                                     std::span<const double> at) {
    PEARLITE_EXPECTS(!points.empty() && points.size() == values.size());
    std::vector<double> found;
    for (const double b : at) {
        const auto after = std::upper_bound(points.begin(), points.end(), b);
        if (after == points.begin() || after == points.end()) {
            found.push_back(after == points.begin() ? values.front() : values.back());
            continue;
        }
        const auto i = static_cast<std::size_t>(after - points.begin()) - 1;
        const double share = (b - points[i]) / (points[i + 1] - points[i]);
        found.push_back(values[i] * std::pow(values[i + 1] / values[i], share));
    }
    return found;
}

} // namespace pearlite::path
