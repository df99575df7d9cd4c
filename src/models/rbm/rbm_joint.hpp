#pragma once
/// The restricted Boltzmann machine with its hidden units kept: the full model of Habeck 2017, section 6.3.
///
///   log f_b(v, h) = (1-b) a0'v + b (a'v + d'h + v'W h)      (a0 = 0: E_b = b E, as in the paper)
///
/// Summed over h it is the path of models::Rbm: the same Z at every b. Only the work differs.

#include "models/rbm/rbm.hpp"

namespace pearlite::models {

/// Both layers of a group of chains.
class JointRbmBlock {
  public:
    JointRbmBlock(Index n_visible, Index n_hidden, Index size) : units_(n_visible, n_hidden, size) {}

    Index size() const { return units_.size(); }
    Index padded_size() const { return units_.padded_size(); }
    /// The visible units as RbmBlock packs them, then the hidden ones likewise.
    std::size_t packed_bytes() const;
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);

    /// 0 or 1, a chain per column, padding rows are zero.
    RbmBlock::FloatMatrix visible_units() const { return units_.visible_units(); }
    RbmBlock::FloatMatrix hidden_units() const { return units_.hidden_units(); }

  private:
    friend class JointRbm;
    RbmBlock units_;
};

/// Fulfils AnnealedModel, HasReversedMove, HasLinearPath, HasDataStart and HasStateSwap. A move draws h | v, then v |
/// h; reversed, v | h, then h | v. Two products with W either way.
class JointRbm {
  public:
    using Block = JointRbmBlock;
    static constexpr Index default_block = Rbm::default_block;
    static constexpr bool path_is_linear = true;

    /// Throws as Rbm does.
    explicit JointRbm(RbmParameters parameters, simd::Path path = simd::chosen_path().path)
        : rbm_(std::move(parameters), path) {}

    const Rbm& marginal() const { return rbm_; }

    Block make_block(Index size) const { return Block(rbm_.n_visible(), rbm_.n_hidden(), size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block& block) const { rbm_.prepare(block.units_); }
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const;
    bool has_data() const { return rbm_.has_data(); }
    /// Draws an image, and h | v at b_end.
    void draw_data(Block& block, double b_end, const model::BlockStreams& streams) const;
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const;
    std::optional<double> log_normaliser_start() const { return rbm_.log_normaliser_start(); }
    std::optional<double> exact_log_ratio(double b_end) const { return rbm_.exact_log_ratio(b_end); }
    void fingerprint(model::Fingerprint& fingerprint) const;

    Matrix images(const Block& block, double b) const { return rbm_.images(block.units_, b); }
    Index image_rows() const { return rbm_.image_rows(); }
    Index image_columns() const { return rbm_.image_columns(); }

  private:
    Rbm rbm_;
};

} // namespace pearlite::models
