#pragma once
/// The weights of a search's chains, by which they are resampled.

#include "core/fields.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// Chains that have moved by the target of an iteration are worth, at the next one's,
///
///     log w_i += log f_{t+1}(x_i) - log f_t(x_i)
///
/// (sequential Monte Carlo: Del Moral, Doucet & Jasra 2006). Where few chains carry the weight, all are resampled by it
/// and count alike again. Every rank feeds it the same numbers, so it is the same on every rank.
class ChainWeights {
  public:
    /// Resampling is due where (sum of w)^2 / sum of w^2 falls below this share of the chains, above 0 and up to 1.
    ChainWeights(Index chains, double resample_below);

    std::span<const double> log_weights() const { return log_weights_; }
    void add(std::size_t chain, double log_increment) { log_weights_[chain] += log_increment; }
    bool is_due() const;
    /// Systematic, by one number uniform on [0, 1): a chain has as many offspring as its weight says, up to one. Entry
    /// i is the chain whose state chain i takes; -1: it stays, as every chain with offspring does. All weights are then
    /// the same. Lasts until the next call.
    std::span<const std::int64_t> resample(double uniform);
    std::int64_t resamplings() const { return resamplings_; }

    void fields(Fields& f) {
        f("log_weights", log_weights_);
        f("resamplings", resamplings_);
    }

  private:
    double resample_below_;
    std::vector<double> log_weights_;
    std::int64_t resamplings_ = 0;
    std::vector<std::int64_t> offspring_, parents_; ///< scratch
};

} // namespace pearlite::algorithm
