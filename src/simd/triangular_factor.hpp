#pragma once
/// Products of a triangular factor with the points of a block. Kernels and reference distributions spend much of their
/// time on them in many dimensions.

#include "pearlite/core/types.hpp"

namespace pearlite::simd {

/// A lower triangular matrix L, d x d, in panels of eight rows. The numbers of a panel are stored in the order in which
/// products read them. Each element of a product is summed in the order of its terms, for all instruction sets and any
/// number of points.
class TriangularFactor {
  public:
    TriangularFactor() = default;
    /// Elements above the diagonal are not read.
    explicit TriangularFactor(const Matrix& lower);

    /// out = L x and out = L' x for the columns of x; `out` is not x.
    void multiply(const Matrix& x, Matrix& out) const;
    void multiply_transposed(const Matrix& x, Matrix& out) const;
    /// x -> L^-1 x and x -> L'^-1 x: by substitution, with the inverses of the blocks on the diagonal.
    void solve(Eigen::Ref<Matrix> x) const;
    void solve_transposed(Eigen::Ref<Matrix> x) const;

  private:
    Index dimension_ = 0;
    Matrix rows_, columns_;                 ///< the panels of L and of L': eight rows each
    Matrix row_inverses_, column_inverses_; ///< minus the inverses of their blocks on the diagonal: eight rows each
};

/// The layout that products read: where the panel of rows 8 p .. 8 p + 7 begins, in columns of eight numbers. A panel
/// of L has columns 0 .. 8 p + 7, a panel of L' has columns 8 p .. d - 1. Rows and columns from d on are zeros, or are
/// absent.
namespace triangular_panels {

inline constexpr Index n_rows = 8;

constexpr Index n_panels(Index d) {
    return (d + n_rows - 1) / n_rows;
}
constexpr Index lower_begin(Index panel) {
    return n_rows * (panel * (panel + 1) / 2);
}
constexpr Index upper_begin(Index d, Index panel) {
    return panel * d - n_rows * (panel * (panel - 1) / 2);
}

/// Points x and y in columns of d numbers, `stride` apart.
struct Points {
    const double* x;
    double* y;
    Index d, n, stride;
};

// Kernels: see simd/instructions.hpp. y = L x, y = L' x; y = L^-1 x, y = L'^-1 x, where x and y may be the same.
template <class Instructions>
void multiply_lower(const double* panels, const Points& points);
template <class Instructions>
void multiply_upper(const double* panels, const Points& points);
template <class Instructions>
void solve_lower(const double* panels, const double* inverses, const Points& points);
template <class Instructions>
void solve_upper(const double* panels, const double* inverses, const Points& points);

} // namespace triangular_panels

} // namespace pearlite::simd
