#pragma once
/// Any sampler over any model as a Run.

#include "pearlite/app/gather_images.hpp"
#include "pearlite/app/gather_posterior.hpp"
#include "pearlite/app/model_offers.hpp"
#include "pearlite/app/run.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/sampler/batches.hpp"
#include "pearlite/sampler/piloted.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace pearlite::app {

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
            gather_chains(*model_, main.batch(0), result);
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
            gather_posterior(ranks_, *model_, main, result);
        if constexpr (HasDescribedData<Model>)
            add_data(result);
        if constexpr (Predicts<Model> && requires { main.batch(0).settings().seed; })
            gather_predictions(ranks_, *model_, main, result);
        if constexpr (HasImages<Model>)
            result.images = gather_images(ranks_, *model_, main.batch(0), inverse_temperature_end_);
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

    parallel::Communicator ranks_;
    std::shared_ptr<const Model> model_;
    std::unique_ptr<S> sampler_;
    double inverse_temperature_end_;
};

} // namespace pearlite::app
