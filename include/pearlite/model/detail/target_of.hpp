#pragma once
/// A user's or the package's annealed model M (annealed_model.hpp) as a Target: the static inner loops behind one
/// virtual call a block.

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/model/detail/class_predictions.hpp"
#include "pearlite/model/detail/locate_errors.hpp"
#include "pearlite/model/detail/log_likelihoods.hpp"
#include "pearlite/model/detail/moment_family.hpp"
#include "pearlite/model/detail/path_moments.hpp"
#include "pearlite/model/target.hpp"

#include <concepts>
#include <memory>
#include <utility>

namespace pearlite::model {

template <AnnealedModel M>
class TargetOf;

namespace detail {

/// The base of each adapter below: the model, and its own block behind a Block.
template <class M>
struct Adapter {
    std::shared_ptr<const M> model;
    using B = typename M::Block;
    static B& own(Block& block) { return own_block<B>(block); }
    static const B& own(const Block& block) { return own_block<B>(block); }
};

/// Without a fused step the parts are composed, in the order that a fused one must reproduce.
template <HasMove M>
struct TransitionOf final : Transition, Adapter<M> {
    explicit TransitionOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    void move(Block& block, double b, const BlockStreams& streams) const override {
        this->model->move(this->own(block), b, streams);
    }
    void anneal(Block& block, double from, double to, const BlockStreams& streams, std::span<double> increments,
                std::span<double> derivative) const override {
        auto& own = this->own(block);
        if constexpr (HasFusedAnneal<M>) {
            this->model->anneal(own, from, to, streams, increments, derivative);
        } else {
            this->model->add_log_ratio(own, from, to, increments);
            this->model->move(own, to, streams);
            this->model->path_derivative(own, to, derivative);
        }
    }
};

template <TimeReversible M>
struct ReversedTransitionOf final : ReversedTransition, Adapter<M> {
    explicit ReversedTransitionOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    void move_reversed(Block& block, double b, const BlockStreams& streams) const override {
        if constexpr (HasReversedMove<M>)
            this->model->move_reversed(this->own(block), b, streams);
        else
            this->model->move(this->own(block), b, streams);
    }
    void anneal_reversed(Block& block, double from, double to, const BlockStreams& streams,
                         std::span<double> increments, std::span<double> derivative) const override {
        auto& own = this->own(block);
        if constexpr (HasReversibleMove<M> && HasFusedAnneal<M>) {
            this->model->anneal(own, from, to, streams, increments, derivative);
        } else if constexpr (!HasReversibleMove<M> && HasFusedReversedAnneal<M>) {
            this->model->anneal_reversed(own, from, to, streams, increments, derivative);
        } else {
            this->model->add_log_ratio(own, from, to, increments);
            if constexpr (HasReversibleMove<M>)
                this->model->move(own, to, streams);
            else
                this->model->move_reversed(own, to, streams);
            this->model->path_derivative(own, to, derivative);
        }
    }
};

template <HasEndSampler M>
struct EndSamplerOf final : EndSampler, Adapter<M> {
    explicit EndSamplerOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    void draw_end(Block& block, double b_end, const BlockStreams& streams) const override {
        this->model->draw_end(this->own(block), b_end, streams);
    }
};

/// Whether the model as it is configured has a mode to start from: one that does not say so has.
template <HasMode M>
bool has_mode(const M& model) {
    if constexpr (requires {
                      { model.has_mode() } -> std::same_as<bool>;
                  })
        return model.has_mode();
    else
        return true;
}

template <HasMode M>
struct ModeStartOf final : ModeStart, Adapter<M> {
    explicit ModeStartOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    void set_mode(Block& block, double b_end, const BlockStreams& streams) const override {
        this->model->set_mode(this->own(block), b_end, streams);
    }
};

template <HasDataStart M>
struct DataStartOf final : DataStart, Adapter<M> {
    explicit DataStartOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    void draw_data(Block& block, double b_end, const BlockStreams& streams) const override {
        this->model->draw_data(this->own(block), b_end, streams);
    }
};

template <HasStateSwap M>
struct StateSwapOf final : StateSwap, Adapter<M> {
    explicit StateSwapOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const override {
        this->model->swap_states(this->own(a), this->own(b), which);
    }
};

template <HasBlockCost M>
struct BlockCostOf final : BlockCost, Adapter<M> {
    explicit BlockCostOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    double cost(const Block& block) const override { return this->model->cost(this->own(block)); }
};

/// parameter_names() and parameters(block), names x block size.
template <class M>
concept HasReportedParameters = requires(const M& model, const typename M::Block& block) {
    { model.parameter_names() } -> std::convertible_to<std::vector<std::string>>;
    { model.parameters(block) } -> std::convertible_to<Matrix>;
};
template <HasReportedParameters M>
struct ReportedParametersOf final : ReportedParameters, Adapter<M> {
    explicit ReportedParametersOf(std::shared_ptr<const M> m)
        : Adapter<M>{std::move(m)}, names(this->model->parameter_names()) {}
    const std::vector<std::string>& parameter_names() const override { return names; }
    Matrix parameters(const Block& block) const override { return this->model->parameters(this->own(block)); }
    std::vector<std::string> names;
};

/// equilibrium_mean_u(b): the mean of d log f_b/db over p_b, or nothing.
template <class M>
concept HasEquilibriumMean = requires(const M& model, double b) {
    { model.equilibrium_mean_u(b) } -> std::same_as<std::optional<double>>;
};
template <HasEquilibriumMean M>
struct EquilibriumMeanOf final : EquilibriumMean {
    explicit EquilibriumMeanOf(std::shared_ptr<const M> m) : model(std::move(m)) {}
    std::optional<double> equilibrium_mean_u(double b) const override { return model->equilibrium_mean_u(b); }
    std::shared_ptr<const M> model;
};

/// quantity_names(), path_quantities(block), names x block size, and equilibrium_moments(b) of them.
template <class M>
concept HasPathQuantities = requires(const M& model, const typename M::Block& block, double b) {
    { model.quantity_names() } -> std::convertible_to<std::vector<std::string>>;
    { model.path_quantities(block) } -> std::convertible_to<Matrix>;
    { model.equilibrium_moments(b) } -> std::same_as<std::vector<MeanAndSd>>;
};
template <HasPathQuantities M>
struct PathQuantitiesOf final : PathQuantities, Adapter<M> {
    explicit PathQuantitiesOf(std::shared_ptr<const M> m)
        : Adapter<M>{std::move(m)}, names(this->model->quantity_names()) {}
    const std::vector<std::string>& quantity_names() const override { return names; }
    Matrix path_quantities(const Block& block) const override { return this->model->path_quantities(this->own(block)); }
    std::vector<MeanAndSd> equilibrium_moments(double b) const override { return this->model->equilibrium_moments(b); }
    std::vector<std::string> names;
};

/// log_likelihoods(block), data points x block size, at the end of the path.
template <class M>
concept HasBlockLogLikelihoods = requires(const M& model, const typename M::Block& block) {
    { model.log_likelihoods(block) } -> std::convertible_to<Matrix>;
};
template <HasBlockLogLikelihoods M>
struct BlockLogLikelihoodsOf final : BlockLogLikelihoods, Adapter<M> {
    explicit BlockLogLikelihoodsOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    Matrix log_likelihoods(const Block& block) const override { return this->model->log_likelihoods(this->own(block)); }
};

template <HasDataDescription M>
struct DescribedDataOf final : DescribedData {
    explicit DescribedDataOf(std::shared_ptr<const M> m) : model(std::move(m)) {}
    DataDescription describe_data() const override { return model->describe_data(); }
    std::shared_ptr<const M> model;
};

/// images(block, b), pixels x block size, of image_rows() x image_columns().
template <class M>
concept HasImages = requires(const M& model, const typename M::Block& block, double b) {
    { model.images(block, b) } -> std::convertible_to<Matrix>;
    { model.image_rows() } -> std::convertible_to<Index>;
    { model.image_columns() } -> std::convertible_to<Index>;
};
template <HasImages M>
struct ParticleImagesOf final : ParticleImages, Adapter<M> {
    explicit ParticleImagesOf(std::shared_ptr<const M> m) : Adapter<M>{std::move(m)} {}
    Matrix images(const Block& block, double b) const override { return this->model->images(this->own(block), b); }
    Index image_rows() const override { return this->model->image_rows(); }
    Index image_columns() const override { return this->model->image_columns(); }
};

/// test_data() of a model that has_test_data().
template <class M>
concept HasTestData = requires(const M& model) {
    { model.has_test_data() } -> std::same_as<bool>;
    { model.test_data() } -> std::convertible_to<TestData>;
};
template <HasTestData M>
struct TestedModelOf final : TestedModel {
    explicit TestedModelOf(std::shared_ptr<const M> m) : model(std::move(m)) {}
    TestData test_data() const override { return model->test_data(); }
    std::shared_ptr<const M> model;
};

template <HasOwnDataPath M>
struct OwnDataPathOf final : OwnDataPath {
    explicit OwnDataPathOf(std::shared_ptr<const M> m) : model(std::move(m)) {}
    std::shared_ptr<const Target> data_path() const override {
        return std::make_shared<const TargetOf<M>>(std::make_shared<const M>(model->data_path()));
    }
    std::shared_ptr<const M> model;
};

/// moment_family(model): the exponential family that the end of the path belongs to.
template <class M>
concept HasMomentFamily = requires(std::shared_ptr<const M> model) {
    { M::moment_family(model) } -> std::convertible_to<std::shared_ptr<const MomentFamily>>;
};

} // namespace detail

template <AnnealedModel M>
class TargetOf final : public Target {
  public:
    using B = typename M::Block;

    explicit TargetOf(std::shared_ptr<const M> model) : model_(std::move(model)) {
        if constexpr (HasMove<M>)
            offer<Transition>(std::make_shared<detail::TransitionOf<M>>(model_));
        if constexpr (TimeReversible<M>)
            offer<ReversedTransition>(std::make_shared<detail::ReversedTransitionOf<M>>(model_));
        if constexpr (HasEndSampler<M>)
            offer<EndSampler>(std::make_shared<detail::EndSamplerOf<M>>(model_));
        if constexpr (HasMode<M>)
            if (detail::has_mode(*model_))
                offer<ModeStart>(std::make_shared<detail::ModeStartOf<M>>(model_));
        if constexpr (HasDataStart<M>)
            if (model_->has_data())
                offer<DataStart>(std::make_shared<detail::DataStartOf<M>>(model_));
        if constexpr (HasStateSwap<M>)
            offer<StateSwap>(std::make_shared<detail::StateSwapOf<M>>(model_));
        if constexpr (HasBlockCost<M>)
            offer<BlockCost>(std::make_shared<detail::BlockCostOf<M>>(model_));
        if constexpr (detail::HasReportedParameters<M>)
            offer<ReportedParameters>(std::make_shared<detail::ReportedParametersOf<M>>(model_));
        if constexpr (detail::HasEquilibriumMean<M>)
            offer<EquilibriumMean>(std::make_shared<detail::EquilibriumMeanOf<M>>(model_));
        if constexpr (detail::HasPathQuantities<M>)
            offer<PathQuantities>(std::make_shared<detail::PathQuantitiesOf<M>>(model_));
        if constexpr (detail::HasBlockLogLikelihoods<M>)
            offer<BlockLogLikelihoods>(std::make_shared<detail::BlockLogLikelihoodsOf<M>>(model_));
        if constexpr (HasDataDescription<M>)
            offer<DescribedData>(std::make_shared<detail::DescribedDataOf<M>>(model_));
        if constexpr (HasHeldOutClasses<M>)
            if (auto classes = model_->held_out_classes())
                offer(std::move(classes));
        if constexpr (HasApproximations<M>)
            offer(model_->approximated());
        if constexpr (HasOwnDataPath<M>)
            offer<OwnDataPath>(std::make_shared<detail::OwnDataPathOf<M>>(model_));
        if constexpr (detail::HasMomentFamily<M>)
            offer<MomentFamily>(M::moment_family(model_));
        if constexpr (detail::HasTestData<M>)
            if (model_->has_test_data())
                offer<TestedModel>(std::make_shared<detail::TestedModelOf<M>>(model_));
        if constexpr (detail::HasImages<M>)
            offer<ParticleImages>(std::make_shared<detail::ParticleImagesOf<M>>(model_));
    }

    const M& model() const { return *model_; }

    std::unique_ptr<Block> make_block(Index size) const override {
        if constexpr (std::derived_from<B, Block>)
            return std::make_unique<B>(model_->make_block(size));
        else
            return std::make_unique<BlockOf<B>>(model_->make_block(size));
    }
    void draw_start(Block& block, const BlockStreams& streams) const override {
        locate_errors(streams, block.size(), [&] { model_->draw_start(own_block<B>(block), streams); });
    }
    void prepare(Block& block) const override { model_->prepare(own_block<B>(block)); }
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const override {
        model_->add_log_ratio(own_block<B>(block), from, to, out);
    }
    void path_derivative(const Block& block, double b, std::span<double> out) const override {
        model_->path_derivative(own_block<B>(block), b, out);
    }
    std::optional<double> log_normaliser_start() const override { return model_->log_normaliser_start(); }
    std::optional<double> exact_log_ratio(double b_end) const override { return model_->exact_log_ratio(b_end); }
    void fingerprint(Fingerprint& fingerprint) const override { model_->fingerprint(fingerprint); }
    bool path_is_linear() const override { return HasLinearPath<M>; }

  private:
    std::shared_ptr<const M> model_;
};

/// The target of a model, which is copied or moved into it.
template <AnnealedModel M>
std::shared_ptr<const Target> target_of(M model) {
    return std::make_shared<const TargetOf<M>>(std::make_shared<const M>(std::move(model)));
}

} // namespace pearlite::model
