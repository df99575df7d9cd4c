#include "float_products.hpp"
#include "simd/instructions.hpp"

namespace pearlite::benchmarks {

template <class>
void multiply(const Eigen::MatrixXf& weights, const Eigen::MatrixXf& visible, const Eigen::MatrixXf& units,
              Eigen::MatrixXf& hidden, Eigen::MatrixXf& field) {
    hidden.noalias() = weights.transpose() * visible;
    field.noalias() = weights * units;
}

template void multiply<simd::Compiled>(const Eigen::MatrixXf& weights, const Eigen::MatrixXf& visible,
                                       const Eigen::MatrixXf& units, Eigen::MatrixXf& hidden, Eigen::MatrixXf& field);

} // namespace pearlite::benchmarks
