#pragma once
/// The two transitions of one Ising spin, as bit logic: which threshold each chain's uniform number is compared with,
/// and the new spin by the comparison. Internal to the layer.

#include "models/lattice/ising.hpp"

#include "simd/plane_comparison.hpp"

#include <cmath>

namespace pearlite::models::ising_rules {

using namespace simd::bit_plane;
using Move = IsingSettings::Move;

/// The transition of a spin given its four neighbours. `pull` holds a neighbour's spin, or its opposite if J < 0: bond
/// n is satisfied if the spin equals pull n.
template <Move>
struct Rule;

/// Flip with probability min(1, exp(-b dE)). With n of four bonds unsatisfied dE = |J| (8 - 4 n).
template <>
struct Rule<Move::metropolis> {
    static Thresholds<3> thresholds(double b, double coupling) {
        const long double bj = static_cast<long double>(b) * std::abs(static_cast<long double>(coupling));
        return Thresholds<3>({threshold(std::exp(-8 * bj)), threshold(std::exp(-4 * bj)), 0});
    }

    Bits spin, always, one_unsatisfied;

    Rule(Bits x, Bits right, Bits left, Bits down, Bits up) : spin(x) {
        const Sum three = add(x ^ right, x ^ left, x ^ down);
        const Bits fourth = x ^ up;
        always = three.high | (three.low & fourth);
        one_unsatisfied = three.low | fourth | three.high;
    }
    Bits random() const { return ~always; }
    Bits chosen(const std::array<Bits, 3>& t) const { return choose(one_unsatisfied, t[1], t[0]); }
    Bits outcome(Bits below) const { return spin ^ (always | below); }
};

/// The spin takes the side of the minority of the four pulls with probability 1/(1 + exp(2 b |J h|)), |h| = 4, 2, 0
/// the surplus of the majority. One threshold of the pair p, 1 - p is enough.
template <>
struct Rule<Move::heat_bath> {
    static Thresholds<3> thresholds(double b, double coupling) {
        const long double bj = static_cast<long double>(b) * std::abs(static_cast<long double>(coupling));
        const auto against = [bj](int field) { return threshold(1 / (1 + std::exp(2 * bj * field))); };
        return Thresholds<3>({against(4), against(2), against(0)});
    }

    Bits favoured, tie, field_two;

    Rule(Bits, Bits right, Bits left, Bits down, Bits up) {
        const Sum three = add(right, left, down);
        favoured = three.high & (three.low | up); // three or four pulls up
        field_two = three.low ^ up;               // one or three
        tie = (three.high & ~three.low & ~up) | (~three.high & three.low & up);
    }
    Bits random() const { return ~Bits{}; }
    Bits chosen(const std::array<Bits, 3>& t) const { return choose(tie, t[2], choose(field_two, t[1], t[0])); }
    Bits outcome(Bits below) const { return favoured ^ below; }
};

} // namespace pearlite::models::ising_rules
