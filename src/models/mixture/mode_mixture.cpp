#include "models/mixture/mode_mixture.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

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

} // namespace pearlite::models
