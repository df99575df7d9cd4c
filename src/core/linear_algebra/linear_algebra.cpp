#include "core/linear_algebra/linear_algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace pearlite {

void cut_products_alike() {
    constexpr std::ptrdiff_t kibibyte = 1024;
    Eigen::setCpuCacheSizes(32 * kibibyte, 512 * kibibyte, 4096 * kibibyte);
}

Vector symmetric_eigenvalues(const Matrix& symmetric) {
    return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

Matrix symmetric_eigenvectors(const Matrix& symmetric) {
    return Eigen::SelfAdjointEigenSolver<Matrix>(symmetric).eigenvectors();
}

std::optional<Matrix> cholesky_factor(const Matrix& symmetric) {
    const Eigen::LLT<Matrix> factor(symmetric);
    if (factor.info() != Eigen::Success)
        return std::nullopt;
    return factor.matrixL();
}

Vector cholesky_solution(const Matrix& lower, const Vector& b) {
    Vector x = lower.triangularView<Eigen::Lower>().solve(b);
    lower.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
    return x;
}

Matrix inverse(const Matrix& square) {
    return Eigen::PartialPivLU<Matrix>(square).inverse();
}

Vector least_squares(const Matrix& a, const Vector& b) {
    return a.completeOrthogonalDecomposition().solve(b);
}

} // namespace pearlite
