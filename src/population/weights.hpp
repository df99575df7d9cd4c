#pragma once
/// Summaries of log weights: normalisation, effective sample size, weighted moments. Every number is the same for any
/// number of ranks: terms are summed within a block in a fixed order, and the blocks' sums exactly.

#include "core/exact_sum.hpp"
#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"

#include <exception>
#include <span>
#include <vector>

namespace pearlite::population {

/// Normalisation of a set of M weights, w relative to the largest.
struct WeightSummary {
    double log_max = 0;  ///< largest log weight; log_zero if no particle is left
    double log_sum = 0;  ///< log sum w
    double log_mean = 0; ///< log (sum w / M)
    double ess = 0;      ///< (sum w)^2 / sum w^2, in particles; 0 if no particle is left
};

/// Collective. The largest log weight of all ranks; log_zero if no particle is left. log_weights holds the local
/// particles of `layout`; NaN and +inf are NumericalErrors that name the particle.
double largest_log_weight(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                          std::span<const double> log_weights, const std::exception_ptr& failure = nullptr,
                          std::span<double> further = {});

/// Collective: two reductions. Errors as for largest_log_weight; `failure`: what kept this rank from its weights, on
/// which the ranks agree; `further`: numbers that become the largest of all ranks in the first of the reductions.
WeightSummary summarise(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                        std::span<const double> log_weights, const std::exception_ptr& failure = nullptr,
                        std::span<double> further = {});

/// Collective. Conditional ESS of one reweighting by `log_increments` (Zhou, Johansen & Aston 2016), as a fraction:
/// (sum W e^inc)^2 / sum W e^{2 inc}, W the normalised present weights. In (0, 1]; 1 if nothing changes. Particles
/// whose increment is -inf are left out of W too: any step loses them, however short. 0 if no particle is left.
double conditional_ess(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                       std::span<const double> log_weights, std::span<const double> log_increments,
                       const std::exception_ptr& failure = nullptr);

/// Weighted mean and covariance of points over all ranks.
struct Moments {
    Vector mean;
    Matrix covariance;
};
/// Collective. points: d x local particles. Weights need not be normalised; log_max as in their summary.
Moments weighted_moments(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                         std::span<const double> log_weights, double log_max, const Eigen::Ref<const Matrix>& points);

/// Weighted mean and variances of points over all ranks.
struct Variances {
    Vector mean, variances;
};
/// Collective. As weighted_moments(), with O(d) numbers in place of O(d^2).
Variances weighted_variances(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                             std::span<const double> log_weights, double log_max,
                             const Eigen::Ref<const Matrix>& points);

/// A sum of weights relative to the largest weight of all, or of their squares, to a multiple of 2^-80: sums of these
/// have few bits, however far apart weights are, and what is lost is below 2^-60 of the largest term.
inline double weight_term(double sum) {
    constexpr double rounder = 0x1.8p-28, exact_from = 0x1p-29; // 2^52 units
    return sum < exact_from ? sum + rounder - rounder : sum;
}

/// Sums over particles: add() takes a block's terms, total() is collective.
class BlockSums {
  public:
    explicit BlockSums(std::size_t n_sums) : sums_(n_sums) {}
    /// Adds a block's partial sum to sum k. The caller sums within the block in a fixed order.
    void add(std::size_t k, double block_sum) { sums_[k].add(block_sum); }
    std::vector<double> total(const parallel::Communicator& ranks);

  private:
    std::vector<ExactSum> sums_;
};

} // namespace pearlite::population
