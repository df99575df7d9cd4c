#pragma once
/// Products of matrices of floats by Eigen, for each instruction set: what kernels are compared with.

#include <Eigen/Core>

namespace pearlite::benchmarks {

/// hidden = weights' visible, field = weights units.
template <class Instructions>
void multiply(const Eigen::MatrixXf& weights, const Eigen::MatrixXf& visible, const Eigen::MatrixXf& units,
              Eigen::MatrixXf& hidden, Eigen::MatrixXf& field);

} // namespace pearlite::benchmarks
