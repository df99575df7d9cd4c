#pragma once
/// Any sampler over any model as a Run.

#include "pearlite/app/run.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/density_block.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/sampler/batches.hpp"
#include "pearlite/sampler/piloted.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace pearlite::app {

/// The model's particles are points with densities, which are packed with them.
template <class M>
concept HasDensityPoints = std::same_as<typename M::Block, model::DensityBlock>;

/// The model's particles are parameters with names, so that there is a posterior to summarise: points with densities,
/// or parameters(block), parameters x block size.
template <class M>
concept HasParameters = requires(const M& model, const typename M::Block& block) {
    model.parameter_names();
    requires HasDensityPoints<M> || requires {
        { model.parameters(block) } -> std::convertible_to<Matrix>;
    };
};

/// The model says by name what its data are.
template <class M>
concept HasDescribedData = model::HasDataDescription<M> || requires(const M& model) {
    requires model::HasDataDescription<std::remove_cvref_t<decltype(model.density())>>;
};

/// The model is a density that says what its parameters predict.
template <class M>
concept Predicts = HasDensityPoints<M> && requires(const M& model) {
    requires model::HasPrediction<std::remove_cvref_t<decltype(model.density())>>;
};

/// The model can draw its particles: images(block, b), pixels x block size, of image_rows() x image_columns().
template <class M>
concept HasImages = requires(const M& model, const typename M::Block& block, double b) {
    { model.images(block, b) } -> std::convertible_to<Matrix>;
    { model.image_rows() } -> std::convertible_to<Index>;
    { model.image_columns() } -> std::convertible_to<Index>;
};

/// The draws are Markov chains, not a final population.
template <class S>
concept HasChains = requires(S& sampler) {
    sampler.batch(0).chain_outcome();
}
|| requires(S& sampler) {
    sampler.main().batch(0).chain_outcome();
};

/// S is Piloted<Pilot, Main> over Batches<Sampler>, or Batches<Sampler> itself.
template <class S>
class RunOf final : public Run {
  public:
    using Model = typename S::Model;

    RunOf(const parallel::Communicator& ranks, std::shared_ptr<const Model> model, std::unique_ptr<S> sampler,
          double inverse_temperature_end)
        : ranks_(ranks),
          model_(std::move(model)),
          sampler_(std::move(sampler)),
          inverse_temperature_end_(inverse_temperature_end) {}

    bool finished() const override { return sampler_->finished(); }
    void step() override { sampler_->step(); }
    sampler::Progress progress() const override { return sampler_->progress(); }
    bool in_pilot() const override {
        if constexpr (is_piloted)
            return sampler_->in_pilot();
        return false;
    }
    Index updates_per_step() const override { return sampler_->updates_per_step(); }
    std::optional<population::WorkAccount> work() const override {
        if (ranks_.size() == 1)
            return {};
        if constexpr (is_piloted)
            if (sampler_->in_pilot())
                return sampler_->pilot().work();
        if constexpr (requires(const S& s) { batches_of(s).batch(0).work(); }) {
            population::WorkAccount all;
            const auto& main = batches_of(*sampler_);
            for (Index r = 0; r < main.n_batches(); ++r)
                all += main.batch(r).work();
            return all;
        }
        return {};
    }

    void save(io::Writer& writer) override {
        sampler_->flush();
        sampler_->fields(writer);
        writer("first_log_ratio", first_log_ratio());
    }
    void restore(io::Reader& reader) override {
        sampler_->fields(reader);
        parallel::together(ranks_, [&] { sampler_->prepare(); });
        double stored = 0;
        reader("first_log_ratio", stored);
        const double now = first_log_ratio();
        // Another build or CPU may round differently; other data do not come this close.
        if (!(std::abs(now - stored) <= 1e-6 * (1 + std::abs(stored))) && now != stored)
            throw InputError(
                fmt::format("the model gives the checkpoint's first particle log f_1/f_0 = {}, where it was {} "
                            "when saved: the model's code or data have changed",
                            now, stored));
    }

    RunResult result() override {
        auto& main = batches();
        RunResult result;
        if constexpr (has_chains) {
            add_chains(result);
        } else {
            result.outcome = main.outcome();
            result.trace = main.trace();
        }
        add_likelihood_estimates(result);
        result.log_normaliser_start = model_->log_normaliser_start();
        parallel::on_root(ranks_, [&] { result.exact_log_ratio = model_->exact_log_ratio(inverse_temperature_end_); });
        if constexpr (requires { main.log_ratios(); } && !has_chains)
            if (main.n_batches() > 1) {
                result.batch_log_ratios = main.log_ratios();
                for (Index r = 0; r < main.n_batches(); ++r)
                    result.batch_traces.push_back(main.batch(r).trace());
            }
        if constexpr (HasParameters<Model> && !has_chains)
            add_posterior(result);
        if constexpr (HasDescribedData<Model>)
            add_data(result);
        if constexpr (Predicts<Model> && requires { main.batch(0).settings().seed; })
            add_predictions(result);
        if constexpr (HasImages<Model>)
            add_images(result);
        result.digest = digest(result);
        return result;
    }

    void result_fields(io::Writer& writer) override {
        if (has_chains)
            return; // all draws weigh the same
        auto& main = batches();
        for (Index r = 0; r < main.n_batches(); ++r) {
            auto& particles = main.batch(r).population().generation(0);
            const auto group = main.n_batches() == 1 ? std::string() : "batch-" + std::to_string(r) + "/";
            writer.sharded(group + "log_weight", particles.log_weights_field());
        }
    }

  private:
    static constexpr bool is_piloted = requires(S & s) { s.in_pilot(); };
    static constexpr bool has_chains = HasChains<S>;

    /// Collective. log f_b_end - log f_0 of the particle in slot 0, computed from its packed form: a resumed program
    /// that finds another value has another model.
    double first_log_ratio() {
        auto& population = current_population().generation(0);
        std::vector<double> local;
        parallel::together(ranks_, [&] {
            if (population.layout().first_local_item() == 0 && population.local_size() > 0) {
                std::vector<std::byte> packed(population.packed_bytes());
                population.pack(0, packed);
                local = {log_ratio_of(packed)};
            }
        });
        return ranks_.all_gather(std::span<const double>(local)).front();
    }
    double log_ratio_of(std::span<const std::byte> packed) const {
        auto block = model_->make_block(1);
        block.unpack(0, packed);
        if constexpr (HasDensityPoints<Model>) // its log densities are packed too
            model_->evaluate(block, block.points, block.log_prior, block.log_likelihood, {});
        model_->prepare(block);
        double ratio = 0;
        model_->add_log_ratio(block, 0, inverse_temperature_end_, {&ratio, 1});
        return ratio;
    }
    auto& current_population() {
        if constexpr (is_piloted)
            if (sampler_->in_pilot())
                return sampler_->pilot().population();
        return batches().batch(0).population();
    }

    static auto& batches_of(auto& sampler) {
        if constexpr (is_piloted)
            return sampler.main();
        else
            return sampler;
    }
    auto& batches() { return batches_of(*sampler_); }

    std::string digest(const RunResult& result) {
        auto& main = batches();
        io::Sha256 hash;
        for (Index r = 0; r < main.n_batches(); ++r) {
            auto& population = main.batch(r).population();
            for (Index g = 0; g < population.n_generations(); ++g) {
                auto& particles = population.generation(g);
                const Index run = particles.layout().block();
                hash.add(io::digest(ranks_, particles.particles_field(sampler::packed_particle_bytes(*model_)), run));
                hash.add(io::digest(ranks_, particles.log_weights_field(), run));
                if constexpr (has_chains)
                    hash.add(io::digest(ranks_, main.batch(r).record_field(), run));
            }
        }
        for (const auto& estimate : result.outcome.log_ratio)
            for (const double value : {estimate.value, estimate.standard_error.value_or(0)})
                hash.add(std::as_bytes(std::span(&value, 1)));
        return hash.finish_hex();
    }

    static void append(std::vector<double>& values, const std::vector<double>& more) {
        values.insert(values.end(), more.begin(), more.end());
    }

    void add_data(RunResult& result) const {
        if constexpr (model::HasDataDescription<Model>)
            result.data = model_->describe_data();
        else
            result.data = model_->density().describe_data();
    }

    /// How many likelihoods were estimated, for comparisons at equal cost.
    void add_likelihood_estimates(RunResult& result) {
        if constexpr (requires { requires model::HasEstimatedLikelihood<typename Model::Density>; }) {
            auto& diagnostics = result.outcome.diagnostics;
            auto& main = batches();
            if constexpr (requires { main.likelihood_estimates(); })
                diagnostics.push_back({"likelihood_estimates", static_cast<double>(main.likelihood_estimates()), {}});
            if constexpr (is_piloted)
                diagnostics.push_back(
                    {"pilot_likelihood_estimates", static_cast<double>(sampler_->pilot_likelihood_estimates()), {}});
        }
    }

    /// Of one batch.
    void add_chains(RunResult& result) {
        auto& sampler = batches().batch(0);
        result.parameter_names = model_->parameter_names();
        result.markov_chains = sampler.chain_outcome();
        result.outcome = sampler::judge_chains(*result.markov_chains);
        result.chains = sampler.settings().particles;
        result.draws_are_weighted = false;
        const auto& draws = result.markov_chains->draws;
        if (draws.empty())
            return;
        result.draws.resize(static_cast<Index>(draws.size()), draws.front().size());
        for (std::size_t k = 0; k < draws.size(); ++k)
            result.draws.row(static_cast<Index>(k)) =
                Eigen::Map<const Vector>(draws[k].data(), draws[k].size()).transpose();
        result.draw_log_weights.assign(static_cast<std::size_t>(draws.front().size()), 0.0);
        for (const auto& summary : result.markov_chains->summaries)
            result.posterior.push_back(summary.posterior);
    }

    /// Gathers every batch's parameters on rank 0 and summarises them there.
    void add_posterior(RunResult& result) {
        auto& main = batches();
        result.parameter_names = model_->parameter_names();
        const auto d = static_cast<Index>(result.parameter_names.size());
        std::vector<std::vector<estimator::PosteriorSummary>> summaries;
        std::vector<double> all_draws;
        result.chains = main.n_batches();
        result.has_densities = HasDensityPoints<Model>;
        for (Index r = 0; r < main.n_batches(); ++r) {
            auto& particles = main.batch(r).population().generation(0);
            std::vector<double> local, log_prior, log_likelihood;
            for (Index b = 0; b < particles.local_blocks(); ++b) {
                const auto& block = particles.block(b);
                if constexpr (HasDensityPoints<Model>) {
                    for (Index i = 0; i < block.size(); ++i) {
                        for (Index k = 0; k < d; ++k)
                            local.push_back(model_->natural(k, block.points(k, i)));
                        log_prior.push_back(block.log_prior(i));
                        log_likelihood.push_back(block.log_likelihood(i));
                    }
                } else {
                    const Matrix values = model_->parameters(block);
                    local.insert(local.end(), values.data(), values.data() + values.size());
                }
            }
            const auto draws = ranks_.gather(std::span<const double>(local));
            append(result.draw_log_prior, ranks_.gather(std::span<const double>(log_prior)));
            append(result.draw_log_likelihood, ranks_.gather(std::span<const double>(log_likelihood)));
            const auto log_w = ranks_.gather(std::span<const double>(particles.log_weights()));
            const auto eves = ranks_.gather(std::span<const std::int64_t>(particles.eves()));
            parallel::on_root(ranks_, [&] {
                const Eigen::Map<const Matrix> points(draws.data(), d, static_cast<Index>(log_w.size()));
                summaries.push_back(estimator::summarise_posterior(result.parameter_names, points, log_w, eves));
                append(all_draws, draws);
                // A batch counts in proportion to its estimate of Z.
                const double shift =
                    (main.n_batches() > 1 ? result.batch_log_ratios[static_cast<std::size_t>(r)] : 0.0) -
                    log_sum_exp(log_w);
                for (const double lw : log_w)
                    result.draw_log_weights.push_back(lw + shift);
            });
        }
        if (!ranks_.is_root())
            return;
        result.draws = Eigen::Map<const Matrix>(all_draws.data(), d, static_cast<Index>(all_draws.size()) / d);
        result.posterior =
            summaries.size() == 1 ? summaries.front() : estimator::combine_batches(summaries, result.batch_log_ratios);
    }

    /// Collective. What the posterior consists of, unconstrained: d x draws, on rank 0.
    Matrix points_of_all_batches() {
        auto& main = batches();
        if constexpr (has_chains) {
            return main.batch(0).points();
        } else {
            std::vector<double> all;
            for (Index r = 0; r < main.n_batches(); ++r) {
                auto& particles = main.batch(r).population().generation(0);
                std::vector<double> local;
                for (Index b = 0; b < particles.local_blocks(); ++b) {
                    const auto& block = particles.block(b);
                    local.insert(local.end(), block.points.data(),
                                 block.points.data() + block.size() * block.points.rows());
                }
                append(all, ranks_.gather(std::span<const double>(local)));
            }
            const Index d = model_->dimension();
            return Eigen::Map<const Matrix>(all.data(), d, static_cast<Index>(all.size()) / d);
        }
    }

    /// On rank 0: a few hundred draws of the parameters, whatever the number of particles.
    void add_predictions(RunResult& result) {
        auto& main = batches();
        const Matrix points = points_of_all_batches();
        result.predicts = true;
        parallel::on_root(ranks_, [&] {
            const PredictionSettings settings;
            const std::uint64_t seed = main.batch(0).settings().seed;
            const auto& density = model_->density();
            // The streams of draws 0, 1, ... are those of the chains in posterior.nc.
            const Matrix drawn = draw_points(points, result.draw_log_weights, settings.points, seed,
                                             static_cast<std::uint64_t>(result.chains));
            result.predictions = summarise_predictions(
                [&](std::span<const double> u, Index samples, const random::Address& address) {
                    return density.predict(u, samples, address);
                },
                drawn, result.data, settings, seed);
            describe_predictions(result.predictions, result.outcome);
        });
    }

    void add_images(RunResult& result) {
        constexpr Index most = 100;
        auto& sampler = batches().batch(0);
        auto& particles = sampler.population().generation(0);
        Index first = 0; // of parallel tempering, the states at the last temperature
        if constexpr (requires { sampler.first_wanted_slot(); })
            first = sampler.first_wanted_slot();
        std::vector<double> local;
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const Index place = particles.layout().first_local_item() + particles.block_begin(b) - first;
            const Index left = most - place;
            if (place < 0)
                continue;
            if (left <= 0)
                break;
            const Matrix images = model_->images(particles.block(b), inverse_temperature_end_);
            const Index n = std::min(left, images.cols());
            local.insert(local.end(), images.data(), images.data() + n * images.rows());
        }
        const auto all = ranks_.gather(std::span<const double>(local));
        if (!ranks_.is_root() || all.empty())
            return;
        const Index n_pixels = model_->image_rows() * model_->image_columns();
        const Eigen::Map<const Matrix> columns(all.data(), n_pixels, static_cast<Index>(all.size()) / n_pixels);
        result.images = Images{columns.transpose(), model_->image_rows(), model_->image_columns()};
    }

    parallel::Communicator ranks_;
    std::shared_ptr<const Model> model_;
    std::unique_ptr<S> sampler_;
    double inverse_temperature_end_;
};

} // namespace pearlite::app
