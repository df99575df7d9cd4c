#pragma once
/// Compile-time checks of a user's own model, with one message for each missing member.

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/density.hpp"
#include "pearlite/model/predictive.hpp"

#include <concepts>

namespace pearlite::model {

/// Refuses a member of the right name that does not fulfil its concept: it would silently not be used. (An
/// overloaded or templated member cannot be named in this way, and passes.)
template <class D>
constexpr void require_optional_members() {
    static_assert(
        HasBlockDensity<D> || !requires { &D::evaluate; },
        "this model has an evaluate() that is not: void evaluate(const pearlite::Matrix& points, "
        "std::span<double> log_prior, std::span<double> log_likelihood) const");
    static_assert(
        HasEstimatedLikelihood<D> || !requires { &D::estimate; },
        "this model has an estimate() that is not: void estimate(const pearlite::Matrix& points, const "
        "pearlite::model::BlockStreams& streams, std::span<double> log_prior, std::span<double> log_likelihood) const");
    static_assert(
        HasNaturalScale<D> || !requires { &D::natural; },
        "this model has a natural() that is not: double natural(pearlite::Index k, double u) const");
    static_assert(
        HasQuantities<D> || !requires { &D::quantities; },
        "this model has a quantities() that is not: void quantities(std::span<const double> x, std::span<double> out) "
        "const, or lacks: std::vector<std::string> quantity_names() const");
    static_assert(
        HasCost<D> || !requires { &D::cost; },
        "this model has a cost() that is not: double cost(std::span<const double> x) const");
    static_assert(
        HasPointwiseLikelihood<D> || HasPointwiseBlockDensity<D> || !requires { &D::data_points; },
        "this model has data_points() but lacks: double log_likelihood(std::span<const double> x, pearlite::Index "
        "from, "
        "pearlite::Index to) const  (of data points from .. to - 1) and log_prior(x)");
    static_assert(
        HasLogLikelihoods<D> || !requires { &D::log_likelihoods; },
        "this model has a log_likelihoods() that is not: pearlite::Vector log_likelihoods(std::span<const double> x) "
        "const");
    static_assert(
        HasGradient<D> || !requires { &D::gradient; },
        "this model has a gradient() that is not: void gradient(std::span<const double> x, double b, "
        "std::span<double> gradient) const");
    static_assert(
        HasBlockGradient<D> || !requires { &D::evaluate_with_gradient; },
        "this model has an evaluate_with_gradient() that is not: void evaluate_with_gradient(const pearlite::Matrix& "
        "points, double b, std::span<double> log_prior, std::span<double> log_likelihood, Eigen::Ref<pearlite::Matrix> "
        "gradient) const");
    static_assert(
        HasForce<D> || !requires { &D::force; },
        "this model has a force() that is not: void force(const pearlite::Matrix& points, double b, "
        "Eigen::Ref<pearlite::Matrix> force) const");
    static_assert(
        HasMetric<D> || HasPredictorMetric<D> || !requires { &D::metric; },
        "this model has a metric() but lacks one of: void metric(std::span<const double> x, double b, "
        "Eigen::Ref<pearlite::Matrix> metric) const  (d x d, positive definite), void metric_derivative("
        "std::span<const double> x, double b, pearlite::Index k, Eigen::Ref<pearlite::Matrix> derivative) const  (or, "
        "in its place, predictors() and metric_weights())");
    static_assert(
        HasApproximation<D> || !requires { &D::approximation; },
        "this model has an approximation() that is not: pearlite::model::NormalApproximation approximation() const");
    static_assert(
        HasPriorNormaliser<D> || !requires { &D::log_prior_normaliser; },
        "this model has a log_prior_normaliser() that is not: double log_prior_normaliser() const");
    static_assert(
        HasExactLogRatio<D> || !requires { &D::exact_log_ratio; },
        "this model has an exact_log_ratio() that is not: std::optional<double> exact_log_ratio() const");
    static_assert(
        HasFingerprint<D> || !requires { &D::fingerprint; },
        "this model has a fingerprint() that is not: void fingerprint(pearlite::model::Fingerprint& "
        "fingerprint) const");
    static_assert(
        HasDataDescription<D> || !requires { &D::describe_data; },
        "this model has a describe_data() that is not: pearlite::model::DataDescription describe_data() const");
    static_assert(
        HasPriorScale<D> || !requires { &D::log_prior_of_scale; },
        "this model has a log_prior_of_scale() that is not: double log_prior_of_scale(std::span<const double> "
        "parameters, double scale) const");
    static_assert(
        HasPrediction<D> || !requires { &D::predict; },
        "this model has a predict() that is not: pearlite::model::Prediction predict(std::span<const double> u, "
        "pearlite::Index samples, const pearlite::random::Address& address) const");
}

/// M::Block is a block of particles.
template <class M>
concept HasParticleBlock = requires {
    typename M::Block;
}
&&ParticleBlock<typename M::Block>;

/// Reports each member that a model with its own transition lacks (AnnealedModel and HasMove).
template <class M>
constexpr void require_annealed_model() {
    static_assert(HasParticleBlock<M>,
                  "this model lacks: using Block = ...  (a block of particles; pearlite::ColumnBlock<double> is one)");
    if constexpr (HasParticleBlock<M>) {
        using B = typename M::Block;
        using Streams = const BlockStreams&;
        using Out = std::span<double>;
        static_assert(
            requires(const M& m, Index size) {
                { m.make_block(size) } -> std::same_as<B>;
            },
            "this model lacks: Block make_block(pearlite::Index size) const  (an empty block)");
        static_assert(
            requires(const M& m, B& block, Streams streams) { m.draw_start(block, streams); },
            "this model lacks: void draw_start(Block& block, const pearlite::model::BlockStreams& streams) "
            "const  (exact draws from the start of the path)");
        static_assert(
            requires(const M& m, B& block) { m.prepare(block); },
            "this model lacks: void prepare(Block& block) const  (recomputes what is derived from the states)");
        static_assert(
            requires(const M& m, const B& block, Out out) { m.add_log_ratio(block, 0.0, 1.0, out); },
            "this model lacks: void add_log_ratio(const Block& block, double from, double to, "
            "std::span<double> out) const  (adds log f_to - log f_from of each particle)");
        static_assert(
            requires(const M& m, const B& block, Out out) { m.path_derivative(block, 1.0, out); },
            "this model lacks: void path_derivative(const Block& block, double b, std::span<double> out) "
            "const  (d log f_b/db of each particle)");
        static_assert(
            requires(const M& m, B& block, Streams streams) { m.move(block, 1.0, streams); },
            "this model lacks: void move(Block& block, double b, const pearlite::model::BlockStreams& "
            "streams) const  (a transition that leaves f_b invariant)");
        static_assert(
            HasReversedMove<M> || !requires { &M::move_reversed; },
            "this model has a move_reversed() that is not: void move_reversed(Block& block, double b, const "
            "pearlite::model::BlockStreams& streams) const");
        static_assert(
            HasEndSampler<M> || !requires { &M::draw_end; },
            "this model has a draw_end() that is not: void draw_end(Block& block, double b_end, const "
            "pearlite::model::BlockStreams& streams) const");
        static_assert(
            HasMode<M> || !requires { &M::set_mode; },
            "this model has a set_mode() that is not: void set_mode(Block& block, double b_end, const "
            "pearlite::model::BlockStreams& streams) const");
        static_assert(
            HasDataStart<M> || !requires { &M::draw_data; },
            "this model has a draw_data() that is not: void draw_data(Block& block, double b_end, const "
            "pearlite::model::BlockStreams& streams) const, or lacks: bool has_data() const");
    }
    using Number = std::optional<double>;
    static_assert(
        requires(const M& m) {
            { m.log_normaliser_start() } -> std::same_as<Number>;
        },
        "this model lacks: std::optional<double> log_normaliser_start() const  (log Z_0, or nothing)");
    static_assert(
        requires(const M& m, double b_end) {
            { m.exact_log_ratio(b_end) } -> std::same_as<Number>;
        },
        "this model lacks: std::optional<double> exact_log_ratio(double b_end) const  (or nothing)");
    static_assert(
        requires(const M& m, Fingerprint& fingerprint) { m.fingerprint(fingerprint); },
        "this model lacks: void fingerprint(pearlite::model::Fingerprint& fingerprint) const");
}

} // namespace pearlite::model
