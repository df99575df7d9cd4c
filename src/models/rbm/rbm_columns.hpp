#pragma once
/// The work of an RBM update on the units of one chain besides the products with W. Columns start on 64-byte
/// boundaries and `rows` is a multiple of block_padding; c is the vector of pre-activations, zero in padding rows,
/// which then contribute exactly nothing to the sums.

#include "pearlite/core/types.hpp"

namespace pearlite::models::detail {

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
