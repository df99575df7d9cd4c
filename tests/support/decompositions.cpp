#include "support/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace pearlite::decompositions {

Matrix inverse(const Matrix& square) {
    return square.inverse();
}

double determinant(const Matrix& square) {
    return square.determinant();
}

Matrix cholesky_factor(const Matrix& definite) {
    return definite.llt().matrixL();
}

Vector solution(const Matrix& symmetric, const Vector& b) {
    return symmetric.ldlt().solve(b);
}

Vector upper_solution(const Matrix& definite, const Vector& b) {
    return definite.llt().matrixU().solve(b);
}

Modes modes_of(const Matrix& symmetric) {
    const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

} // namespace pearlite::decompositions
