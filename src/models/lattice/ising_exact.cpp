/// Kaufman's formula, with m = rows, n = columns, K = beta_j:
///
///     Z = 1/2 (2 sinh 2K)^(mn/2) (Z1 + Z2 + Z3 + Z4)
///     Z1, Z2 = prod_r 2 cosh, 2 sinh (m gamma_{2r+1} / 2)          Z3, Z4 = the same over gamma_{2r},   r = 0 .. n-1
///     cosh gamma_l = cosh 2K coth 2K - cos(pi l / n),    gamma_0 = 2K + log tanh K, negative above the critical
///     temperature
///
/// Written so, sinh 2K vanishes and gamma diverges as K -> 0, and both overflow for large K. Only products are needed,
///
///     (2 sinh 2K)^(1/2) e^(gamma/2) = e^(a/2),   e^a = w + sqrt((w - S)(w + S)),   S = 2 sinh 2K,  w = S cosh gamma,
///
/// and 2 cosh, 2 sinh (m gamma / 2) = e^(m gamma / 2) (1 +- e^(-m gamma)). With s = sinh 2K,
///
///     w - S = 2 [(1 - s)^2 + s (1 - cos)],     w + S = 2 [1 + s^2 + s (1 - cos)]
///
/// are sums of non-negative terms; everything is scaled by e^(-4K), so that it stays finite.

#include "models/lattice/ising.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::models {
namespace {

/// One of the two sets of angles: log of prod (2 sinh 2K)^(m/2) e^(m gamma/2), and of the factors that make it cosh or
/// sinh.
struct Products {
    double log_common = 0;
    double log_cosh = 0;
    double log_sinh = 0;
};

/// `parity` 1 for the odd angles pi (2r+1) / n, 0 for the even ones. The sign of gamma_0 is left to the caller.
Products products(Index rows, Index columns, double k, int parity) {
    const double m = static_cast<double>(rows);
    const double one = std::exp(-2 * k); // 1, s, S, w scaled by e^(-2K) or, where they are products, by e^(-4K)
    const double s = -0.5 * std::expm1(-4 * k);
    const double scaled_s = 2 * one * s;
    Products result;
    for (Index r = 0; r < columns; ++r) {
        const double half_angle =
            std::numbers::pi * static_cast<double>(2 * r + parity) / static_cast<double>(2 * columns);
        const double one_minus_cos = 2 * std::pow(std::sin(half_angle), 2);
        const double below = 2 * ((one - s) * (one - s) + one * s * one_minus_cos);
        const double above = 2 * (one * one + s * s + one * s * one_minus_cos);
        const double w = 0.5 * (below + above);
        const double gamma =
            2 * std::asinh(std::sqrt(below / (2 * scaled_s))); // infinite at K = 0 and for very large K
        const double decay = std::exp(-m * gamma);
        result.log_common += 0.5 * m * (4 * k + std::log(w + std::sqrt(below * above)));
        result.log_cosh += std::log1p(decay);
        result.log_sinh += std::log(-std::expm1(-m * gamma));
    }
    return result;
}

} // namespace

double ising_log_partition(Index rows, Index columns, double beta_j) {
    PEARLITE_EXPECTS(rows >= 2 && columns >= 2);
    PEARLITE_EXPECTS(beta_j >= 0 && std::isfinite(beta_j));
    const Products odd = products(rows, columns, beta_j, 1);
    const Products even = products(rows, columns, beta_j, 0);
    const double gamma_0_sign = std::sinh(2 * beta_j) < 1 ? -1 : 1;

    const std::array<double, 4> logs{odd.log_common + odd.log_cosh, odd.log_common + odd.log_sinh,
                                     even.log_common + even.log_cosh, even.log_common + even.log_sinh};
    const std::array<double, 4> signs{1, 1, 1, gamma_0_sign};
    const double largest = std::max(logs[0], logs[2]);
    double sum = 0;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        sum += signs[i] * std::exp(logs[i] - largest);
    }
    return largest + std::log(0.5 * sum);
}

} // namespace pearlite::models
