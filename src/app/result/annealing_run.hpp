#pragma once
/// Any sampler over any target as a Run.

#include "algorithm/common/sampler.hpp"
#include "app/result/run.hpp"
#include "pearlite/model/target.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <memory>

namespace pearlite::app {

class AnnealingRun final : public Run {
  public:
    AnnealingRun(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                 std::unique_ptr<algorithm::Sampler> sampler, double inverse_temperature_end, const random::Seed& seed);

    void begin() override { sampler_->begin(); }
    bool finished() const override { return sampler_->finished(); }
    void step() override { sampler_->step(); }
    void settle() override { sampler_->flush(); }
    algorithm::Progress progress() const override { return sampler_->progress(); }
    bool in_pilot() const override { return sampler_->in_pilot(); }
    Index stage() const override { return sampler_->stage(); }
    Index updates_per_step() const override { return sampler_->updates_per_step(); }
    std::optional<Index> evaluations() const override { return sampler_->likelihood_estimates(); }
    std::optional<population::WorkAccount> work() const override;

    void save(io::Writer& writer) override;
    void restore(io::Reader& reader) override;

    SoFar so_far() override;
    RunResult result() override;

  private:
    /// Collective. log f_b_end - log f_0 of the particle in slot 0, computed from its packed form: a resumed program
    /// that finds another value has another model.
    double first_log_ratio();
    /// The model's target, or the one that the sampler has made of it.
    const model::Target& target() const { return sampler_->target() ? *sampler_->target() : *target_; }
    double log_ratio_of(std::span<const std::byte> packed) const;

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    std::unique_ptr<algorithm::Sampler> sampler_;
    double inverse_temperature_end_;
    random::Seed seed_;
};

} // namespace pearlite::app
