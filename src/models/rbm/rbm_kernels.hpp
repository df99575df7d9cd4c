#pragma once
/// The loops over units and chains: columns of units, and products of weights with states. Internal to the folder.

#include "pearlite/core/types.hpp"

namespace pearlite::models::detail {

/// The matrix in panels of rows, depth by depth, for add_product; rows a multiple of block_padding.
Eigen::VectorXf pack_panels(const Eigen::MatrixXf& matrix);

/// out(:, chain) = start + matrix units(0 .. depth-1, chain) for every column; `depth` is the number of columns of the
/// packed matrix, further rows of `units` are ignored. out has the rows of start, and both columns are multiples of
/// block_padding.
void add_product(const Eigen::VectorXf& start, const Eigen::VectorXf& panels, Index depth, const Eigen::MatrixXf& units,
                 Eigen::MatrixXf& out);

/// sum_j log(1 + exp(to c_j)) - log(1 + exp(from c_j)).
double softplus_difference(const float* c, Index rows, double from, double to);
/// The same, and probability[j] = sigma(to c_j), both with the bits that the separate functions give.
double softplus_difference(const float* c, Index rows, double from, double to, float* probability);
/// sum_j log(1 + exp(c_j)) over the rows, of which `padding` are padding and count nothing.
double softplus_sum(const float* c, Index rows, Index padding);
/// probability[j] = sigma(b c_j).
void hidden_probabilities(const float* c, Index rows, double b, float* probability);
/// sum_j sigma(b c_j) c_j.
double softplus_derivative(const float* c, Index rows, double b);
/// probability[i] = sigma(bias_i + b field_i).
void visible_probabilities(const float* field, const float* bias, Index rows, double b, float* probability);

} // namespace pearlite::models::detail
