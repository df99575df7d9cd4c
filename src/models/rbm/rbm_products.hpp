#pragma once
/// The product of an RBM update: fixed weights times the 0/1 units of a block of chains. The weights are laid out once
/// for it, and every number is one chain of fused additions in the order of the units, whatever the size of the block.
/// (A general product packs the weights anew at each call: it took 1.5 times as long.)

#include "pearlite/core/types.hpp"

namespace pearlite::models::detail {

/// The matrix in panels of rows, depth by depth, for add_product; rows a multiple of block_padding.
Eigen::VectorXf pack_panels(const Eigen::MatrixXf& matrix);

/// out(:, chain) = start + matrix units(0 .. depth-1, chain) for every column; `depth` is the number of columns of the
/// packed matrix, further rows of `units` are ignored. out has the rows of start, and both columns are multiples of
/// block_padding.
void add_product(const Eigen::VectorXf& start, const Eigen::VectorXf& panels, Index depth, const Eigen::MatrixXf& units,
                 Eigen::MatrixXf& out);

} // namespace pearlite::models::detail
