#pragma once
/// How random bits make a colour of the Potts model. Internal to the layer and its tests.

#include "pearlite/core/types.hpp"

#include <bit>
#include <cstdint>

namespace pearlite::models {

/// q is 2^twos times an odd number m: the lowest binary digits of a colour are `twos` random bits, the others a number
/// below m. That is the upper part of the product of m and a whole number u, uniform on n_planes binary digits, if u's
/// whose product has a remainder below 2^n_planes mod m are left out (Lemire 2019). A chain with such a u stays as it
/// is, which is as symmetric as a proposal, and cheaper than another draw.
struct ColourDraw {
    std::uint64_t colours; ///< q
    int twos, n_planes = 0;
    std::uint64_t least_remainder = 0;

    static constexpr int most_planes = 16; // of u

    constexpr explicit ColourDraw(Index q)
        : colours(static_cast<std::uint64_t>(q)), twos(std::countr_zero(static_cast<std::uint64_t>(q))) {
        const std::uint64_t odd = colours >> twos;
        if (odd == 1)
            return;
        const auto all = [](int n) { return std::uint64_t{1} << n; };
        // The cost of a visit in planes, 24 of them for the work that does not depend on n, divided by the share of u's
        // that make a proposal.
        const auto cost = [&](int n) {
            return static_cast<double>(24 + twos + n) * static_cast<double>(all(n)) /
                   static_cast<double>(all(n) - all(n) % odd);
        };
        n_planes = std::bit_width(odd);
        for (int n = n_planes + 1; n <= most_planes; ++n)
            if (cost(n) < cost(n_planes))
                n_planes = n;
        least_remainder = all(n_planes) % odd;
    }
    /// Random bits of a colour.
    constexpr int planes() const { return twos + n_planes; }
    /// The share of draws that make a proposal.
    double proposing() const {
        return 1 - static_cast<double>(least_remainder) / static_cast<double>(std::uint64_t{1} << n_planes);
    }
};

} // namespace pearlite::models
