/// The energies of AB proteins with chains in lanes.

#include "pearlite/core/contract.hpp"
#include "pearlite/models/ab_protein.hpp"

#include "trigonometric_lanes.hpp"

#include <cstddef>
#include <cstring>

namespace pearlite::models {
namespace {

using detail::DoubleLanes;
using detail::Doubles;
using detail::fused;

/// Added to squared distances: for monomers that coincide U is then +inf, and nothing is divided by zero. No other
/// distance is changed by it.
constexpr double least_square = 1e-60;

template <int space>
struct Vectors {
    Doubles coordinates[space];
    Doubles& operator[](std::size_t k) { return coordinates[k]; }
    const Doubles& operator[](std::size_t k) const { return coordinates[k]; }
};

template <int space>
[[gnu::always_inline]] inline Doubles dot(const Vectors<space>& a, const Vectors<space>& b) {
    Doubles sum = a[0] * b[0];
#pragma GCC unroll 3
    for (std::size_t k = 1; k < space; ++k)
        sum = fused(a[k], b[k], sum);
    return sum;
}

template <int space>
[[gnu::always_inline]] inline Doubles squared_distance(const Doubles* a, const Doubles* b) {
    Doubles sum = Doubles{} + least_square;
#pragma GCC unroll 3
    for (std::size_t k = 0; k < space; ++k) {
        const Doubles difference = a[k] - b[k];
        sum = fused(difference, difference, sum);
    }
    return sum;
}

/// u turned by an angle towards v, v likewise.
template <int space>
[[gnu::always_inline]] inline void turn(Vectors<space>& u, Vectors<space>& v, const detail::SineCosine& angle) {
#pragma GCC unroll 3
    for (std::size_t k = 0; k < space; ++k) {
        const Doubles before = u[k];
        u[k] = fused(angle.cosine, before, angle.sine * v[k]);
        v[k] = fused(angle.cosine, v[k], -angle.sine * before);
    }
}

} // namespace

/// A vector register of chains. Coordinates of a monomer are next to each other.
template <int space>
class AbProtein::Lanes {
  public:
    explicit Lanes(const AbProtein& protein)
        : protein_(protein), places_(space * protein.monomers(), DoubleLanes::size) {}

    /// The energies of as many chains as there are lanes; coordinate i of the first is x[i * stride].
    Doubles energies(const double* x, Index stride) {
        const Doubles own = protein_.has_internal_angles() ? lay<true>(x, stride) : lay<false>(x, stride);
        return fused(Doubles{} + 4.0, contacts(), own);
    }

  private:
    const Doubles* place(Index i) const { return &detail::load<DoubleLanes>(&places_(space * i, 0)); }

    static detail::SineCosine angle(const double* x) {
        const Doubles value = detail::load<DoubleLanes>(x);
        return detail::sine_cosine(value);
    }

    /// Lays the chain out from the origin. Returns the energy of bends and torsions.
    template <bool internal>
    Doubles lay(const double* x, Index stride) {
        const Index n = protein_.monomers();
        const bool by_azimuth = protein_.has_azimuth_energy();
        Vectors<space> along{}, aside{}, axis{}, before{}, place{};
        along[by_azimuth ? 1 : 0] += 1.0;
        aside[1] += 1.0;
        axis[space - 1] += 1.0; // not used in the plane
        Doubles bends{};
        Doubles torsions{};
        store(0, place);
        for (Index k = 0; k < n - 1; ++k) {
            if (k > 0) {
                const Vectors<space> previous = along;
                const detail::SineCosine first = angle(x + (k - 1) * stride);
                if constexpr (space == 3) {
                    const detail::SineCosine second = k > 1 ? angle(x + (n - 4 + k) * stride) : flat();
                    if constexpr (internal) {
                        turn<space>(aside, axis, second);
                        turn<space>(along, aside, first);
                    } else {
                        along = {first.cosine * second.cosine, first.sine * second.cosine, second.sine};
                    }
                } else if constexpr (internal) {
                    turn<space>(along, aside, first);
                } else {
                    along = {first.cosine, first.sine};
                }
                bends += by_azimuth ? first.cosine : dot<space>(previous, along);
                torsions += dot<space>(before, along); // `before` is 0 at the second bond
                before = previous;
            }
#pragma GCC unroll 3
            for (std::size_t c = 0; c < space; ++c)
                place[c] += along[c];
            store(k + 1, place);
        }
        return fused(Doubles{} + protein_.torsion_, torsions,
                     fused(Doubles{} + protein_.bend_, bends, Doubles{} + protein_.constant_));
    }

    static detail::SineCosine flat() {
        return {Doubles{}, Doubles{} + 1.0};
    }

    void store(Index i, const Vectors<space>& place) {
#pragma GCC unroll 3
        for (std::size_t c = 0; c < space; ++c)
            detail::packet_at<DoubleLanes>(&places_(space * i + static_cast<Index>(c), 0)) = place[c];
    }

    /// q^3 (repulsion q^3 - attraction)
    [[gnu::always_inline]] static Doubles contact(Doubles q, const Pair& pair) {
        const Doubles q3 = q * q * q;
        return q3 * fused(Doubles{} + pair.repulsion, q3, Doubles{} - pair.attraction);
    }

    /// A quarter of the energy of all pairs.
    Doubles contacts() const {
        const Index n = protein_.monomers();
        Doubles even{};
        Doubles odd{};
        for (Index i = 0; i + 2 < n; ++i) {
            const Pair* pairs = &protein_.pair(i, 0);
            Index j = i + 2;
            for (; j + 1 < n; j += 2) { // two inverses by one division
                const Doubles a = squared_distance<space>(place(i), place(j));
                const Doubles b = squared_distance<space>(place(i), place(j + 1));
                const Doubles inverse = 1.0 / (a * b);
                even += contact(b * inverse, pairs[j]);
                odd += contact(a * inverse, pairs[j + 1]);
            }
            if (j < n)
                even += contact(1.0 / squared_distance<space>(place(i), place(j)), pairs[j]);
        }
        return even + odd;
    }

    const AbProtein& protein_;
    model::LaneMatrix places_; ///< row space i + c: coordinate c of monomer i
};

void AbProtein::energies(const model::LaneMatrix& points, std::span<double> out) const {
    PEARLITE_EXPECTS(points.rows() == dimension() && points.cols() == static_cast<Index>(out.size()) &&
                     points.cols() % lane_padding == 0);
    const auto all = [&](auto lanes) {
        for (Index first = 0; first < points.cols(); first += DoubleLanes::size) {
            const Doubles energies = lanes.energies(points.data() + first, points.cols());
            std::memcpy(out.data() + first, &energies, sizeof energies); // a span need not be aligned
        }
    };
    if (space() == 2)
        all(Lanes<2>(*this));
    else
        all(Lanes<3>(*this));
}

} // namespace pearlite::models
