#pragma once
/// R independent runs of a sampler in lockstep, each with a seed of its own: the error bar that needs no theory.

#include "pearlite/core/log_space.hpp"
#include "pearlite/estimator/genealogy.hpp"
#include "pearlite/random/stream.hpp"
#include "pearlite/sampler/settings.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::sampler {

/// log Z = log mean_r Z_r, its variance from the spread of the Z_r (Tran et al., section 3.3, with the 1/R that
/// turns the variance of a batch into that of the mean). With one batch it is that batch.
template <class S>
class Batches {
  public:
    using Sampler = S;
    using Model = typename S::Model;
    using Block = typename S::Block;

    /// make(seed) builds a batch; collective. Batch 0 of a single-batch run has the run's own seed.
    Batches(Index n_batches, std::uint64_t seed, const std::function<S(std::uint64_t seed)>& make) {
        for (Index r = 0; r < n_batches; ++r)
            batches_.push_back(std::make_unique<S>(
                make(n_batches == 1 ? seed : random::derive_seed(seed, static_cast<std::uint64_t>(r)))));
    }

    bool finished() const {
        for (const auto& batch : batches_)
            if (!batch->finished())
                return false;
        return true;
    }
    /// Collective. One temperature of every batch that has some left.
    void step() {
        for (auto& batch : batches_)
            if (!batch->finished())
                batch->step();
    }
    void flush() {
        for (auto& batch : batches_)
            batch->flush();
    }

    /// The slowest batch's.
    Progress progress() const {
        Progress slowest = batches_.front()->progress();
        for (const auto& batch : batches_)
            if (const auto p = batch->progress(); p.inverse_temperature < slowest.inverse_temperature)
                slowest = p;
        return slowest;
    }

    /// Collective; finished().
    Outcome outcome() const {
        if (batches_.size() == 1)
            return batches_.front()->outcome();
        Outcome outcome;
        std::map<std::string, std::vector<double>> others; // by estimator, a value of every batch that has it
        for (const auto& batch : batches_) {
            auto single = batch->outcome();
            outcome.ess += single.ess;
            for (auto& warning : single.warnings)
                outcome.warnings.push_back("batch " + std::to_string(&batch - batches_.data()) + ": " + warning);
            for (std::size_t k = 1; k < single.log_ratio.size(); ++k)
                others[single.log_ratio[k].estimator].push_back(single.log_ratio[k].value);
        }
        outcome.log_ratio = {estimator::batch_estimate(log_ratios())};
        for (const auto& [name, values] : others)
            if (values.size() == batches_.size())
                outcome.log_ratio.push_back(estimator::batch_mean(name, values));
        if (batches_.size() < 8)
            outcome.warnings.push_back(
                "an error bar from fewer than 8 batches is itself uncertain by a quarter or more");
        return outcome;
    }

    Index n_batches() const { return static_cast<Index>(batches_.size()); }
    S& batch(Index r) { return *batches_[static_cast<std::size_t>(r)]; }
    const S& batch(Index r) const { return *batches_[static_cast<std::size_t>(r)]; }
    std::vector<double> log_ratios() const {
        std::vector<double> values;
        for (const auto& batch : batches_)
            values.push_back(batch->log_ratio());
        return values;
    }

    const Trace& trace() const { return batches_.front()->trace(); }
    Index updates_per_step() const { return batches_.front()->updates_per_step() * n_batches(); }
    Index likelihood_estimates() const requires requires(const S& batch) { batch.likelihood_estimates(); }
    {
        Index all = 0;
        for (const auto& batch : batches_)
            all += batch->likelihood_estimates();
        return all;
    }

    template <class Fields>
    void fields(Fields& f) {
        for (std::size_t r = 0; r < batches_.size(); ++r) {
            f.enter("batch-" + std::to_string(r));
            batches_[r]->fields(f);
            f.leave();
        }
    }
    void prepare() {
        for (auto& batch : batches_)
            batch->prepare();
    }

  private:
    std::vector<std::unique_ptr<S>> batches_;
};

} // namespace pearlite::sampler
