#pragma once
/// The multistate Bennett acceptance ratio (Shirts & Chodera 2008, "Statistically optimal analysis of samples from
/// multiple equilibrium states"; the same equations as Vardi 1985, Geyer 1994 and Kong et al. 2003).

#include "core/exact_sum.hpp"
#include "estimator/series.hpp"
#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace pearlite::estimator {

/// Samples of some of K states, with their reduced potentials (energies in kT) in all of them. Samples are
/// dealt to ranks by blocks.
struct ReducedPotentials {
    parallel::Communicator ranks = parallel::Communicator::alone();
    parallel::BlockLayout layout; ///< of the samples, in blocks of mbar_block
    Matrix here;                  ///< u_k(x_n), K x this rank's samples; +infinity where x_n is impossible
    std::vector<Index> counts;    ///< N_k, K: the samples drawn from each state, on all ranks; 0 for some
    std::vector<Index> own = {};  ///< the state of each sample here; empty: samples come state by state
    Index states() const { return here.rows(); }
    /// The state of each sample of this rank.
    std::vector<Index> own_states() const;
};
/// Sums over samples are made block by block, whoever owns the block.
inline constexpr Index mbar_block = 1024;

struct Mbar {
    Vector free_energies;     ///< f_k, K, in kT; that of state `reference` is 0; infinite where no sample is possible
    Index reference = 0;      ///< the first state in which a sample is possible
    Matrix covariance;        ///< of estimates of f, K x K, up to what differences do not see
    Matrix overlap;           ///< O_ij: the probability that a sample of state i could be one of state j, K x K
    Vector effective_samples; ///< of averages in each state, K
    std::vector<SeriesVariance> series = {}; ///< of each state's samples in their order, K; empty: independent
    Index iterations = 0;
    double gradient = 0; ///< the largest |sum of probabilities - N_k|/N_k that is left

    /// The standard error of f_j - f_i.
    double standard_error(Index i, Index j) const;
    /// The least overlap among the best that connect all sampled states, each with its neighbours: the weakest link.
    double weakest_link(const std::vector<Index>& counts) const;
};

struct MbarLimits {
    double tolerance = 1e-10; ///< of the gradient
    Index most_iterations = 1000;
};

/// Collective; the same bits on any number of ranks. Newton's method on the convex function sum_n log sum_k N_k
/// exp(f_k - u_k(x_n)) - sum_k N_k f_k, with steps that make it smaller. InputError if no state has samples, if a
/// sample is impossible in its own state, or if a number is NaN or -infinity.
Mbar mbar(const ReducedPotentials& data, const MbarLimits& limits = {});

// Samples that depend on those before them, and samples that are not of their states (mbar_series.cpp).

/// Collective. Takes samples of a state as a series: its statistical inefficiency g_k is the largest of those of the
/// differences of reduced potentials to the two states that it overlaps most, or of the probabilities that these make
/// where some differences are infinite or huge.
/// The covariance becomes M B M', B = sum_k g_k N_k Cov_k(w) with the weights w_j(x) = exp(f_j - u_j(x))/sum_i N_i
/// exp(f_i - u_i(x)), M the linearised equations (a sandwich estimator, Liang & Zeger 1986).
void use_order(const ReducedPotentials& data, Mbar& result);

/// Collective. The degrees of freedom of the variance of f_j - f_i; infinite for independent samples.
double degrees_of(const ReducedPotentials& data, const Mbar& result, Index i, Index j);

/// Whether samples are of their states: S = sum_n (u_own(x_n) - sum_k p_k(x_n) u_k(x_n)), p_k the probability that a
/// sample is of state k, has mean 0. Its variance is that of the samples within their states, by their order if
/// `result` has it, with the estimation of the free energies projected out.
struct OwnershipTest {
    std::optional<double> z; ///< S over its standard deviation, with the skewness of the sum removed; none where all
                             ///< states have the same potentials, or none overlap
    double limit = 4;        ///< of |z|: that which a normal number exceeds as often as 4, for the variance's degrees
    bool passes() const;
};
/// Collective.
OwnershipTest ownership_test(const ReducedPotentials& data, const Mbar& result);

// MBAR's equations, as the minimum of a convex function of the free energies: sums over samples that are the same on
// any number of ranks, and Newton's method.

/// Sums of a vector and of the lower triangle of a matrix over all blocks of all ranks.
class MbarSums {
  public:
    MbarSums(Index vector, Index matrix)
        : vector_(vector), matrix_(matrix), sums_(static_cast<std::size_t>(vector + matrix * (matrix + 1) / 2)) {}
    void add(const Vector& vector, const Matrix& matrix);
    /// Collective.
    void finish(const parallel::Communicator& ranks);
    Vector vector() const;
    Matrix matrix() const;

  private:
    Index vector_, matrix_;
    std::vector<ExactSum> sums_;
};

/// sum_n log sum_k N_k exp(f_k - u_k(x_n)) - sum_k N_k f_k, over the f of sampled states.
struct MbarObjective {
    double value = 0;
    Vector probabilities; ///< sum_n p_k(x_n): the gradient is this minus N_k
    Matrix hessian;
};

struct MbarMinimum {
    Vector f; ///< that of the first state is as given
    MbarObjective objective;
    Index iterations = 0;
    double gradient = 0; ///< the largest |sum of probabilities - N_k|/N_k that is left
};

/// Collective if `evaluate` is. From f on, steps of Newton's method that make the function smaller; where none does,
/// the equations' own iteration. `counts` are the N_k.
MbarMinimum minimise(const Vector& counts, Vector f, const std::function<MbarObjective(const Vector& f)>& evaluate,
                     const MbarLimits& limits);

} // namespace pearlite::estimator
