#include "path/optimal/profile.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pearlite::path {

namespace {

bool is_good(double value) {
    return std::isfinite(value) && value > 0;
}

constexpr double window = 5; // standard deviations, beyond which a Gaussian weight is nothing

/// The first and the last but one place within the window around places[i].
struct Range {
    std::size_t first, end;
};
Range within_window(std::span<const double> places, std::size_t i, double width) {
    Range range{i, i + 1};
    while (range.first > 0 && places[i] - places[range.first - 1] < window * width)
        --range.first;
    while (range.end < places.size() && places[range.end] - places[i] < window * width)
        ++range.end;
    return range;
}

double gaussian(double distance, double width) {
    return std::exp(-0.5 * (distance / width) * (distance / width));
}

} // namespace

std::vector<double> PathProfile::speed_limit(bool with_tau) const {
    std::vector<double> limit;
    for (std::size_t i = 0; i < variance_u.size(); ++i)
        limit.push_back(std::sqrt(variance_u[i] * (with_tau ? tau[i] : 1.0)));
    return limit;
}

Index repair(std::vector<double>& values) {
    const auto n = std::ssize(values);
    std::vector<Index> nearest(values.size(), -1);
    for (Index i = 0, last = -1; i < n; ++i) {
        if (is_good(values[static_cast<std::size_t>(i)]))
            last = i;
        nearest[static_cast<std::size_t>(i)] = last;
    }
    for (Index i = n - 1, next = -1; i >= 0; --i) {
        auto& found = nearest[static_cast<std::size_t>(i)];
        if (is_good(values[static_cast<std::size_t>(i)]))
            next = i;
        if (next >= 0 && (found < 0 || next - i < i - found))
            found = next;
    }
    Index not_finite = 0;
    std::vector<double> repaired(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (nearest[i] < 0)
            throw NumericalError("u = d log f_b/db has no variance that is finite and above 0 anywhere along the path");
        not_finite += std::isfinite(values[i]) ? 0 : 1;
        repaired[i] = values[static_cast<std::size_t>(nearest[i])];
    }
    values = std::move(repaired);
    return not_finite;
}

std::vector<double> smoothed_in_length(std::span<const double> inverse_temperature, std::span<const double> values,
                                       double width) {
    std::vector<double> root, logs;
    for (const double value : values) {
        root.push_back(std::sqrt(value));
        logs.push_back(std::log(value));
    }
    const Integral length(inverse_temperature, root);
    std::vector<double> places;
    for (const double b : inverse_temperature)
        places.push_back(length.up_to(b) / length.total());
    std::vector<double> smooth;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto range = within_window(places, i, width);
        double w = 0, x = 0, y = 0, xx = 0, xy = 0;
        for (std::size_t j = range.first; j < range.end; ++j) {
            const double distance = places[j] - places[i], weight = gaussian(distance, width);
            w += weight;
            x += weight * distance;
            y += weight * logs[j];
            xx += weight * distance * distance;
            xy += weight * distance * logs[j];
        }
        const double spread = w * xx - x * x;
        const bool has_slope = spread > 1e-12 * w * w * width * width;
        smooth.push_back(std::exp(has_slope ? (xx * y - x * xy) / spread : y / w));
    }
    return smooth;
}

std::vector<double> smoothed_in_temperature(std::span<const double> inverse_temperature, std::span<const double> values,
                                            double width) {
    const double sd = width * inverse_temperature.back();
    std::vector<double> smooth;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto range = within_window(inverse_temperature, i, sd);
        double w = 0, sum = 0;
        for (std::size_t j = range.first; j < range.end; ++j) {
            const double weight = gaussian(inverse_temperature[j] - inverse_temperature[i], sd);
            w += weight;
            sum += weight * values[j];
        }
        smooth.push_back(sum / w);
    }
    return smooth;
}

std::vector<double> friction_of_growth(std::span<const double> inverse_temperature, std::span<const double> variance,
                                       std::span<const double> variance_u) {
    const auto n = std::ssize(inverse_temperature);
    const auto at = [](std::span<const double> values, Index k) { return values[static_cast<std::size_t>(k)]; };
    const Index half_window = std::max<Index>(2, n / 40);
    std::vector<double> friction;
    for (Index k = 0; k < n; ++k) {
        const Index first = std::max<Index>(0, k - half_window), last = std::min(n - 1, k + half_window);
        const double centre = 0.5 * static_cast<double>(first + last);
        double xx = 0, xy = 0;
        for (Index j = first; j <= last; ++j) {
            const double x = static_cast<double>(j) - centre;
            xx += x * x;
            xy += x * at(variance, j);
        }
        const double step =
            (at(inverse_temperature, last) - at(inverse_temperature, first)) / static_cast<double>(last - first);
        friction.push_back(std::max(xy / xx / (step * step), at(variance_u, k)));
    }
    return friction;
}

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
