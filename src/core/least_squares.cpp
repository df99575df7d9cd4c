// Beside linear_algebra.cpp, because each takes seconds to compile.
#include "core/linear_algebra.hpp"

#include <Eigen/QR>

namespace pearlite {

Vector least_squares(const Matrix& a, const Vector& b) {
    return a.completeOrthogonalDecomposition().solve(b);
}

} // namespace pearlite
