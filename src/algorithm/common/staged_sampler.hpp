#pragma once
/// A sampler that runs other samplers one after another, and forwards calls to the present one.

#include "algorithm/common/sampler.hpp"
#include "pearlite/random/detail/generator.hpp"

namespace pearlite::algorithm {

/// Derived classes define begin(), finished(), step() and fields().
class StagedSampler : public Sampler {
  public:
    void flush() override { current().flush(); }
    Progress progress() const override { return current().progress(); }
    Index updates_per_step() const override { return current().updates_per_step(); }
    std::optional<Index> likelihood_estimates() const override { return current().likelihood_estimates(); }
    std::optional<population::WorkAccount> work() const override { return current().work(); }

    Outcome outcome() const override { return current().outcome(); }
    void result_fields(Fields& f) override { current().result_fields(f); }
    bool has_unbiased_normaliser() const override { return current().has_unbiased_normaliser(); }
    double log_ratio() const override { return current().log_ratio(); }
    LogRatioSoFar log_ratio_so_far() override { return current().log_ratio_so_far(); }
    const Trace& trace() const override { return current().trace(); }
    population::Population& population() override { return current().population(); }
    bool has_path() const override { return current().has_path(); }
    Index first_wanted_slot() const override { return current().first_wanted_slot(); }
    Index chain_length() const override { return current().chain_length(); }
    const kernel::Kernel* kernel() const override { return current().kernel(); }
    const MarkovChains* markov_chains() const override { return current().markov_chains(); }
    const RecordedDraws* recorded_draws() const override { return current().recorded_draws(); }
    std::optional<random::Seed> prediction_seed() const override { return current().prediction_seed(); }
    double needed_mobility() const override { return current().needed_mobility(); }
    const SurveyRecord* survey() const override { return current().survey(); }
    const model::Target* target() const override { return current().target(); }
    Index n_replicates() const override { return current().n_replicates(); }
    std::vector<double> log_ratios() const override { return current().log_ratios(); }
    std::vector<Trace> traces() const override { return current().traces(); }
    std::vector<GrowthRecord> growth_records() const override { return current().growth_records(); }
    bool has_replicate(Index r) const override { return current().has_replicate(r); }
    Sampler& replicate(Index r) override { return current().replicate(r); }
    parallel::Communicator team(const parallel::Communicator& all) const override { return current().team(all); }

  private:
    virtual Sampler& current() const = 0;
};

} // namespace pearlite::algorithm
