#pragma once
/// The restricted Boltzmann machine with its visible units summed out: the marginal model of Habeck 2017, section 6.3.
///
///   log f_b(h) = b [ d'h + sum_i log(1 + exp(a_i + W_i h)) ],  p_0 uniform on {0,1}^H
///
/// Z_1 is that of the full model.

#include "models/rbm/rbm.hpp"

namespace pearlite::models {

struct HiddenRbmSettings {
    /// The update of one move(): every hidden unit once in order, or `flips` units drawn at random with replacement.
    enum class Update { sweep, random_unit };
    Update update = Update::sweep;
    Index flips = 0; ///< of random units; 0: n_hidden
};

/// Hidden units of a group of chains.
class HiddenRbmBlock {
  public:
    HiddenRbmBlock(Index n_visible, Index n_hidden, Index size);

    Index size() const { return units_.size(); }
    Index padded_size() const { return units_.padded_size(); }
    std::size_t packed_bytes() const { return static_cast<std::size_t>((units_.n_hidden() + 7) / 8); }
    void pack(Index slot, std::span<std::byte> out) const { units_.pack_hidden(slot, out); }
    void unpack(Index slot, std::span<const std::byte> in) { units_.unpack_hidden(slot, in); }

    RbmBlock::FloatMatrix hidden_units() const { return units_.hidden_units(); }

  private:
    friend class HiddenRbm;

    RbmBlock units_;                     ///< its hidden units are the state
    rbm_kernels::Aligned<float> fields_; ///< a + W h: [tile][unit][lane]
    std::vector<double> u_;              ///< padded
};

/// Moved by Metropolis flips of single units; a flip changes the fields a_i + W_i h by a column of W. Random units are
/// the same for all chains of a block, which are independent given them. Fulfils AnnealedModel, HasReversedMove,
/// HasLinearPath, HasDataStart and HasStateSwap.
class HiddenRbm {
  public:
    using Block = HiddenRbmBlock;
    static constexpr Index default_block = 16;
    static constexpr Index largest_flips = Index{1} << 24;
    static constexpr bool path_is_linear = true;

    /// Throws as Rbm does; base_bias is not used.
    explicit HiddenRbm(RbmParameters parameters, const HiddenRbmSettings& settings = {},
                       simd::Path path = simd::chosen_path().path);

    Block make_block(Index size) const { return Block(rbm_.n_visible(), rbm_.n_hidden(), size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block& block) const;
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const;
    bool has_data() const { return rbm_.has_data(); }
    /// Draws h | v for an image v.
    void draw_data(Block& block, double b_end, const model::BlockStreams& streams) const;
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const;
    std::optional<double> log_normaliser_start() const;
    /// Known at b_end = 1, as for Rbm.
    std::optional<double> exact_log_ratio(double b_end) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    /// Sums of log(1 + exp(x_i + step w_i)) over the visible units, by lane, with w a column of W.
    void softplus_sums(const float* fields, Index column, const float* step,
                       double (&sums)[rbm_kernels::tile_chains]) const;
    void flip_along(Block& block, double b, const model::BlockStreams& streams,
                    std::span<const std::int32_t> units) const;

    Rbm rbm_;
    HiddenRbmSettings settings_;
    Eigen::MatrixXf columns_;      ///< W
    Eigen::VectorXf visible_bias_; ///< a
    std::vector<std::int32_t> order_, reversed_order_;
};

} // namespace pearlite::models
