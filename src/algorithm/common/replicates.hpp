#pragma once
/// R independent runs of any sampler, each with a seed of its own: the error bar that needs no theory.

#include "algorithm/common/sampler.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace pearlite::algorithm {

/// log Z = log mean_r Z_r where the Z_r are unbiased, else mean_r log Z_r; its variance from their spread (Tran et al.,
/// section 3.3, with the 1/R that turns the variance of a replicate into that of the mean). A single replicate is what
/// it would be alone.
class Replicates final : public Sampler {
  public:
    using Make = std::function<std::unique_ptr<Sampler>(std::uint64_t seed)>;
    /// make(seed) builds a replicate. The only one has the run's own seed.
    Replicates(Index n, std::uint64_t seed, const Make& make);

    void begin() override;
    bool finished() const override;
    /// Collective. One step of every replicate that has some left.
    void step() override;
    void flush() override;
    void fields(Fields& f) override;

    /// The slowest replicate's.
    Progress progress() const override;
    Index updates_per_step() const override;
    std::optional<Index> likelihood_estimates() const override;
    std::optional<population::WorkAccount> work() const override;

    Outcome outcome() const override;
    /// Those of a single replicate; several write none.
    void result_fields(Fields& f) override;
    bool has_unbiased_normaliser() const override { return replicates_.front()->has_unbiased_normaliser(); }
    double log_ratio() const override;
    const Trace& trace() const override { return replicates_.front()->trace(); }
    population::Population& population() override { return replicates_.front()->population(); }
    bool has_path() const override { return replicates_.front()->has_path(); }
    Index first_wanted_slot() const override { return replicates_.front()->first_wanted_slot(); }
    const kernel::Kernel* kernel() const override { return replicates_.front()->kernel(); }
    const MarkovChains* markov_chains() const override { return replicates_.front()->markov_chains(); }
    std::optional<std::uint64_t> prediction_seed() const override { return replicates_.front()->prediction_seed(); }

    Index n_replicates() const override { return static_cast<Index>(replicates_.size()); }
    Sampler& replicate(Index r) override { return *replicates_[static_cast<std::size_t>(r)]; }
    std::vector<double> log_ratios() const;

  private:
    std::vector<std::unique_ptr<Sampler>> replicates_;
};

} // namespace pearlite::algorithm
