#pragma once
/// R independent runs of any sampler, with different seeds: their spread gives an error bar without any theory.

#include "algorithm/common/sampler.hpp"
#include "parallel/agreement.hpp"
#include "parallel/rank_groups.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// The part of one replicate's outcome that the outcome of several replicates needs.
struct SingleOutcome {
    double ess = 0;
    std::vector<std::string> warnings, estimators, notes;
    std::vector<double> values;         ///< of the estimators, the first of each
    std::vector<std::string> integrals; ///< those of the estimators that are
    std::vector<std::string> hidden;    ///< those whose errors are not shown
    LogWeightMoments log_weights;       ///< n is 0 without
    bool has_no_error_bar = false;      ///< for a reason that all replicates share, such as their pilot

    SingleOutcome() = default;
    explicit SingleOutcome(const Outcome& outcome);
    void fields(Fields& f);
};

/// The outcome of two replicates and more. `log_ratios` and whether exp of them is unbiased as of Found. A bridge is
/// the headline if it is that of every replicate: the choice does not look at the spread, which then is its error.
Outcome outcome_of_replicates(const std::vector<SingleOutcome>& replicates, std::span<const double> log_ratios,
                              bool is_unbiased);

/// of(0) + ... + of(n - 1); nothing if one of them is missing.
template <class T, class Of>
std::optional<T> sum_where_all_have(Index n, Of&& of) {
    T all{};
    for (Index k = 0; k < n; ++k) {
        const std::optional<T> one = of(k);
        if (!one)
            return {};
        all += *one;
    }
    return all;
}

/// log Z = log mean_r Z_r where the Z_r are unbiased, else mean_r log Z_r; its variance from their spread (Tran et al.,
/// section 3.3, with the 1/R that turns the variance of a replicate into that of the mean). A single replicate gives
/// the outcome that it would have alone.
///
/// The ranks form min(R, ranks) groups, each with its share of the replicates. All replicates advance step by step side
/// by side, by the same number of steps whatever the groups; a replicate that finishes early waits. Groups communicate
/// at least once in steps_per_agreement steps: they agree on failures and on whether all replicates have finished.
class Replicates final : public Sampler {
  public:
    using Make = std::function<std::unique_ptr<Sampler>(const parallel::Communicator& ranks, const random::Seed& seed)>;
    /// Collective. make(ranks, seed) builds a replicate of these ranks, its group. The only one has the run's own seed;
    /// of several, replicate r has that of replicate `first` + r of the run.
    Replicates(const parallel::Communicator& ranks, Index n, const random::Seed& seed, const Make& make,
               Index first = 0);

    void begin() override;
    /// As of the last agreement if there are several groups; the last step ends with an agreement.
    bool finished() const override;
    /// Collective. One step of every replicate that has steps left.
    void step() override;
    void flush() override;
    /// The fields of each replicate form one group, in the same order on whichever rank the replicate is.
    void fields(Fields& f) override;

    /// The slowest replicate's progress; replicates of other groups are known as of the last agreement.
    Progress progress() const override;

    Outcome outcome() const override;
    /// Collective; finished(). The outcomes of all replicates on rank 0, none on other ranks.
    std::vector<SingleOutcome> single_outcomes() const;
    /// The estimate of all replicates, with the error of their spread, if they are at one temperature; else the slowest
    /// replicate's estimate, without an error.
    LogRatioSoFar log_ratio_so_far() override;
    /// That of this group's first replicate, and the list of replicates if there are several. The schedule's survey is
    /// a pilot's, and sharded results are those of a single replicate.
    Found found() override;

    Index n_replicates() const { return groups_.owned().size(); }
    std::vector<double> log_ratios() const;
    bool has_replicate(Index r) const { return groups_.has(r); }
    Sampler& replicate(Index r);
    bool is_unbiased() const { return here_.front()->found().is_unbiased; }

  private:
    /// The state of a replicate that other groups know.
    struct Report {
        Index step = 0, steps = 0;
        double inverse_temperature = 0, ess = 0, log_ratio = 0;
        bool is_finished = false;
        std::optional<Index> likelihoods;
        std::optional<population::WorkAccount> work;
    };
    static Report report_of(const Sampler& replicate);
    /// Replicate r as it is now if this group has it, else as of the last agreement.
    Report report(Index r) const;

    bool is_one_group() const { return groups_.groups() == 1; }
    const Sampler& here(Index r) const;
    /// Calls work(replicate) for each replicate here, until one fails.
    template <class Work>
    void each(Work&& work) const;
    void agree();
    void list_fields(Fields& f);

    static constexpr Index steps_per_agreement = 16;

    parallel::Communicator ranks_;
    parallel::RankGroups groups_;
    random::Seed first_seed_;                    ///< of replicate 0 of these
    std::vector<std::unique_ptr<Sampler>> here_; ///< this group's
    std::vector<Report> reports_;                ///< of all, as of the last agreement; empty if there is one group
    Index steps_to_agreement_ = 1;
    mutable parallel::DelayedFailure failure_;
};

} // namespace pearlite::algorithm
