#pragma once
/// A sum whose bits depend on its terms alone.

#include "pearlite/core/types.hpp"

#include <array>

namespace pearlite {

/// The sum of term(0) .. term(n - 1). The order of the additions is fixed, whatever the compiler and the place in
/// memory: eight sums of every eighth.
template <class Term>
double ordered_sum(Index n, Term&& term) {
    constexpr Index n_sums = 8;
    std::array<double, n_sums> sums{};
    for (Index i = 0; i < n; ++i)
        sums[static_cast<std::size_t>(i % n_sums)] += term(i);
    double total = 0;
    for (const double sum : sums)
        total += sum;
    return total;
}

} // namespace pearlite
