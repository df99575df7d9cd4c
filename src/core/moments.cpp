#include "core/moments.hpp"

#include "pearlite/core/detail/contract.hpp"

namespace pearlite {

Moments weighted_moments(const Matrix& points, std::span<const double> weights) {
    PEARLITE_EXPECTS(points.cols() == static_cast<Index>(weights.size()));
    const Vector w = Eigen::Map<const Vector>(weights.data(), points.cols()); // sums of a map depend on its alignment
    Vector mean = points * w / w.sum();
    const Matrix centred = points.colwise() - mean;
    Matrix covariance = centred * w.asDiagonal() * centred.transpose() / w.sum();
    return {std::move(mean), std::move(covariance)};
}

Matrix product(double factor, const Matrix& a, const Matrix& b) {
    return factor * (a * b);
}

Matrix row_products(const Matrix& a) {
    return a * a.transpose();
}

Matrix column_products(const Matrix& a) {
    return a.transpose() * a;
}

// It is a reference. NOLINTNEXTLINE(performance-unnecessary-value-param)
void solve_lower(const Matrix& lower, Eigen::Ref<Matrix> x) {
    lower.triangularView<Eigen::Lower>().solveInPlace(x);
}

} // namespace pearlite
