#pragma once
/// Bootstrap of sharded items: how often each item occurs in each replicate is drawn by the item's own address, so that
/// the replicates are the same wherever the items are. And quantiles.

#include "estimator/evidence/estimate.hpp"
#include "pearlite/random/stream.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::estimator {

/// The most often that an item occurs in a replicate.
inline constexpr int most_copies = 8;

/// How often one item occurs in each replicate r < copies.size(): independent numbers 0 .. most_copies, nearly Poisson
/// of mean 1 (Hanley & MacGibbon 2006; Chamandy et al. 2012), by 16 random bits each: half r mod 2, low half first, of
/// word r / 2 of the address, which names the item. Probabilities are multiples of 2^-16; mean and variance are exactly
/// 1, the third factorial moment is 1.0015. (Sums over items then vary as under resampling of a fixed number; means
/// are ratios to the number drawn.)
void draw_copies(const random::Address& item, std::span<std::uint16_t> copies);

/// The replicates' standard deviation and percentile interval as the errors of `estimate`; `refusal` becomes its note
/// if a replicate is infinite, or if there are fewer than two.
void add_bootstrap_errors(Estimate& estimate, std::vector<double> replicates, const std::string& refusal);

// Quantiles of distributions that error bars and ranks need. Their templates are compiled here alone.

/// x with P(X <= x) = p for a standard normal X, 0 < p < 1.
double normal_quantile(double p);
/// The same for Student's t with this number of degrees of freedom, > 0.
double student_quantile(double degrees, double p);
/// value -+ standard errors of so many degrees of freedom; infinitely many make it normal_interval().
Interval student_interval(double value, double standard_error, double degrees);

} // namespace pearlite::estimator
