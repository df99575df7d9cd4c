#include "app/result/annealing_run.hpp"

#include "app/result/gather_images.hpp"

#include "io/container/container_fields.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/path/density_path.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace pearlite::app {

AnnealingRun::AnnealingRun(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                           std::unique_ptr<algorithm::Sampler> sampler, double inverse_temperature_end,
                           std::uint64_t seed)
    : ranks_(ranks),
      target_(std::move(target)),
      sampler_(std::move(sampler)),
      inverse_temperature_end_(inverse_temperature_end),
      seed_(seed) {}

std::optional<population::WorkAccount> AnnealingRun::work() const {
    return ranks_.size() == 1 ? std::nullopt : sampler_->work();
}

void AnnealingRun::save(io::Writer& writer) {
    sampler_->flush();
    io::ContainerFields fields(writer);
    sampler_->fields(fields);
    writer("first_log_ratio", first_log_ratio());
}

void AnnealingRun::restore(io::Reader& reader) {
    io::ContainerFields fields(reader);
    sampler_->fields(fields);
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

RunResult AnnealingRun::result() {
    RunResult result;
    const bool has_chains = sampler_->markov_chains() != nullptr;
    if (has_chains) {
        samples_ = gather_chains(ranks_, *target_, *sampler_, result);
    } else {
        result.outcome = sampler_->outcome();
        result.trace = sampler_->trace();
        result.has_path = sampler_->has_path();
    }
    add_likelihood_estimates(result);
    result.log_normaliser_start = target_->log_normaliser_start();
    parallel::on_root(ranks_, [&] { result.exact_log_ratio = target_->exact_log_ratio(inverse_temperature_end_); });
    if (!has_chains && sampler_->n_replicates() > 1)
        for (Index r = 0; r < sampler_->n_replicates(); ++r) {
            result.batch_log_ratios.push_back(sampler_->replicate(r).log_ratio());
            result.batch_traces.push_back(sampler_->replicate(r).trace());
        }
    if (!has_chains && target_->offers<model::ReportedParameters>())
        samples_ = gather_posterior(ranks_, *target_, *sampler_, seed_, result);
    if (const auto* data = target_->offers<model::DescribedData>())
        result.data = data->describe_data();
    if (target_->offers<model::Predictive>() && sampler_->prediction_seed())
        gather_predictions(ranks_, *target_, *sampler_, samples_, result);
    if (target_->offers<model::ParticleImages>())
        result.images = gather_images(ranks_, *target_, *sampler_, inverse_temperature_end_);
    result.digest = digest(result);
    return result;
}

void AnnealingRun::result_fields(io::Writer& writer) {
    if (!samples_.parts.empty())
        samples_.write(writer);
    if (sampler_->markov_chains())
        return; // all draws weigh the same
    for (Index r = 0; r < sampler_->n_replicates(); ++r) {
        auto& particles = sampler_->replicate(r).population().generation(0);
        const auto group = sampler_->n_replicates() == 1 ? std::string() : "batch-" + std::to_string(r) + "/";
        writer.sharded(group + "log_weight", particles.log_weights_field());
    }
    io::ContainerFields fields(writer);
    sampler_->result_fields(fields);
}

double AnnealingRun::first_log_ratio() {
    auto& population = sampler_->replicate(0).population();
    auto& particles = population.generation(0);
    std::vector<double> local;
    parallel::together(ranks_, [&] {
        if (particles.layout().first_local_item() == 0 && particles.local_size() > 0) {
            std::vector<std::byte> packed(population.particle_bytes());
            particles.pack(0, packed);
            local = {log_ratio_of(packed)};
        }
    });
    return ranks_.all_gather(std::span<const double>(local)).front();
}

double AnnealingRun::log_ratio_of(std::span<const std::byte> packed) const {
    const auto block = target_->make_block(1);
    block->unpack(0, packed);
    target_->recompute(*block);
    double ratio = 0;
    target_->add_log_ratio(*block, 0, inverse_temperature_end_, {&ratio, 1});
    return ratio;
}

std::string AnnealingRun::digest(const RunResult& result) {
    io::Sha256 hash;
    for (Index r = 0; r < sampler_->n_replicates(); ++r) {
        auto& replicate = sampler_->replicate(r);
        auto& population = replicate.population();
        for (Index g = 0; g < population.n_generations(); ++g) {
            auto& particles = population.generation(g);
            const Index run = particles.layout().block();
            hash.add(io::digest(ranks_, particles.particles_field(population.particle_bytes()), run));
            hash.add(io::digest(ranks_, particles.log_weights_field(), run));
            if (const auto* chains = replicate.markov_chains())
                hash.add(io::digest(ranks_, chains->record_field(), run));
        }
    }
    for (const auto& estimate : result.outcome.log_ratio)
        for (const double value : {estimate.value, estimate.standard_error.value_or(0)})
            hash.add(std::as_bytes(std::span(&value, 1)));
    return hash.finish_hex();
}

void AnnealingRun::add_likelihood_estimates(RunResult& result) const {
    const auto* path = target_->offers<path::DensityPath>();
    if (!path || !path->is_estimated())
        return;
    auto& diagnostics = result.outcome.diagnostics;
    if (const auto made = sampler_->likelihood_estimates())
        diagnostics.push_back({"likelihood_estimates", static_cast<double>(*made), {}});
    if (const auto made = sampler_->pilot_likelihood_estimates())
        diagnostics.push_back({"pilot_likelihood_estimates", static_cast<double>(*made), {}});
}

} // namespace pearlite::app
