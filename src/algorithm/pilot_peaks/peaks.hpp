#pragma once
/// The peaks of a posterior that a pilot found. Draws and chains are compared with them, because neither weights nor
/// R-hat show a peak that no draw and no chain has reached.

#include "algorithm/common/first_draws.hpp"
#include "random/student_mixture.hpp"

#include <string>
#include <vector>

namespace pearlite::algorithm {

/// Sets of components of a mixture that is fitted to the pilot's particles, with one scale for all components: with a
/// scale for each, chance would make peaks in ten dimensions. Two components belong to one peak if the mixture's
/// density, on the line between their means, nowhere falls below a twelfth of the smaller of its values at the ends, or
/// if a chain of such pairs joins them.
class Peaks {
  public:
    static constexpr double smallest_share = 0.02; ///< peaks of less belong to the nearest by density

    /// `pilot` must be draws of the posterior.
    explicit Peaks(const FirstDraws& pilot);

    Index size() const { return static_cast<Index>(shares_.size()); }
    /// The peak's share p of the pilot's weight, and the standard error of that share, sqrt(p (1 - p)/families).
    double share(Index peak) const { return shares_[at(peak)]; }
    double share_error(Index peak) const;
    /// The mean of the pilot's particles in a peak.
    Vector place(Index peak) const { return places_.col(peak); }
    /// The peak to which a point belongs.
    Index of(std::span<const double> x) const;
    /// "the peak at x = 3.1, y = 2 (0.097 of the pilot's weight)", in reported quantities.
    std::string describe(Index peak, const path::DensityPath& path) const;

  private:
    void join_components();
    void drop_small_peaks(const FirstDraws& pilot);

    random::StudentMixture mixture_;
    std::vector<Index> peak_of_component_; ///< -1: of a peak that is too small
    std::vector<double> shares_;
    Matrix places_; ///< d x peaks
    double families_;
};

/// Coordinates of a place in reported quantities, the first few: "x = 3.1, y = 2".
std::string describe_place(const Vector& place, const path::DensityPath& path);

} // namespace pearlite::algorithm
