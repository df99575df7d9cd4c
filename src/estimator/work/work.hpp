#pragma once
/// Evidence from nonequilibrium work (Habeck 2017): M_f forward and M_r reverse annealing trajectories over the same
/// path.
///
///   W = sum_{k=0}^{K-1} [E_{k+1}(x_k) - E_k(x_k)], in nats, of a forward path x_0 -> x_{K-1} or, with the same sign,
///   of a path run backwards; p_f(W) = p_r(W) exp(W + log Z) (Crooks), Z = Z_K/Z_0.
///
/// Forward works may be +inf (weight zero), reverse works -inf. NaN is a NumericalError. No function returns NaN.

#include "estimator/evidence/estimate.hpp"
#include "estimator/series.hpp"
#include "pearlite/random/detail/generator.hpp"
#include "population/families.hpp"
#include "population/shards.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::estimator {

/// -<W>_f <= log Z <= -<W>_r; the upper one holds only for exact reverse starts. Each with its standard error.
struct WorkBounds {
    double lower = 0, lower_standard_error = 0;
    double upper = 0, upper_standard_error = 0;
};

/// The histogram estimator: its value is BAR's; standard error and interval from its posterior (draws of log Z; fewer
/// than `draws`, but at least 400, of more than 5e4 works).
struct HistogramEstimate {
    Estimate estimate;
    std::vector<double> posterior; ///< independent draws of log Z
};

/// The overlap of the two work distributions.
struct WorkOverlap {
    double coefficient = 0; ///< integral of min(p_f, p_r) estimated from the works, 0 .. 1
    double effective = 0;   ///< sum_j q_j (1 - q_j) over all works, q_j = P(reverse | W_j) at BAR: the number of works
                            ///< that BAR's error rests on; n_f n_r/(n_f + n_r) if the distributions are equal
    std::int64_t crossing_forward = 0; ///< forward works below the largest reverse work
    std::int64_t crossing_reverse = 0; ///< reverse works above the smallest forward work
};

/// Logistic regression of direction (1 = forward) on W: Crooks' theorem gives slope 1 and intercept log(n_f/n_r) + log
/// Z.
struct CrooksCheck {
    bool is_defined = false; ///< false if the works are separable or all alike
    double slope = 0, slope_standard_error = 0;
    double log_ratio = 0, log_ratio_standard_error = 0; ///< intercept - log(n_f/n_r)
};

/// Effective overlap below which the works do not meet, and from which on error bars are true: BAR's standard error is
/// about 1/sqrt(effective), so 1 and 0.3 nats.
inline constexpr double least_effective_overlap = 1;
inline constexpr double good_effective_overlap = 10;

enum class WorkVerdict { agree, poor_overlap, reverse_start_not_equilibrated, too_fast, too_correlated };

/// How works that the program has not made were read: where they contradict themselves, it is this that may be wrong.
struct ForeignWorks {
    std::string unit = "kT"; ///< that the works were said to have
    double per_nat = 1;      ///< of that unit
};

/// Facts of a run besides its works.
struct WorkFacts {
    bool exact_reverse_start = false;
    /// Drift of the mean energy in the second half of the reverse starts' equilibration, in its standard errors; absent
    /// for exact starts.
    std::optional<double> start_drift_z;
    /// Families of the reverse starts, where these were resampled from a weighted population; null where they are
    /// independent.
    const population::Families* ancestors = nullptr;
    /// Whether works may depend on those before them, in the order of their slots.
    bool is_series = false;
    std::optional<ForeignWorks> foreign = {}; ///< works of other programs
};

/// Works as two series: what they stand for as BAR sees them, by q_j at its solution; and BAR's variance.
struct WorkSeries {
    SeriesVariance forward, reverse;
    double variance = 0;    ///< of BAR, by the long-run variances of q (Liang & Zeger 1986, of series)
    double independent = 0; ///< the same if no work depended on others
    double degrees = std::numeric_limits<double>::infinity(); ///< of freedom of `variance`

    double ratio() const { return independent > 0 ? variance / independent : 1; }
    bool is_too_short() const { return forward.is_too_short() || reverse.is_too_short(); }
};

struct WorkAnalysis {
    std::vector<Estimate> estimates; ///< bar with its largest error first, histogram, jarzynski-*, cumulant-*; error
                                     ///< bars withheld where not supported
    WorkBounds bounds;
    WorkOverlap overlap;
    CrooksCheck crooks;
    std::optional<WorkSeries> series; ///< where the works were looked at as series
    std::vector<double> posterior;    ///< of the histogram estimator; empty where refused
    WorkVerdict verdict = WorkVerdict::agree;
    std::string verdict_text; ///< begins with "agree", "poor overlap", "reverse start not equilibrated", "too fast" or
                              ///< "too correlated"; "inconsistent" for the third of works of other programs
    std::vector<std::string> warnings;
};

// Works are those that the ranks hold in shards; all functions are collective, and every rank gets the result, the same
// on any number of ranks. A work's part in all bootstrap replicates, or in all draws of the histogram's posterior, is
// drawn from its own address: the seed, the purpose, slot_id(0, slot) of a forward and slot_id(1, slot) of a reverse
// work.

/// log mean exp(-W_f), with the delta method's standard error.
Estimate jarzynski_forward(const population::Shards& forward);
/// -log mean exp(W_r): reverse annealed importance sampling.
Estimate jarzynski_reverse(const population::Shards& reverse);
WorkBounds work_bounds(const population::Shards& forward, const population::Shards& reverse);
/// Cumulant expansions (Hummer 2001): exact for normal work distributions only.
Estimate cumulant_forward(const population::Shards& forward);
Estimate cumulant_reverse(const population::Shards& reverse);
Estimate cumulant_both(const population::Shards& forward, const population::Shards& reverse);
/// Bennett's acceptance ratio (Bennett 1976), solved by bracketing and Newton's method; independent paths.
Estimate bar(const population::Shards& forward, const population::Shards& reverse);
/// Runs of successive works that a bootstrap resamples as one.
struct WorkBlocks {
    Index forward = 1, reverse = 1;
};
/// The same value with the bootstrap's error: both directions resampled, random numbers addressed by (seed, bootstrap).
Estimate bar_bootstrap(const population::Shards& forward, const population::Shards& reverse, const random::Seed& seed,
                       int replicates, const WorkBlocks& blocks = {});
/// BAR with the error that reverse works of common ancestors allow, by the linearised jackknife that leaves out
/// families (a sandwich estimator of clusters, Liang & Zeger 1986): with q_j the posterior of work j
/// (sharded_works.hpp), the variance is (sum_f (q_f - mean)^2 + sum_e (sum_{j of e} (q_j - mean))^2) / (sum_j q_j (1
/// - q_j))^2, e the ancestors.
Estimate bar_by_ancestors(const population::Shards& forward, const population::Shards& reverse,
                          const population::Families& ancestors);
HistogramEstimate histogram(const population::Shards& forward, const population::Shards& reverse,
                            const random::Seed& seed, int draws = 2000);
WorkOverlap work_overlap(const population::Shards& forward, const population::Shards& reverse);
/// The errors of series are those of their long-run variances.
CrooksCheck crooks_check(const population::Shards& forward, const population::Shards& reverse, bool is_series = false);

/// The parts of this rank's works in an estimate, up to a constant of each direction: the estimate's error is the sum
/// of their deviations. Empty for a direction that it does not use.
struct WorkInfluence {
    std::vector<double> forward, reverse;
};
/// Collective. The variance of an estimate of two series of works.
WorkSeries work_series(const parallel::Communicator& ranks, const WorkInfluence& influence);
/// Collective. That of BAR.
WorkSeries work_series(const population::Shards& forward, const population::Shards& reverse);

/// An estimator beside BAR and the histogram, which an analysis always has.
struct WorkEstimator {
    std::string name;
    Estimate (*estimate)(const population::Shards& forward, const population::Shards& reverse) = nullptr;
    WorkInfluence (*influence)(const population::Shards& forward, const population::Shards& reverse,
                               double value) = nullptr; ///< of works that are all finite, but for weights
    bool uses_reverse = true;
    bool uses_forward = true;
    /// A mean of exp(-W_f), -1, or of exp(W_r), 1, has weights, which are looked at; 0 of others.
    int weight_sign = 0;
    bool assumes_normal = false; ///< exact for normal work distributions only
};
#define PEARLITE_WORK_ESTIMATORS(name) std::vector<WorkEstimator> name##_estimators();
#include "estimator/work/list_of_estimators.inl"
#undef PEARLITE_WORK_ESTIMATORS
/// The estimators of list_of_estimators.inl, in its order.
const std::vector<WorkEstimator>& work_estimators();

/// Collective. Whether skewness and kurtosis of the works are those of normal numbers (Jarque & Bera 1980): normal ones
/// fail in 1 % of all samples. `independent`: how many independent works they stand for.
bool are_normal(const population::Shards& works, double independent);

/// Collective. Whether all works are one number, to rounding: nothing was dissipated, and every estimate is exact.
bool are_alike(const population::Shards& forward, const population::Shards& reverse);

/// Collective. Advice where works of other programs contradict each other: their unit, sign or column.
/// `slope`: Crooks', if it is defined.
std::string advice_on_foreign(const population::Shards& forward, const population::Shards& reverse,
                              const ForeignWorks& foreign, const CrooksCheck& crooks);

/// All estimates and diagnostics above, and a verdict on them.
WorkAnalysis analyse_work(const population::Shards& forward, const population::Shards& reverse, const WorkFacts& facts,
                          const random::Seed& seed);

} // namespace pearlite::estimator
