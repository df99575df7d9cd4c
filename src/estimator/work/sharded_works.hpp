#pragma once
/// Both sets of works as Bennett's equation sees them, where the ranks hold them in shards; their moments, and the
/// logistic fit of Crooks' check. Internal to the layer.

#include "estimator/work/work.hpp"
#include "pearlite/random/stream.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace pearlite::estimator::detail {

// Bennett's equation and its solver.

/// Sums of q_j, 1 - q_j and q_j (1 - q_j) over the finite works at L; each precise however small, down to underflow.
struct PosteriorSums {
    double q = 0;
    double not_q = 0;
    double q_not_q = 0;
};
/// Logarithms of sum q and of sum 1 - q, which would underflow far from all works.
struct LogSums {
    double log_q = 0, log_not_q = 0;
};
/// With L = log Z and q_j = P(reverse | W_j) = 1/(1 + (n_f/n_r) e^{L + W_j}), Bennett's equation is sum_j q_j = n_r
/// over all works, whatever a work's direction; here in the form that its solver needs: the values that sum q and sum 1
/// - q over the finite works must have, the smallest and largest work, and log(n_f/n_r).
struct BennettEquation {
    double target = 0, rest = 0;
    double smallest = 0, largest = 0;
    double log_odds = 0;
    /// The sums at L, and the logarithms of sum q and sum 1 - q where these may underflow.
    std::function<PosteriorSums(double log_ratio)> sums;
    std::function<LogSums(double log_ratio)> log_sums;
};
/// The root L: -inf or +inf if no finite one exists (all forward, or all reverse works infinite).
double solve(const BennettEquation& equation);

/// Works of both directions; all numbers are those of all ranks. A forward work of +inf has q = 0 and a reverse work of
/// -inf has q = 1 in Bennett's equation; both are left out of its sums.
struct ShardedWorks {
    population::Shards forward, reverse;
    double n_forward = 0, n_reverse = 0;
    double n_infinite_forward = 0, n_infinite_reverse = 0;
    double smallest = 0, largest = 0; ///< of the finite works
    double log_odds() const { return std::log(n_forward / n_reverse); }
    double target() const { return n_reverse - n_infinite_reverse; }
    double n_finite() const { return n_forward + n_reverse - n_infinite_forward - n_infinite_reverse; }

    /// Adds n sums over this rank's finite works to `sums`: terms(W) returns the n terms, as std::array<double, n>.
    template <std::size_t n, class Terms>
    void add(population::BlockSums& sums, Terms&& terms) const {
        for (const auto* works : {&forward, &reverse})
            population::add_blocks<n>(sums, works->layout, [&](std::size_t i) {
                return std::isfinite(works->here[i]) ? terms(works->here[i]) : std::array<double, n>{};
            });
    }
    /// Collective. The sums of all ranks.
    template <std::size_t n, class Terms>
    std::array<double, n> sums(Terms&& terms) const {
        population::BlockSums sums(n);
        add<n>(sums, terms);
        const auto total = sums.total(forward.ranks);
        std::array<double, n> result{};
        std::copy(total.begin(), total.end(), result.begin());
        return result;
    }
    /// Calls use(W, id) for each work of this rank; the id is the slot's in generation 0 (forward) or 1 (reverse).
    template <class Use>
    void for_each(Use&& use) const {
        for (std::size_t i = 0; i < forward.here.size(); ++i)
            use(forward.here[i], random::slot_id(0, forward.slot(i)));
        for (std::size_t i = 0; i < reverse.here.size(); ++i)
            use(reverse.here[i], random::slot_id(1, reverse.slot(i)));
    }
};

/// Collective. NumericalError on all ranks for NaN, a forward -inf or a reverse +inf; ContractViolation if a set is
/// empty.
ShardedWorks sharded_works(const population::Shards& forward, const population::Shards& reverse);

/// Collective.
PosteriorSums posterior_sums(const ShardedWorks& works, double log_ratio);
double solve_bar(const ShardedWorks& works);

/// The smallest forward and the largest reverse work.
struct Ends {
    double smallest_forward = 0, largest_reverse = 0;
};
/// Collective.
Ends ends_of(const ShardedWorks& works);

/// Sums of R numbers each, 0 <= number <= `largest`, over many items: fixed-point, so that they do not depend on the
/// items' order, and vectorised over the R. Terms are rounded to a unit of about `largest` 2^-(59 - log2(items)), or
/// 2^-47.
class IntegerSums {
  public:
    /// n_items: of all ranks; `largest` a power of two.
    IntegerSums(std::size_t R, double n_items, double largest);
    /// Adds term(r) to every sum r.
    template <class Term>
    void add(Term&& term) {
        // 1.5 x 2^52 rounds to an integer and leaves it in the low bits.
        constexpr double rounder = 0x1.8p52;
        const double scale = scale_;
        std::int64_t* const sums = sums_.data();
        const std::size_t R = sums_.size();
        for (std::size_t r = 0; r < R; ++r)
            sums[r] += std::bit_cast<std::int64_t>(term(r) * scale + rounder) - std::bit_cast<std::int64_t>(rounder);
    }
    /// Collective.
    std::vector<double> total(const parallel::Communicator& ranks);

  private:
    double scale_;
    std::vector<std::int64_t> sums_;
};

// Crooks' theorem by logistic regression, of sums over the works.

/// Sums over standardised works y with P(forward | W) = 1/(1 + exp(-(intercept + slope y))).
struct CrooksLikelihood {
    struct Derivatives {
        Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
        Eigen::Matrix2d information = Eigen::Matrix2d::Zero(); ///< minus the second derivatives: inverse covariance
    };
    std::function<double(double intercept, double slope)> log_likelihood;
    std::function<Derivatives(double intercept, double slope)> derivatives;
};
struct CrooksFit {
    double intercept = 0, slope = 0;
    Eigen::Matrix2d information = Eigen::Matrix2d::Zero();
    bool converged = false;
};
CrooksFit fit_logistic(const CrooksLikelihood& likelihood);

/// The fit to works y = (W + log_ratio)/width.
CrooksCheck crooks_check(const CrooksFit& fit, double log_ratio, double log_odds, double width);

// Errors of estimates from works that are series.

/// The error that an estimate of independent works has, times the root of series.ratio().
void use_series(Estimate& estimate, const WorkSeries& series);
/// BAR with the root of the series' own variance.
Estimate bar_of_series(Estimate bar, const WorkSeries& series);
/// Blocks of two statistical inefficiencies (Künsch 1989).
WorkBlocks blocks_of(const WorkSeries& series);
/// Collective. BAR's standard error that a bootstrap of these blocks sees, to first order; too small where correlations
/// reach from block to block.
double spread_in_blocks(const population::Shards& forward, const population::Shards& reverse, const WorkBlocks& blocks);
/// Stretches an estimate's error, and draws of it, about its value.
void stretch(Estimate& estimate, std::vector<double>& draws, double factor);

// Estimates that moments of the works decide.

/// Central moments; variance with n - 1.
struct WorkMoments {
    double n = 0, mean = 0, variance = 0, third = 0, fourth = 0;
};

/// As the functions of the same names in work.hpp, of both directions' moments: none where a work is infinite.
using FiniteMoments = std::optional<WorkMoments>;
WorkBounds work_bounds(const FiniteMoments& forward, const FiniteMoments& reverse);
Estimate cumulant_forward(const FiniteMoments& forward);
Estimate cumulant_reverse(const FiniteMoments& reverse);
Estimate cumulant_both(const FiniteMoments& forward, const FiniteMoments& reverse);

} // namespace pearlite::estimator::detail
