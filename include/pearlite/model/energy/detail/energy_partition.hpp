#pragma once
/// The cut of a space into regions of energy (Karagiannis et al. 2017, section 2).

#include "pearlite/core/types.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace pearlite::model {

/// Grid points u_1 < ... < u_m cut the energies into m + 1 regions. Region j = 0 .. m (the paper's J(x) - 1) is
/// (u_j, u_{j+1}] with u_0 = -inf and u_{m+1} = +inf.
class EnergyPartition {
  public:
    /// One region.
    EnergyPartition() = default;
    /// InputError unless the points are finite and increase.
    explicit EnergyPartition(std::vector<double> points);
    /// m >= 1 points from `low` to `high`, equally far apart; `low` alone for m = 1.
    static EnergyPartition uniform(double low, double high, Index m);

    Index regions() const { return static_cast<Index>(points_.size()) + 1; }
    std::span<const double> points() const { return points_; }
    /// Finds regions for a loop, which need not look up the partition again and again. Refers to the partition.
    class Finder {
      public:
        explicit Finder(const EnergyPartition& partition)
            : partition_(&partition),
              points_(partition.points_.data()),
              m_(static_cast<Index>(partition.points_.size())),
              first_(partition.points_.empty() ? 0 : partition.points_.front()),
              per_width_(partition.per_width_) {}

        /// The number of points below `energy`; for +inf or NaN the last region.
        Index operator()(double energy) const {
            if (m_ == 0)
                return 0;
            if (!partition_->is_uniform_)
                return partition_->search(energy);
            // A guess that is exact for equal distances but for rounding.
            const double place = (energy - first_) * per_width_;
            Index j = place > 0 ? (place < static_cast<double>(m_) ? static_cast<Index>(place) : m_ - 1) : 0;
            while (j < m_ && !(energy <= points_[j]))
                ++j;
            while (j > 0 && energy <= points_[j - 1])
                --j;
            return j;
        }

      private:
        const EnergyPartition* partition_;
        const double* points_;
        Index m_;
        double first_, per_width_;
    };

    /// The number of points below `energy`; for +inf or NaN the last region.
    Index region(double energy) const { return Finder(*this)(energy); }

  private:
    Index search(double energy) const;

    std::vector<double> points_;
    bool is_uniform_ = true;
    double per_width_ = 0;
};

/// pi_j proportional to exp(-lambda j), j = 0 .. regions-1; they sum to 1.
std::vector<double> desired_probabilities(Index regions, double lambda);

/// The scale of a proposal, which may grow with the region of the state: s (j + 1) / (m + 1), or s everywhere.
struct ProposalScale {
    double scale = 1;
    const EnergyPartition* by_region = nullptr; ///< null: the same everywhere

    double operator()(double energy) const {
        return by_region ? scale * static_cast<double>(by_region->region(energy) + 1) /
                               static_cast<double>(by_region->regions())
                         : scale;
    }
};

} // namespace pearlite::model
