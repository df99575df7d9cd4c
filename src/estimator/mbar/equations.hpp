#pragma once
/// MBAR's equations, as the minimum of a convex function of the free energies: sums over samples that are the same on
/// any number of ranks, and Newton's method.

#include "core/exact_sum.hpp"
#include "estimator/mbar/mbar.hpp"
#include "parallel/communicator.hpp"
#include "pearlite/core/types.hpp"

#include <functional>
#include <vector>

namespace pearlite::estimator {

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
