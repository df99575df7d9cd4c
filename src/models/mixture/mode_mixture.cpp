#include "models/mixture/mode_mixture.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::models {

ModeMixture::ModeMixture(const Matrix& means, double variance) : means_(means), variance_(variance) {
    if (means.rows() != 2 || means.cols() < 1 || !means.allFinite() || !(variance > 0) || !std::isfinite(variance))
        throw InputError("a mixture of modes needs finite means in the plane, at least one, and a variance above 0");
    log_factor_ = std::log(2 * std::numbers::pi * variance * static_cast<double>(means.cols()));
    for (Index k = 0; k < 2; ++k) {
        start_lower_[static_cast<std::size_t>(k)] = means.row(k).minCoeff();
        start_upper_[static_cast<std::size_t>(k)] = means.row(k).maxCoeff();
    }
}

double ModeMixture::energy(std::span<const double> x) const {
    double nearest = infinity;
    const auto square = [&](Index k) {
        const double a = x[0] - means_(0, k), b = x[1] - means_(1, k);
        return a * a + b * b;
    };
    for (Index k = 0; k < means_.cols(); ++k)
        nearest = std::min(nearest, square(k));
    constexpr double negligible = -40; // exp of it is below the rounding of the nearest mode's 1
    double sum = 0;
    for (Index k = 0; k < means_.cols(); ++k)
        if (const double exponent = (nearest - square(k)) / (2 * variance_); exponent > negligible)
            sum += std::exp(exponent);
    return nearest / (2 * variance_) - std::log(sum) + log_factor_;
}

void ModeMixture::energies(const model::LaneMatrix& points, std::span<double> out) const {
    PEARLITE_EXPECTS(points.rows() == 2 && points.cols() == static_cast<Index>(out.size()));
    for (Index i = 0; i < points.cols(); ++i) {
        const std::array<double, 2> x{points(0, i), points(1, i)};
        out[static_cast<std::size_t>(i)] = energy(x);
    }
}

void ModeMixture::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("mode-mixture");
    fingerprint.add(std::span<const double>(means_.data(), static_cast<std::size_t>(means_.size())));
    fingerprint.add(variance_);
}

namespace {

/// Shares a piece of a ray out to the regions of energy that it goes through. The energy goes from `begin` to `end` in
/// a straight line, the density of the mass falls as exp(-s), s from 0 to `length`.
void share_out(std::span<const double> points, double begin, double end, double length, double mass,
               std::vector<double>& masses) {
    const auto region = [&](double energy) {
        return static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), energy) - points.begin());
    };
    const std::size_t first = region(std::min(begin, end)), last = region(std::max(begin, end));
    if (first == last) {
        masses[first] += mass;
        return;
    }
    const auto mass_up_to = [&](double energy) {
        return mass * std::expm1(-length * (energy - begin) / (end - begin)) / std::expm1(-length);
    };
    for (std::size_t j = first; j <= last; ++j) {
        const double low = j == first ? std::min(begin, end) : points[j - 1];
        const double high = j == last ? std::max(begin, end) : points[j];
        masses[j] += std::abs(mass_up_to(high) - mass_up_to(low));
    }
}

} // namespace

/// exp(-U/T) = f exp(-U (1/T - 1)), and f is a mean of components. Along a ray from a component's mode, with s = r^2 /
/// (2 T variance), that component gives exp(-s - (U - T s)(1/T - 1)) ds, in which U - T s is constant where other
/// modes are far away.
std::vector<double> ModeMixture::log_region_masses(std::span<const double> points, double temperature) const {
    PEARLITE_EXPECTS(temperature > 0 && std::is_sorted(points.begin(), points.end()));
    constexpr int pieces = 2000;
    constexpr double step = 0.02, alone = 15; // exp(-alone) does not count
    std::vector<double> masses(points.size() + 1, 0.0);
    for (Index k = 0; k < means_.cols(); ++k) {
        double nearest = infinity;
        for (Index other = 0; other < means_.cols(); ++other)
            if (other != k)
                nearest = std::min(nearest, (means_.col(other) - means_.col(k)).squaredNorm());
        // All rays are the same up to half of the way to the nearest mode.
        const int angles = nearest / (8 * temperature * variance_) > alone ? 1 : 64;
        for (int a = 0; a < angles; ++a) {
            const double angle = 2 * std::numbers::pi * (a + 0.5) / angles;
            const auto energy_at = [&](double s) {
                const double r = std::sqrt(2 * temperature * variance_ * s);
                return energy(std::array{means_(0, k) + r * std::cos(angle), means_(1, k) + r * std::sin(angle)});
            };
            double before = energy_at(0);
            for (int i = 0; i < pieces; ++i) {
                const double after = energy_at((i + 1) * step);
                const double rest = 0.5 * (before + after) - temperature * (i + 0.5) * step - log_factor_;
                const double mass = std::exp(-i * step - rest * (1 / temperature - 1)) / angles;
                share_out(points, before, after, step, mass, masses);
                before = after;
            }
        }
    }
    double sum = 0;
    for (const double mass : masses)
        sum += mass;
    for (double& mass : masses)
        mass = std::log(mass / sum);
    return masses;
}

} // namespace pearlite::models
