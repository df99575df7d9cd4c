#pragma once
/// The RBM annealed through other RBMs: the spline of moment averaging (Grosse, Maddison & Salakhutdinov 2013,
/// section 3). Between neighbouring knots j and j + 1 the path is a geometric mean of both machines,
///
///   log f_b(v) = a_t'v + sum_k log(1 + exp(c_tk)),  c_t = (1-t) c_j + t c_{j+1},  c_j = d_j + W_j'v,
///
/// a_t likewise, t = (b - b_j)/(b_{j+1} - b_j). The first knot has independent units of log odds a0, the last one is
/// the machine itself. An update costs four products with weights where the path of models::Rbm needs two.

#include "models/rbm/rbm.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::models {

/// Visible states of a group of chains with their pre-activations at both ends of a segment of the path.
class RbmSplineBlock {
  public:
    RbmSplineBlock(Index n_visible, Index n_hidden, Index size);

    Index size() const { return visible_.n_chains(); }
    Index padded_size() const { return padded(size()); }
    std::size_t packed_bytes() const { return visible_.packed_bytes(); }
    void pack(Index slot, std::span<std::byte> out) const { visible_.pack(slot, out); }
    void unpack(Index slot, std::span<const std::byte> in) { visible_.unpack(slot, in); }

    RbmBlock::FloatMatrix visible_units() const { return visible_.matrix(); }

  private:
    friend class RbmSpline;

    /// Quantities at a knot, for the present v.
    struct AtKnot {
        rbm_kernels::Aligned<float> c; ///< [tile][unit][lane]
        std::vector<double> linear;    ///< a'v; padded
    };

    BinaryUnits visible_, hidden_; ///< h of the last update
    AtKnot low_, high_;
    Index segment_ = 0;               ///< that low_ and high_ are the ends of
    std::vector<double> log_density_; ///< log f_b where log_density_at_ is a number; padded
    double log_density_at_;
    rbm_kernels::Aligned<float> fields_;                     ///< of the visible units at the lower knot
    rbm_kernels::Aligned<rbm_kernels::DrawStreams> streams_; ///< of the draw under way, by tile
    LayerWorkspace work_;
};

/// Fulfils AnnealedModel, HasMove, HasFusedAnneal and HasDataStart. At a knot the segment below it counts.
class RbmSpline {
  public:
    using Block = RbmSplineBlock;
    static constexpr bool move_is_reversible = true;
    static constexpr Index default_block = Rbm::default_block;

    /// A knot between the ends.
    struct Machine {
        Matrix weights;
        Vector visible_bias, hidden_bias;
    };
    /// `at`: of all knots, both ends among them; ascends from 0 to 1.
    RbmSpline(std::shared_ptr<const Rbm> end, std::vector<Machine> knots, std::vector<double> at,
              simd::Path path = simd::chosen_path().path);

    Index n_visible() const { return end_->n_visible(); }
    Index n_hidden() const { return end_->n_hidden(); }
    /// The machine at b.
    RbmParameters machine(double b) const;

    Block make_block(Index size) const { return Block(n_visible(), n_hidden(), size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block& block) const { activate(block, block.segment_); }
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    std::optional<double> log_normaliser_start() const { return end_->log_normaliser_start(); }
    std::optional<double> exact_log_ratio(double b_end) const;
    void fingerprint(model::Fingerprint& fingerprint) const;
    bool has_data() const { return end_->has_data(); }
    void draw_data(Block& block, double b_end, const model::BlockStreams& streams) const;
    bool has_test_data() const { return end_->has_test_data(); }
    model::TestData test_data() const { return end_->test_data(); }

    /// Block Gibbs at b: h | v, then v | h; reversible in v.
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                std::span<double> derivative) const;

    Matrix images(const Block& block, double b) const;
    Index image_rows() const { return end_->image_rows(); }
    Index image_columns() const { return end_->image_columns(); }

  private:
    struct Knot {
        Layer to_hidden, to_visible;
        Eigen::VectorXf visible_bias, hidden_bias;
    };
    struct Place {
        Index segment = 0;
        float part = 0; ///< t
    };
    Place place(double b) const;
    /// Updates the quantities derived from v, at the ends of a segment.
    void activate(Block& block, Index segment) const;
    void activate(Block& block, const Knot& knot, Block::AtKnot& out) const;
    /// The block, or a copy of it in `other`, with the quantities derived from v in that segment.
    const Block& in_segment(Index segment, const Block& block, std::optional<Block>& other) const;
    /// out[lane] = log f_b, by use(first, n, x) of the pre-activations of each panel in passing.
    template <class Use>
    void log_density(const Block& block, Index tile, float part, double (&out)[rbm_kernels::tile_chains],
                     Use use) const;
    void add_slopes(const Block& block, Index tile, Place where, std::span<double> out) const;
    void address_draws(Block& block, const model::BlockStreams& streams, random::Purpose purpose) const;
    void draw_panel(const float* x, Index first, Index n, rbm_kernels::DrawStreams& streams, BinaryUnits& units,
                    Index tile) const;
    void draw_visible(Block& block, Place where, const model::BlockStreams& streams) const;

    std::shared_ptr<const Rbm> end_;
    std::vector<Machine> machines_; ///< of the knots between the ends
    std::vector<double> at_;
    const rbm_kernels::Kernels* kernels_;
    std::vector<Knot> knots_; ///< with both ends
};

} // namespace pearlite::models
