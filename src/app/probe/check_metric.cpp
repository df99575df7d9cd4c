#include "app/probe/check_derivatives.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace pearlite::app {

namespace {

class MetricCheck {
  public:
    MetricCheck(const path::DensityPath& path, const model::DensityMetric& metric) : path_(path), metric_(metric) {}

    std::string result() const {
        constexpr std::array temperatures{1.0, 0.37, 1.0, 0.37};
        double largest = 0;
        for (std::size_t i = 0; i < temperatures.size(); ++i) {
            random::Stream stream({1, random::Purpose::start, i, 0});
            Vector x(path_.dimension());
            path_.draw_prior(stream, {x.data(), static_cast<std::size_t>(x.size())});
            largest = std::max(largest, compare_at(x, temperatures[i]));
        }
        return fmt::format("the metric's derivatives agree with finite differences at {} points drawn from the prior; "
                           "largest relative difference {:.1e}",
                           temperatures.size(), largest);
    }

  private:
    Matrix metric_at(const Vector& x, double b) const {
        Matrix g(x.size(), x.size());
        metric_.metric({x.data(), static_cast<std::size_t>(x.size())}, b, g);
        return g;
    }

    double compare_at(const Vector& x, double b) const {
        const Matrix g = metric_at(x, b);
        if (!g.allFinite() || (g.diagonal().array() <= 0).any() || !cholesky_factor(g))
            refuse(x, b, "it is not positive definite");
        const Vector sd = g.diagonal().cwiseSqrt().cwiseInverse();
        const auto in_units = [&](const Matrix& a) { return Matrix(sd.asDiagonal() * a * sd.asDiagonal()); };
        if (in_units(g - g.transpose()).cwiseAbs().maxCoeff() > 1e-8)
            refuse(x, b, "it is not symmetric");
        double largest = 0;
        // Nine metrics of some d^3 operations for each coordinate.
        const Index d = x.size(), n = std::min(d, std::clamp<Index>(6400 / d, 4, 64));
        for (Index j = 0; j < n; ++j) {
            const Index k = j * d / n;
            Matrix own(d, d);
            metric_.derivative({x.data(), static_cast<std::size_t>(d)}, b, k, own);
            own = in_units(own) * sd(k);
            const Matrix coarse = in_units(difference(x, b, k, 1e-2 * sd(k))) * sd(k);
            const Matrix fine = in_units(difference(x, b, k, 2e-3 * sd(k))) * sd(k);
            const double scale = std::max(1.0, fine.cwiseAbs().maxCoeff());
            const double off = (own - fine).cwiseAbs().maxCoeff(), error = (fine - coarse).cwiseAbs().maxCoeff();
            if (!own.allFinite() || (off > 1e-4 * scale && off > 10 * error))
                refuse(x, b,
                       fmt::format("its derivative by {} is off by {:.2g} of what finite differences give",
                                   path_.coordinate_names()[static_cast<std::size_t>(k)], off / scale));
            if (std::isfinite(error)) // or nothing can be said
                largest = std::max(largest, off / scale);
        }
        return largest;
    }

    /// dG/dx_k by central differences of fourth order.
    Matrix difference(const Vector& x, double b, Index k, double step) const {
        const auto at = [&](double shift) { return metric_at(x + shift * step * Vector::Unit(x.size(), k), b); };
        return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
    }

    [[noreturn]] void refuse(const Vector& x, double b, const std::string& what) const {
        std::string place;
        constexpr Index most = 8;
        for (Index k = 0; k < std::min(x.size(), most); ++k)
            place += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ",
                                 path_.coordinate_names()[static_cast<std::size_t>(k)], x(k));
        throw InputError(fmt::format("the model's metric is wrong at {}{}, b = {}: {}", place,
                                     x.size() > most ? ", ..." : "", b, what));
    }

    const path::DensityPath& path_;
    const model::DensityMetric& metric_;
};

} // namespace

std::string check_metric(const model::Target& target) {
    const auto* path = target.offers<path::DensityPath>();
    const auto* metric = target.offers<model::DensityMetric>();
    if (path == nullptr || metric == nullptr)
        return {};
    return MetricCheck(*path, *metric).result();
}

} // namespace pearlite::app
