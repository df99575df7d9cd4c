#pragma once
/// Random-walk Metropolis on R^d with a proposal scaled to the population.

#include "kernel/kernel.hpp"
#include "pearlite/core/types.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <vector>

namespace pearlite::kernel {

/// x' = x + L z, z ~ N(0, I), L L' = (2.38^2/d) Cov_weighted; accepted with probability min(1, f_b(x')/f_b(x)).
///
/// L comes from the population itself at each temperature (online; it costs O(1/M) bias in Z), from a table made
/// beforehand by a pilot whose particles are thrown away (which keeps Z unbiased), or is one constant that the sampler
/// sets.
class RandomWalk : public Kernel {
  public:
    using Path = std::shared_ptr<const path::DensityPath>;

    /// Adapts online, and remembers the factor of every step for use by a later run. moves >= 1.
    RandomWalk(Path path, Index moves);
    /// Uses `factors`: row k is step k's d x d factor, lower triangular, column-major; step 0 is not used.
    RandomWalk(Path path, Index moves, const Matrix& factors);
    /// One factor, lower triangular, at every step.
    static RandomWalk constant(Path path, Index moves, const Matrix& factor);
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<RandomWalk>(*this); }

    const Matrix& factor() const { return factor_; }
    void set_factor(const Matrix& factor) { factor_ = factor; }
    /// (steps + 1) x d^2: the factors used so far (online) or given.
    Matrix learnt() const override;

    Index moves() const override { return moves_; }
    bool adapts() const override { return adaptation_ == Adaptation::online; }
    bool accepts() const override { return true; }
    /// With proposals that do not depend on the state, each move is its own reversal.
    bool is_time_reversible() const override { return true; }

    void adapt(const parallel::Communicator& ranks, const population::Generation& generation, Index step) override;
    Index move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const override;
    Index anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                 std::span<double> derivative) const override;
    Index anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                          std::span<double> increments, std::span<double> derivative) const override;
    void fields(Fields& f) override;

  private:
    enum class Adaptation { online, given, constant };

    Index propose_and_accept(model::DensityBlock& block, double b, const model::BlockStreams& streams) const;

    Path path_;
    Index moves_;
    Adaptation adaptation_;
    Matrix factor_;               ///< of the present step
    std::vector<double> factors_; ///< of all steps from 0, one after another
};

/// L with L L' = (2.38^2/d) covariance (Roberts, Gelman & Gilks 1997): steps L z, z ~ N(0, I). A covariance that is not
/// positive definite (few distinct particles) gives the diagonal of its variances; variances of zero (or not finite)
/// take the rows of `fallback` (d x d).
Matrix random_walk_factor(const Matrix& covariance, const Matrix& fallback);

} // namespace pearlite::kernel
