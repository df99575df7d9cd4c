#pragma once
/// The RBM as a model that learns (model/learner.hpp): weights and biases in single precision, gradients as counts of
/// the chains in which a visible and a hidden unit are both on.
///
///     s(v, h) = (v h', v, h),  p(v, h) = exp(v'W h + a'v + d'h)/Z
///
/// Chains move by weights that are rounded to integers of 23 bits with one unit for all of them, the same in both
/// directions, so that products are exact sums on any CPU.

#include "model/learner.hpp"
#include "models/rbm/layer.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace pearlite::models {

/// Grey levels 0 .. 255, an image a column.
using GreyImages = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;

/// How grey levels g become binary units: on with probability g/255, or on where g/255 > 1/2.
enum class Binarisation { stochastic, threshold };

struct TrainingData {
    GreyImages training; ///< n_visible x at least one
    GreyImages held_out; ///< n_visible x any number
    Binarisation binarisation = Binarisation::stochastic;
};

struct RbmLearnerSettings {
    Index n_hidden = 1;
    double weight_sd = 0.01; ///< of the first weights, which are normal
};

/// States of a group of chains, or examples with their hidden units.
class RbmStates final : public Block {
  public:
    RbmStates(Index n_visible, Index n_hidden, Index size);

    Index size() const override { return visible_.n_chains(); }
    Index padded_size() const override { return padded(size()); }
    /// Visible units, then hidden ones: ceil(n_visible / 8) + ceil(n_hidden / 8).
    std::size_t packed_bytes() const override { return visible_.packed_bytes() + hidden_.packed_bytes(); }
    void pack(Index slot, std::span<std::byte> out) const override;
    void unpack(Index slot, std::span<const std::byte> in) override;

    const BinaryUnits& visible() const { return visible_; }
    const BinaryUnits& hidden() const { return hidden_; }

  private:
    friend class RbmLearner;

    BinaryUnits visible_, hidden_;
    LayerWorkspace work_;
};

class RbmLearner final : public model::Learner {
  public:
    /// Weights N(0, weight_sd^2), visible biases the log odds of the smoothed means of the training images, hidden
    /// biases 0. ContractViolation for images of different sizes, or none.
    RbmLearner(std::shared_ptr<const TrainingData> data, const RbmLearnerSettings& settings, const random::Seed& seed,
               simd::Path path = simd::chosen_path().path);

    Index n_visible() const { return data_->training.rows(); }
    Index n_hidden() const { return n_hidden_; }
    float weight(Index visible, Index hidden) const { return weights_[at(visible * stride_ + hidden)]; }
    float visible_bias(Index i) const { return visible_bias_[at(i)]; }
    float hidden_bias(Index j) const { return hidden_bias_[at(j)]; }
    /// The count of a pair in the counts of count(); row n_visible() has those of hidden units, column n_hidden() those
    /// of visible ones.
    Index place_of_count(Index visible, Index hidden) const { return visible * stride_ + hidden; }

    Index n_examples(Examples which) const override { return images(which).cols(); }
    Index n_units() const override { return n_visible(); }
    Index n_counts() const override { return (n_visible() + 1) * stride_; }
    void fields(Fields& f) override;
    /// W by visible units, then a, then d.
    std::vector<double> parameters() const override;

    std::unique_ptr<Block> make_block(Index size) const override;
    void draw_start(Block& block, const model::BlockStreams& streams) const override;
    void observe(Block& block, std::span<const Index> examples, std::uint32_t epoch) const override;
    void draw_hidden(Block& block, const model::BlockStreams& streams) const override;
    void copy(const Block& from, Block& to) const override;
    void sweep(Block& block, const model::BlockStreams& streams) const override;
    void count(const Block& data, std::int32_t data_factor, const Block& chains, std::int32_t model_factor,
               std::span<std::int32_t> counts) override;
    bool ascend(std::span<const std::int32_t> counts, double per_count, const model::Ascent& ascent) override;
    void watch(Examples which, Index first, Index count) override;
    model::Fit fit(Examples which, std::uint32_t step) const override;
    model::Images filters() const override;
    model::Images samples(const Block& block) const override;
    /// In the layout of io::read_rbm.
    void write(const std::filesystem::path& directory) const override;
    std::string file_name() const override { return "weights.h5"; }

  private:
    using Floats = rbm_kernels::Aligned<float>;
    using Planes = rbm_kernels::Aligned<std::uint16_t>;
    /// Examples that fit() looks at, in groups of at most fit_group.
    struct Watched {
        Index first = 0;
        std::vector<BinaryUnits> visible;
    };
    /// Visible units as rows, hidden ones as columns, each with a unit that is always on.
    struct PlanesOfBlock {
        Planes rows, columns;
    };

    const GreyImages& images(Examples which) const {
        return which == Examples::training ? data_->training : data_->held_out;
    }
    Watched& watched(Examples which) { return which == Examples::training ? watched_[0] : watched_[1]; }
    const Watched& watched(Examples which) const { return which == Examples::training ? watched_[0] : watched_[1]; }
    /// Rounds the weights for the layers; false if one is not finite.
    bool round();
    struct PixelMemory {
        std::vector<float> probability;
        std::vector<std::int8_t> on;
    };
    /// The image as binary units, its draws at `address`.
    void set_visible(BinaryUnits& units, Index chain, const std::uint8_t* grey, const random::Address& address,
                     PixelMemory& memory) const;
    /// Units of one layer given the other.
    void draw(const Layer& layer, const BinaryUnits& from, BinaryUnits& to, const Floats& bias, random::Purpose purpose,
              const model::BlockStreams& streams, LayerWorkspace& work) const;
    /// The same; calls use(tile, n, x, factors) with the fields of each panel and the product of 1 + exp(-|x|) by lane.
    template <class Use>
    void draw(const Layer& layer, const BinaryUnits& from, BinaryUnits& to, const Floats& bias, random::Purpose purpose,
              const model::BlockStreams& streams, LayerWorkspace& work, Use use) const;
    rbm_kernels::PairPlanes planes_of(const RbmStates& states, std::int32_t factor, PlanesOfBlock& memory) const;
    void add_fit(const BinaryUnits& visible, const model::BlockStreams& streams, model::Fit& fit) const;
    Index image_rows() const;
    model::Images as_images(Matrix pixels) const;

    std::shared_ptr<const TrainingData> data_;
    random::Seed seed_;
    const rbm_kernels::Kernels* kernels_;
    Index n_hidden_, stride_; ///< stride_: hidden units and one more, padded
    Floats weights_, visible_bias_, hidden_bias_;
    Floats weight_velocity_, visible_velocity_, hidden_velocity_;
    Floats start_bias_; ///< visible biases at the start
    Layer to_hidden_, to_visible_;
    PlanesOfBlock data_planes_, chain_planes_;
    Watched watched_[2];
};

} // namespace pearlite::models
