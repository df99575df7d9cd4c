#pragma once
/// The Bernoulli restricted Boltzmann machine, annealed from independent units (Salakhutdinov & Murray 2008).
///
///   f(v, h) = exp(v'W h + a'v + d'h),  v in {0,1}^N,  h in {0,1}^H,  c_j = d_j + W_j'v
///   log f_b(v) = (1-b) a0'v + b a'v + sum_j log(1 + exp(b c_j)),  0 <= b <= 1
///
/// The hidden units are summed out, so a particle is v alone. p_0 has independent units of log odds a0 (the base rate).

#include "pearlite/core/types.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pearlite::models {

/// The definition of an RBM: W, a, d and a0 of the legend above. All numbers are finite.
struct RbmParameters {
    Matrix weights;      ///< n_visible x n_hidden
    Vector visible_bias; ///< n_visible
    Vector hidden_bias;  ///< n_hidden
    Vector base_bias;    ///< n_visible: log odds of the units under p_0
    /// Observed data, n_visible x any number, grey levels 0 .. 255: possible starts of trajectories that run backwards.
    Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> images = {};
};

/// Log odds of units that were on n_on[i] times in n examples: logit((n_on + 1)/(n + 2)), which is never infinite.
Vector base_rate_bias(const Vector& n_on, Index n);

/// Weights N(0, weight_sd^2), biases N(0, bias_sd^2), base_bias equal to visible_bias; a function of the seed alone.
RbmParameters random_rbm(Index n_visible, Index n_hidden, double weight_sd, double bias_sd, std::uint64_t seed);

/// Visible states of a group of chains, a chain per column, with the data that their next update needs.
class RbmBlock {
  public:
    /// Floats on 64-byte boundaries: rows and columns are padded to multiples of block_padding.
    using FloatMatrix = Eigen::MatrixXf;

    RbmBlock(Index n_visible, Index n_hidden, Index size);

    Index n_visible() const { return n_visible_; }
    Index n_hidden() const { return n_hidden_; }
    Index size() const { return size_; }
    Index padded_size() const { return visible_.cols(); }
    /// ceil(n_visible / 8): unit i is bit i mod 8 of byte i / 8.
    std::size_t packed_bytes() const { return static_cast<std::size_t>((n_visible_ + 7) / 8); }
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);

    /// 0 or 1; padded n_visible x padded size, padding is zero.
    const FloatMatrix& visible_units() const { return visible_; }
    /// Drawn in the last update; the state or a part of it in models that keep them.
    const FloatMatrix& hidden_units() const { return hidden_; }
    /// As the visible units; ceil(n_hidden / 8) bytes.
    void pack_hidden(Index slot, std::span<std::byte> out) const;
    void unpack_hidden(Index slot, std::span<const std::byte> in);

  private:
    friend class Rbm;
    friend class JointRbm;
    friend class HiddenRbm;
    Index n_visible_;
    Index n_hidden_;
    Index size_;
    FloatMatrix visible_;          ///< v
    FloatMatrix pre_activation_;   ///< c of the present v; padding rows are zero
    std::vector<double> linear_;   ///< (a - a0)'v of the present v
    FloatMatrix hidden_;           ///< h of the last update; padding rows are zero
    FloatMatrix visible_field_;    ///< a + W h
    Eigen::VectorXf base_bias_at_; ///< (1-b) a0 of the update under way
    Eigen::VectorXf probability_;  ///< of the units of one chain
};

/// The annealed RBM: fulfils AnnealedModel, HasMove and HasFusedAnneal. One update of a chain costs two products with
/// W: the one that gives c after a visible draw serves the next weight and the next hidden draw as well. Units,
/// products and pre-activations are float, log weights double; over 3000 temperatures of a 784 x 500 model a log weight
/// was off by 1e-5. A chain's numbers depend neither on the size of its block nor on its neighbours.
class Rbm {
  public:
    using Block = RbmBlock;
    static constexpr bool move_is_reversible = true;
    /// Chains in a block: the largest whose states stay in a second-level cache of 1 MiB at 784 x 500 units.
    static constexpr Index default_block = 64;
    static constexpr std::string_view name = "rbm";
    /// Sizes up to which the exact log_ratio is offered: 2^25 states of min(n_visible, n_hidden) units.
    static constexpr Index max_enumerated_units = 25;

    /// Throws ContractViolation if the shapes do not agree or a size is 0.
    explicit Rbm(RbmParameters parameters);

    Index n_visible() const { return parameters_.weights.rows(); }
    Index n_hidden() const { return parameters_.weights.cols(); }
    const RbmParameters& parameters() const { return parameters_; }

    Block make_block(Index size) const { return Block(n_visible(), n_hidden(), size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block& block) const;
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    /// H log 2 + sum_i log(1 + exp(a0_i)).
    std::optional<double> log_normaliser_start() const;
    /// By enumeration of the smaller layer in Gray code; nothing if it has more than max_enumerated_units units. Takes
    /// up to half a minute at the limit (784 x 25 units) and is not remembered.
    std::optional<double> exact_log_ratio(double b_end) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

    bool has_data() const { return parameters_.images.cols() > 0; }
    /// One of the images for each chain, its pixels on with the probability of their grey level.
    void draw_data(Block& block, double b_end, const model::BlockStreams& streams) const;
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const;

    /// Block Gibbs at b: h | v, then v | h; reversible in v.
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    /// add_log_ratio, move and path_derivative in one, the same bits.
    void anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                std::span<double> derivative) const;

    /// n_visible x size: probability at b that a visible unit is on, given the mean hidden units of the present state.
    /// For pictures of the particles.
    Matrix visible_probabilities(const Block& block, double b) const;

    /// The particles as pictures: visible_probabilities, n_visible = image_rows() x image_columns() row by row; square
    /// where n_visible is a square, else one row.
    Matrix images(const Block& block, double b) const { return visible_probabilities(block, b); }
    Index image_rows() const;
    Index image_columns() const { return n_visible() / image_rows(); }

  private:
    friend class JointRbm;
    friend class HiddenRbm;
    void expect_own(const Block& block) const;
    void draw_hidden_given_visible(Block& block, double b, const model::BlockStreams& streams) const;
    void draw_visible_given_hidden(Block& block, double b, const model::BlockStreams& streams) const;

    RbmParameters parameters_;
    // In the layout of the products, rows padded: W' and below it (a - a0)', so that one product with v gives c - d and
    // the linear term; W itself; and the start values of the products.
    Eigen::VectorXf weights_to_hidden_;
    Eigen::VectorXf weights_to_visible_;
    Eigen::VectorXf hidden_start_;  ///< d, then zeros
    Eigen::VectorXf visible_start_; ///< a, then zeros
};

} // namespace pearlite::models
