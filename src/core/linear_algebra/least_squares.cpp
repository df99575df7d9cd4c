#include "core/linear_algebra/linear_algebra.hpp"

#include <Eigen/QR>

namespace pearlite {

Vector least_squares(const Matrix& a, const Vector& b) {
    return a.completeOrthogonalDecomposition().solve(b);
}

} // namespace pearlite
