#pragma once
/// The RBM as a model that learns (model/learner.hpp) from images.

#include "models/rbm/mutable_rbm.hpp"
#include "target/learner.hpp"

#include <memory>

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

class RbmLearner final : public model::Learner {
  public:
    /// Weights N(0, weight_sd^2), visible biases the log odds of the smoothed means of the training images, hidden
    /// biases 0. ContractViolation for images of different sizes, or none.
    RbmLearner(std::shared_ptr<const TrainingData> data, const RbmLearnerSettings& settings, const random::Seed& seed,
               simd::Path path = simd::chosen_path().path);

    Index n_visible() const { return data_->training.rows(); }
    Index n_hidden() const { return rbm_.n_hidden(); }
    float weight(Index visible, Index hidden) const { return rbm_.weights[at(visible * rbm_.stride() + hidden)]; }
    float visible_bias(Index i) const { return rbm_.visible_bias[at(i)]; }
    float hidden_bias(Index j) const { return rbm_.hidden_bias[at(j)]; }
    /// MutableRbm::place.
    Index place_of_count(Index visible, Index hidden) const { return rbm_.place(visible, hidden); }

    Index n_examples(Examples which) const override { return images(which).cols(); }
    Index n_units() const override { return n_visible(); }
    Index n_counts() const override { return rbm_.n_counts(); }
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
               model::Counts counts) override;
    bool ascend(model::ConstCounts counts, double per_count, const model::Ascent& ascent) override;
    void watch(Examples which, Index first, Index count) override;
    model::Fit fit(Examples which, std::uint32_t step) const override;
    model::Images filters() const override;
    model::Images samples(const Block& block) const override;
    /// In the layout of io::read_rbm.
    void write(const std::filesystem::path& directory) const override;
    std::string file_name() const override { return "weights.h5"; }

  private:
    using Floats = MutableRbm::Floats;
    /// Examples that fit() looks at, in groups of at most fit_group.
    struct Watched {
        Index first = 0;
        std::vector<BinaryUnits> visible;
    };

    const GreyImages& images(Examples which) const {
        return which == Examples::training ? data_->training : data_->held_out;
    }
    Watched& watched(Examples which) { return which == Examples::training ? watched_[0] : watched_[1]; }
    const Watched& watched(Examples which) const { return which == Examples::training ? watched_[0] : watched_[1]; }
    struct PixelMemory {
        std::vector<float> probability;
        std::vector<std::int8_t> on;
    };
    /// The image as binary units, its draws at `address`.
    void set_visible(BinaryUnits& units, Index chain, const std::uint8_t* grey, const random::Address& address,
                     PixelMemory& memory) const;
    void add_fit(const BinaryUnits& visible, const model::BlockStreams& streams, model::Fit& fit) const;
    template <class Count>
    void step(std::span<const Count> counts, double per_count, const model::Ascent& ascent);
    Index image_rows() const;
    model::Images as_images(Matrix pixels) const;

    std::shared_ptr<const TrainingData> data_;
    random::Seed seed_;
    MutableRbm rbm_;
    Floats weight_velocity_, visible_velocity_, hidden_velocity_;
    Floats start_bias_; ///< visible biases at the start
    Watched watched_[2];
};

} // namespace pearlite::models
