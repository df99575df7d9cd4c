#include "models/state_space/lanes/gamma_roots.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/types.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <numbers>

namespace pearlite::models::detail {

namespace {

constexpr Index n_normals = GammaRoots::most_terms, n_shapes = 24;
constexpr double negligible = 2e-7;  ///< a remainder of the series
constexpr double largest_powers = 8; ///< limit of the coefficients' absolute sum; the rounding error is 6e-8 times that

using Series = Eigen::Array<double, n_normals, 1>;
using Table = Eigen::Array<double, n_normals, n_shapes>; ///< column j: of T_j of the place of 1/sqrt(a)

double root(double shape, double x) {
    const double tail = 0.5 * std::erfc(std::abs(x) / std::numbers::sqrt2);
    const double g = x < 0 ? boost::math::gamma_p_inv(shape, tail) : boost::math::gamma_q_inv(shape, tail);
    return std::sqrt(g / shape);
}

/// 1/sqrt(a) from 0 to sqrt 2 goes from -1 to 1.
double place_of(double shape) {
    return std::numbers::sqrt2 / std::sqrt(shape) - 1;
}
double shape_at(double place) {
    return 2 / ((place + 1) * (place + 1));
}

double angle(Index i, Index n) {
    return std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
}

/// Row k: from the values at the nodes cos(angle) those of T_k.
Matrix coefficients_from_values(Index n) {
    return Matrix::NullaryExpr(n, n, [n](Index k, Index i) {
        return (k == 0 ? 1.0 : 2.0) / static_cast<double>(n) * std::cos(static_cast<double>(k) * angle(i, n));
    });
}

Table make_table() {
    const Matrix values = Matrix::NullaryExpr(n_normals, n_shapes, [](Index i, Index j) {
        return root(shape_at(std::cos(angle(j, n_shapes))), GammaRoots::largest_normal * std::cos(angle(i, n_normals)));
    });
    return (coefficients_from_values(n_normals) * values * coefficients_from_values(n_shapes).transpose()).array();
}

} // namespace

GammaRoots::GammaRoots(double shape) {
    PEARLITE_EXPECTS(shape >= 0.5);
    static const Table table = make_table();
    const double place = place_of(shape);
    Series sum = Series::Zero(), before = Series::Zero(); // Clenshaw's recurrence
    for (Index j = n_shapes - 1; j > 0; --j) {
        const Series next = table.col(j) + 2 * place * sum - before;
        before = sum;
        sum = next;
    }
    const Series series = table.col(0) + place * sum - before;
    terms_ = most_terms;
    for (double rest = 0; terms_ > 2; --terms_) {
        rest += std::abs(series(static_cast<Index>(terms_ - 1)));
        if (rest > negligible)
            break;
    }
    for (std::size_t k = 0; k < terms_; ++k)
        coefficients_[k] = static_cast<float>(series(static_cast<Index>(k)));

    // T_{k+1} = 2 x T_k - T_{k-1}
    Series powers = Series::Zero(), chebyshev = Series::Zero(), previous = Series::Zero();
    chebyshev(0) = 1;
    for (std::size_t k = 0; k < terms_; ++k) {
        powers += series(static_cast<Index>(k)) * chebyshev;
        Series next = -previous;
        next.tail(n_normals - 1) += (k == 0 ? 1 : 2) * chebyshev.head(n_normals - 1);
        previous = chebyshev;
        chebyshev = next;
    }
    if (powers.abs().sum() > largest_powers)
        return;
    n_powers_ = terms_;
    for (std::size_t k = 0; k < terms_; ++k)
        powers_[k] = static_cast<float>(powers(static_cast<Index>(k)) / std::pow(largest_normal, k));
}

} // namespace pearlite::models::detail
