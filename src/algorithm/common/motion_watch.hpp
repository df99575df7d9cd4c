#pragma once
/// Measures how far the first particles of a population move at a temperature.

#include "kernel/kernel.hpp"
#include "pearlite/model/target.hpp"

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Sums over the particles of a block, with weights relative to the largest of the block; no sums of a block that is
/// not watched.
struct BlockMotion {
    double log_max = 0;
    std::vector<double> sums;
};

/// The motion by the sums of all blocks, made relative to one largest weight; without those of families.
kernel::Motion motion_of(std::span<const double> sums);

/// On how many families two means over the particles of a temperature rest: the number of independent particles whose
/// mean has the same variance. The means are those of u = d log f_b/db and of standing still. With B batches of
/// families, those whose Eves have the same remainder by B,
///
///     n = Var[x]/(B/(B - 1) sum_b (S_b - F_b Ex)^2)
///
/// F_b, S_b: the sums of W and of W x in batch b. NaN where not known, or where x is the same everywhere.
struct MotionFamilies {
    double energy = std::numeric_limits<double>::quiet_NaN();
    double unmoved = std::numeric_limits<double>::quiet_NaN();
};
inline constexpr std::size_t family_batches = 8;
/// They follow the other sums of a block that is watched by families.
inline constexpr std::size_t n_family_sums = 3 * family_batches;

MotionFamilies families_of_motion(std::span<const double> sums);

/// Watches the blocks of the first 1024 particles, enough for a mobility to a few per cent whatever the population's
/// size: it records their states before the moves of a temperature, and compares them with the states after the moves.
/// Coordinates are compared where particles are points of a density, energies u = d log f_b/db where the path is
/// linear; where neither holds, nothing is watched.
class MotionWatch {
  public:
    /// `by_family`: particles are resampled.
    explicit MotionWatch(std::shared_ptr<const model::Target> target, bool by_family = false);

    /// Whether local block b is among those watched.
    bool watches(const population::Generation& generation, Index b) const;
    /// The number of sums of a watched block.
    std::size_t n_sums() const;

    /// Takes note of a watched block's states before the moves at b_to, and of their energies.
    void remember(const population::Generation& generation, Index b, double b_to);
    /// The same for states that have not changed since compare() or remember(), whose energies are known.
    void remember_compared(const population::Generation& generation, Index b);
    /// The sums of local block b after its moves. `energies`: of the new states. `shape`: the population's, for the
    /// mobility in its norm; null: each coordinate counts for itself.
    BlockMotion compare(const population::Generation& generation, Index b, std::span<const double> log_weights,
                        std::span<const double> energies, const kernel::Shape* shape);

  private:
    struct Seen {
        Matrix points;                ///< d x size, before the moves
        std::vector<double> energies; ///< before the moves
        std::vector<double> compared; ///< energies after them
    };
    Seen& seen(Index b);

    std::shared_ptr<const model::Target> target_;
    Index dimension_;   ///< 0: no points
    bool has_energies_; ///< the path is linear
    bool by_family_;
    std::vector<Seen> seen_;
    Matrix jump_, centred_;
};

} // namespace pearlite::algorithm
