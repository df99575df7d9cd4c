#pragma once
/// Reductions whose result is the same, bit for bit, for any number of ranks and any split of the terms among them.

#include "core/exact_sum.hpp"
#include "parallel/communicator.hpp"

#include <span>

namespace pearlite::parallel {

/// The exactly rounded sum of the terms of all ranks; on every rank.
double exact_sum(const Communicator& ranks, std::span<const double> terms);
/// Adds the ranks' accumulators and counts (below 2^53), each in place (all ranks pass equally many), in one collective
/// of two words a number, and another one for sums that are too wide for these.
void exact_sum(const Communicator& ranks, std::span<ExactSum> sums, std::span<std::int64_t> counts = {});

/// The same for terms with 0 <= term <= 1 (weights relative to their maximum): fixed-point, vectorised, about the cost
/// of a plain sum. Error at most n 2^-(62 - ceil(log2 n)) absolute, n the number of terms of all ranks, which is
/// `n_terms`.
double fixed_point_sum(const Communicator& ranks, std::span<const double> terms, Index n_terms);

/// log sum exp of the terms of all ranks (log_zero if all are log_zero); NaN if any is NaN.
double log_sum_exp(const Communicator& ranks, std::span<const double> log_terms);

/// Sums of 128-bit counts: over the ranks before this one, and over all ranks.
struct Scan {
    WideCount before = 0;
    WideCount total = 0;
};
Scan exclusive_scan(const Communicator& ranks, WideCount local);

} // namespace pearlite::parallel
