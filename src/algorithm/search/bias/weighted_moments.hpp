#pragma once
/// Sums for a search's weighted averages of coordinates, or of features that states may have: expectations under
/// exp(-U).

#include "algorithm/search/search_record.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Sums kept for each chain and combined in the order of the chains, so that they do not depend on how chains are cut
/// among ranks.
class WeightedMoments {
  public:
    /// Features are coordinates of 0 and 1, added by add_features().
    enum class Of { coordinates, features };

    /// `chains`: chains of this rank; may be 0 if nothing is averaged.
    WeightedMoments(Index chains, Index dimension, Of of = Of::coordinates);

    /// Adds a state of a chain; weights may be of any size.
    template <class Coordinate>
    void add(Index chain, double log_weight, const Coordinate& coordinate) {
        double* const sums = raise(chain, log_weight);
        const double weight = add_weight(sums, log_weight);
        for (Index k = 0; k < dimension_; ++k) {
            const double x = coordinate(k);
            sums[3 + k] += weight * x;
            sums[3 + dimension_ + k] += weight * x * x;
        }
    }
    /// Adds a state of a chain that has these features and no others.
    void add_features(Index chain, double log_weight, std::span<const Index> features) {
        double* const sums = raise(chain, log_weight);
        const double weight = add_weight(sums, log_weight);
        for (const Index k : features)
            sums[3 + k] += weight;
    }
    /// Each chain's largest log weight m, then its sums of w, w^2, w x_1 .. w x_d, w x_1^2 .. w x_d^2, w = exp(log
    /// weight - m); of features, whose squares are themselves, without the squares.
    std::span<double> sums() { return sums_; }
    std::span<const double> sums() const { return sums_; }
    std::size_t width() const { return static_cast<std::size_t>(3 + (of_ == Of::coordinates ? 2 : 1) * dimension_); }

    /// The averages from the sums of all chains, one after another; empty if nothing was added. Averages of features
    /// have errors if there are two chains or more, from the differences of the chains.
    WeightedAverages combined(std::span<const double> sums) const;

  private:
    /// The chain's sums, in units of a largest log weight that is not below this one.
    double* raise(Index chain, double log_weight);
    static double add_weight(double* sums, double log_weight) {
        const double weight = std::exp(log_weight - sums[0]);
        sums[1] += weight;
        sums[2] += weight * weight;
        return weight;
    }
    /// Standard errors of the means, from the residuals of the chains (the delta method for ratios); `all` is the sum
    /// of all weights in units of exp(top).
    std::vector<double> errors(std::span<const double> sums, std::span<const double> means, double top,
                               double all) const;

    Index dimension_;
    Of of_;
    std::vector<double> sums_;
};

} // namespace pearlite::algorithm
