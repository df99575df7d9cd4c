#pragma once
/// A test that moves leave a distribution invariant: exact draws are moved, and the means of their moments compared.

#include "pearlite/core/types.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pearlite::testing_support {

/// The greatest |z| of the changes by move() in the means of moments(k), k = 0..n-1: moments of draws that are
/// independent of each other, in the same order before and after. Under the null hypothesis changes have mean 0, so
/// that their sum is compared with the root of their sum of squares. Moments that do not change do not count.
template <class Moments, class Move>
double greatest_z_of_changes(Index n, const Moments& moments, const Move& move) {
    std::vector<std::vector<double>> before;
    for (Index k = 0; k < n; ++k)
        before.push_back(moments(k));
    move();
    std::vector<double> sum(before.front().size()), squares(sum.size());
    for (Index k = 0; k < n; ++k) {
        const auto after = moments(k);
        for (std::size_t m = 0; m < sum.size(); ++m) {
            const double change = after[m] - before[static_cast<std::size_t>(k)][m];
            sum[m] += change;
            squares[m] += change * change;
        }
    }
    double greatest = 0;
    for (std::size_t m = 0; m < sum.size(); ++m)
        if (squares[m] > 0)
            greatest = std::max(greatest, std::abs(sum[m]) / std::sqrt(squares[m]));
    return greatest;
}

} // namespace pearlite::testing_support
