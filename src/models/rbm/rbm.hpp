#pragma once
/// The Bernoulli restricted Boltzmann machine, annealed from independent units (Salakhutdinov & Murray 2008).
///
///   f(v, h) = exp(v'W h + a'v + d'h),  v in {0,1}^N,  h in {0,1}^H,  c_j = d_j + W_j'v
///   log f_b(v) = (1-b) a0'v + b a'v + sum_j log(1 + exp(b c_j)),  0 <= b <= 1
///
/// The hidden units are summed out, so a particle is v alone. p_0 has independent units of log odds a0 (the base rate).

#include "models/rbm/layer.hpp"
#include "pearlite/model/detail/moment_family.hpp"
#include "pearlite/model/target.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace pearlite::models {

/// Test images for a machine, a column each.
struct RbmTestImages {
    /// Conversion of a grey level g to a pixel: on with probability g/255, on where g/255 exceeds 1/2, or the number
    /// g/255 itself, which is no state of the machine.
    enum class Form { stochastic, threshold, grey };

    Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> images = {}; ///< n_visible x any number, 0 .. 255
    Form form = Form::stochastic;
    std::uint64_t seed = 1; ///< of the draws
};

/// The definition of an RBM: W, a, d and a0 of the legend above. All numbers are finite.
struct RbmParameters {
    Matrix weights;      ///< n_visible x n_hidden
    Vector visible_bias; ///< n_visible
    Vector hidden_bias;  ///< n_hidden
    Vector base_bias;    ///< n_visible: log odds of the units under p_0
    /// Observed data, n_visible x any number, grey levels 0 .. 255: possible starts of trajectories that run backwards.
    Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> images = {};
    RbmTestImages test = {};
};

/// Precision of the weights along the path. At b = 1 they have 24 bits in any case: the last step of the path weighs
/// the density of the rounded weights against the exact one, so that every estimate is one of the exact model.
enum class WeightPrecision {
    bits24, ///< as float sums are
    bits16, ///< two limbs in place of three: faster where the kernels multiply limbs (vnni, amx)
    bits8   ///< one limb
};

/// Log odds of units that were on n_on[i] times in n examples: logit((n_on + 1)/(n + 2)), which is never infinite.
Vector base_rate_bias(const Vector& n_on, Index n);

/// An image for each chain, its pixels on with the probability of their grey level.
void draw_images(const RbmParameters& parameters, const model::BlockStreams& streams, BinaryUnits& visible);

/// Weights N(0, weight_sd^2), biases N(0, bias_sd^2), base_bias equal to visible_bias; a function of the seed alone.
RbmParameters random_rbm(Index n_visible, Index n_hidden, double weight_sd, double bias_sd, std::uint64_t seed);

/// Visible states of a group of chains with the data that their next update needs. Sixteen chains are a tile, a vector
/// lane each; numbers of units are [tile][unit][lane].
class RbmBlock {
  public:
    using FloatMatrix = BinaryUnits::FloatMatrix;

    RbmBlock(Index n_visible, Index n_hidden, Index size);

    Index n_visible() const { return visible_.n_units(); }
    Index n_hidden() const { return hidden_.n_units(); }
    Index size() const { return visible_.n_chains(); }
    Index padded_size() const { return padded(size()); }
    /// ceil(n_visible / 8): unit i is bit i mod 8 of byte i / 8.
    std::size_t packed_bytes() const { return visible_.packed_bytes(); }
    void pack(Index slot, std::span<std::byte> out) const { visible_.pack(slot, out); }
    void unpack(Index slot, std::span<const std::byte> in) { visible_.unpack(slot, in); }

    /// 0 or 1; padded n_visible x padded size, padding is zero.
    FloatMatrix visible_units() const { return visible_.matrix(); }
    /// Drawn in the last update; the state or a part of it in models that keep them.
    FloatMatrix hidden_units() const { return hidden_.matrix(); }
    /// As the visible units; ceil(n_hidden / 8) bytes.
    void pack_hidden(Index slot, std::span<std::byte> out) const { hidden_.pack(slot, out); }
    void unpack_hidden(Index slot, std::span<const std::byte> in) { hidden_.unpack(slot, in); }

  private:
    friend class GrowingRbmStage;
    friend class Rbm;
    friend class JointRbm;
    friend class HiddenRbm;

    float* pre_activation(Index tile) { return pre_activation_.data() + tile * n_hidden() * rbm_kernels::tile_chains; }
    const float* pre_activation(Index tile) const {
        return pre_activation_.data() + tile * n_hidden() * rbm_kernels::tile_chains;
    }

    BinaryUnits visible_;                        ///< v
    BinaryUnits hidden_;                         ///< h of the last update
    rbm_kernels::Aligned<float> pre_activation_; ///< c of the present v
    std::vector<double> linear_;                 ///< (a - a0)'v of the present v; padded
    std::vector<double> positive_;               ///< sum_j max(c_j, 0), where factors_at_ is a number
    std::vector<double> log_factors_;            ///< sum_j log(1 + exp(-|b c_j|)) at b = factors_at_
    double factors_at_;
    bool is_rounded_ = false;                                ///< c is that of rounded weights
    rbm_kernels::Aligned<rbm_kernels::DrawStreams> streams_; ///< of the draw under way, by tile
    Eigen::VectorXf scale_, bias_;                           ///< of the visible fields of the update under way
    LayerWorkspace work_;
};

/// The annealed RBM: fulfils AnnealedModel, HasMove and HasFusedAnneal. One update of a chain costs two products with
/// W: the one that gives c after a visible draw serves the next weight and the next hidden draw as well. Products are
/// exact sums of weights rounded to integers of 24 bits, pre-activations and exponentials float, log weights double. A
/// chain's numbers depend neither on the size of its block nor on its neighbours nor on the path of the kernels.
class Rbm {
  public:
    using Block = RbmBlock;
    static constexpr bool move_is_reversible = true;
    /// Chains in a block. The tables of weights that products look up are made once for a block: of 784 x 500 units,
    /// blocks of 64, 128, 256 and 512 chains made 0.71, 0.89, 0.98 and 1 of the updates a second. Beyond 512 the
    /// pre-activations leave a second-level cache of 1 MiB; smaller blocks serve more ranks.
    static constexpr Index default_block = 128;
    static constexpr std::string_view name = "rbm";
    /// Sizes up to which the exact log_ratio is offered: 2^25 states of min(n_visible, n_hidden) units.
    static constexpr Index max_enumerated_units = 25;

    /// Throws ContractViolation if the shapes do not agree or a size is 0.
    explicit Rbm(RbmParameters parameters, simd::Path path = simd::chosen_path().path,
                 WeightPrecision precision = WeightPrecision::bits24);

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
    /// up to half a minute at the limit (784 x 25 units) and is not remembered. Nothing for rounded weights below 1.
    std::optional<double> exact_log_ratio(double b_end) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

    bool has_data() const { return parameters_.images.cols() > 0; }
    /// One of the images for each chain, its pixels on with the probability of their grey level.
    void draw_data(Block& block, double b_end, const model::BlockStreams& streams) const;
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const;

    /// The RBMs of these sizes, for a path of averaged moments.
    static std::shared_ptr<const model::MomentFamily> moment_family(std::shared_ptr<const Rbm> end);

    bool has_test_data() const { return parameters_.test.images.cols() > 0; }
    /// log f_1(v) of the test images, in double precision: a'v + sum_j log(1 + exp(c_j)).
    model::TestData test_data() const;

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
    friend class GrowingRbmStage;
    friend class JointRbm;
    friend class HiddenRbm;
    void expect_own(const Block& block) const;
    void draw_hidden_given_visible(Block& block, double b, const model::BlockStreams& streams) const;
    void draw_visible_given_hidden(Block& block, double b, const model::BlockStreams& streams) const;

    /// Draws of a panel of a tile from x[unit][lane]; returns the factors.
    void draw_panel(const float* x, Index first, Index n, float scale, rbm_kernels::DrawStreams& streams,
                    BinaryUnits& units, Index tile, float (&factors)[rbm_kernels::tile_chains]) const;
    bool is_rounded(double b) const { return rounded_ && b < 1; }
    /// c of the weights that are asked for.
    void activate(Block& block, bool is_rounded) const;
    void activate_for(Block& block, double b) const;
    /// The block, or a copy of it in `other`, with the c of the weights at b.
    const Block& with_weights_at(double b, const Block& block, std::optional<Block>& other) const;
    /// Sums over the hidden units of a tile at b, by lane.
    struct HiddenSums;
    HiddenSums hidden_sums(const Block& block, Index tile, double b) const;
    void remember_factors(Block& block, Index tile, double b, const HiddenSums& sums) const;
    void address_draws(Block& block, const model::BlockStreams& streams, random::Purpose purpose) const;
    /// log of the sum over s in {0,1}^m of exp(linear's + sum_i log(1 + exp(base_i + weights_i's))), linear: m, base:
    /// n, weights: n x m. A kernel (simd/instructions.hpp).
    template <class Instructions>
    static double log_sum_over_states(Vector linear, const Vector& base, const Matrix& weights);

    RbmParameters parameters_;
    const rbm_kernels::Kernels* kernels_;
    Layer to_hidden_, to_visible_;
    struct Rounded {
        Layer to_hidden, to_visible;
    };
    std::optional<Rounded> rounded_;
    Eigen::VectorXf hidden_bias_, linear_bias_; ///< d; a - a0
};

} // namespace pearlite::models
