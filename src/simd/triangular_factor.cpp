#include "simd/triangular_factor.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "simd/instructions.hpp"

#include <algorithm>

namespace pearlite::simd {

using namespace triangular_panels;

namespace {

/// Minus the inverse of the lower triangular block at (first, first), n x n, in the upper left of 8 x 8 zeros.
Matrix negative_inverse(const Matrix& lower, Index first, Index n) {
    Matrix inverse = Matrix::Zero(n_rows, n_rows);
    for (Index column = 0; column < n; ++column)
        for (Index row = column; row < n; ++row) {
            double sum = row == column ? 1 : 0;
            for (Index k = column; k < row; ++k)
                sum -= lower(first + row, first + k) * inverse(k, column);
            inverse(row, column) = sum / lower(first + row, first + row);
        }
    return -inverse;
}

Points points_of(const Matrix& x, Matrix& y) {
    y.resize(x.rows(), x.cols());
    return {x.data(), y.data(), x.rows(), x.cols(), x.rows()};
}

// It is a reference. NOLINTNEXTLINE(performance-unnecessary-value-param)
Points points_of(Eigen::Ref<Matrix> x) {
    return {x.data(), x.data(), x.rows(), x.cols(), x.outerStride()};
}

} // namespace

TriangularFactor::TriangularFactor(const Matrix& lower) : dimension_(lower.rows()) {
    PEARLITE_EXPECTS(lower.cols() == lower.rows());
    const Index d = dimension_, panels = n_panels(d);
    rows_ = Matrix::Zero(n_rows, lower_begin(panels));
    columns_ = Matrix::Zero(n_rows, upper_begin(d, panels - 1) + d - n_rows * (panels - 1));
    row_inverses_ = column_inverses_ = Matrix::Zero(n_rows, n_rows * panels);
    for (Index panel = 0; panel < panels; ++panel) {
        const Index first = n_rows * panel, n = std::min(n_rows, d - first);
        for (Index row = first; row < first + n; ++row) {
            for (Index k = 0; k <= row; ++k)
                rows_(row - first, lower_begin(panel) + k) = lower(row, k);
            for (Index k = row; k < d; ++k)
                columns_(row - first, upper_begin(d, panel) + k - first) = lower(k, row);
        }
        const Matrix inverse = negative_inverse(lower, first, n);
        row_inverses_.middleCols(first, n_rows) = inverse;
        column_inverses_.middleCols(first, n_rows) = inverse.transpose();
    }
}

void TriangularFactor::multiply(const Matrix& x, Matrix& out) const {
    PEARLITE_EXPECTS(x.rows() == dimension_ && &out != &x);
    on_this_cpu([&](auto cpu) { multiply_lower<decltype(cpu)>(rows_.data(), points_of(x, out)); });
}

void TriangularFactor::multiply_transposed(const Matrix& x, Matrix& out) const {
    PEARLITE_EXPECTS(x.rows() == dimension_ && &out != &x);
    on_this_cpu([&](auto cpu) { multiply_upper<decltype(cpu)>(columns_.data(), points_of(x, out)); });
}

// It is a reference. NOLINTNEXTLINE(performance-unnecessary-value-param)
void TriangularFactor::solve(Eigen::Ref<Matrix> x) const {
    PEARLITE_EXPECTS(x.rows() == dimension_);
    on_this_cpu([&](auto cpu) { solve_lower<decltype(cpu)>(rows_.data(), row_inverses_.data(), points_of(x)); });
}

// It is a reference. NOLINTNEXTLINE(performance-unnecessary-value-param)
void TriangularFactor::solve_transposed(Eigen::Ref<Matrix> x) const {
    PEARLITE_EXPECTS(x.rows() == dimension_);
    on_this_cpu([&](auto cpu) { solve_upper<decltype(cpu)>(columns_.data(), column_inverses_.data(), points_of(x)); });
}

} // namespace pearlite::simd
