#include "app/result/annealing_run.hpp"

#include "app/result/parts/kinds.hpp"

#include "io/container/container_fields.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace pearlite::app {

AnnealingRun::AnnealingRun(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                           std::unique_ptr<algorithm::Sampler> sampler, double inverse_temperature_end,
                           const random::Seed& seed)
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

SoFar AnnealingRun::so_far() {
    SoFar found;
    if (sampler_->markov_chains())
        return found;
    found.log_ratio = sampler_->log_ratio_so_far();
    FinishedRun run{ranks_, target(), *sampler_, inverse_temperature_end_, seed_};
    for (const auto make : {trace_part, growth_part})
        if (auto part = make(run))
            found.parts.push_back(std::move(part));
    return found;
}

RunResult AnnealingRun::result() {
    return result_of(parts_of({ranks_, target(), *sampler_, inverse_temperature_end_, seed_}));
}

double AnnealingRun::first_log_ratio() {
    const auto generations = shares_of(ranks_, *sampler_, 0);
    if (generations.empty()) // the path is being fitted
        return 0;
    const auto& particles = generations.front();
    std::vector<double> local;
    parallel::together(ranks_, [&] {
        if (particles.layout().first_local_item() == 0 && particles.local_size() > 0) {
            std::vector<std::byte> packed(particles.particle_bytes());
            particles.pack(0, packed);
            local = {log_ratio_of(packed)};
        }
    });
    return ranks_.all_gather(std::span<const double>(local)).front();
}

double AnnealingRun::log_ratio_of(std::span<const std::byte> packed) const {
    const auto block = target().make_block(1);
    block->unpack(0, packed);
    target().recompute(*block);
    double ratio = 0;
    target().add_log_ratio(*block, 0, inverse_temperature_end_, {&ratio, 1});
    return ratio;
}

} // namespace pearlite::app
