#pragma once
/// One direction between the layers of an RBM: integer weights times states, in panels of units.

#include "models/rbm/binary_units.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "simd/path.hpp"

#include <algorithm>
#include <span>

namespace pearlite::models {

const rbm_kernels::Kernels& kernels_of(simd::Path path);

/// Memory of the kernels, which grows to the largest layer and block served.
struct LayerWorkspace {
    rbm_kernels::Aligned<std::byte> states, scratch;
    rbm_kernels::Aligned<std::int32_t> sums;
    rbm_kernels::Aligned<float> fields; ///< of a panel of a tile
};

class Layer {
  public:
    /// weights: n_outputs x n_inputs.
    Layer(const rbm_kernels::IntegerWeights& weights, const rbm_kernels::Kernels& kernels);

    /// Weights that are all 0, until packed() and set_scale() make them others.
    Layer(Index n_outputs, Index n_inputs, const rbm_kernels::Kernels& kernels);

    Index n_outputs() const { return scale_.size(); }
    /// Digits of a weight.
    Index n_limbs() const { return n_limbs_; }
    /// The weight that one unit of the integers stands for, by output.
    const Eigen::VectorXf& scale() const { return scale_; }
    /// Sets the same unit for all outputs.
    void set_scale(float scale) { scale_.setConstant(scale); }
    /// As rbm_kernels::pack() writes them.
    std::int8_t* packed() { return packed_.data(); }

    /// Calls use(tile, first, n, sums) for all tiles of chains and panels of outputs first .. first + n - 1, with
    /// sums[unit][lane] of the integer weights of the inputs that are on.
    template <class Use>
    void by_panels(const BinaryUnits& inputs, LayerWorkspace& workspace, Use use) const {
        rbm_kernels::SumTask task = begin(inputs, workspace);
        for (Index first = 0; first < n_outputs(); first += rbm_kernels::panel_units) {
            const Index n = std::min(n_outputs() - first, rbm_kernels::panel_units);
            task.first_unit = first;
            task.n_units = padded(n);
            kernels_->sums(task);
            for (Index tile = 0; tile < task.n_tiles; ++tile)
                use(tile, first, n,
                    static_cast<const std::int32_t*>(task.sums) +
                        tile * rbm_kernels::panel_units * rbm_kernels::tile_chains);
        }
    }

  private:
    rbm_kernels::SumTask begin(const BinaryUnits& inputs, LayerWorkspace& workspace) const;

    const rbm_kernels::Kernels* kernels_;
    Index n_inputs_, n_limbs_;
    Eigen::VectorXf scale_;
    rbm_kernels::Aligned<std::int8_t> packed_;
};

/// sums[lane] = sum over the units of a tile that are on of values[unit][lane], or of values[unit] for all lanes.
void sum_on(const rbm_kernels::Kernels& kernels, const BinaryUnits& units, Index tile, const float* values,
            bool by_lane, double (&sums)[rbm_kernels::tile_chains]);

/// Where the chains of a tile find the random numbers of a use.
rbm_kernels::DrawStreams draw_streams(const model::BlockStreams& streams, random::Purpose purpose, Index tile);

/// Independent units of log odds x[unit], the same in all chains.
void draw_independent(const rbm_kernels::Kernels& kernels, std::span<const float> x, random::Purpose purpose,
                      const model::BlockStreams& streams, BinaryUnits& units);

/// -b log2(e): the factor that kernels multiply |x| with.
float exponent_scale(double b);

} // namespace pearlite::models
