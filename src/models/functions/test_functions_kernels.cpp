// The energies of test functions, chains in the lanes of a register.
#include "models/functions/test_functions_lanes.hpp"

#include "simd/instructions.hpp"
#include "simd/trigonometric.hpp"

namespace pearlite::models::detail {
namespace {

using Kind = TestFunctionSettings::Kind;

using simd::broadcast;
using simd::Doubles;
using simd::fraction;
using simd::fused;
using simd::sine_of_half_turns;
using simd::square_root;
using simd::squared_sine;
constexpr Index width = simd::lanes<Doubles>;
static_assert(lane_padding % width == 0);

/// A function of z as sums over its coordinates, which come one after the other, the last one first.
struct Rastrigin {
    struct Sums {
        Doubles squares{}, squared_sines{};
    };
    void add(Sums& sums, Index, Doubles z) const {
        const Doubles sine = sine_of_half_turns(fraction(z));
        sums.squares = fused(z, z, sums.squares);
        sums.squared_sines = fused(sine, sine, sums.squared_sines);
    }
    Doubles total(const Sums& sums) const { return fused(broadcast<Doubles>(20), sums.squared_sines, sums.squares); }
};

struct Ackley {
    struct Sums {
        Doubles squares{}, squared_sines{};
    };
    double dimension;
    void add(Sums& sums, Index, Doubles z) const {
        sums.squares = fused(z, z, sums.squares);
        sums.squared_sines += squared_sine(z);
    }
    Doubles total(const Sums& sums) const {
        const Doubles far = simd::exp(-0.2 * square_root(sums.squares / dimension));
        const Doubles wavy = simd::exp(sums.squared_sines * (-2 / dimension)); // mean cosine - 1
        return 20.0 * (1.0 - far) + std::numbers::e * (1.0 - wavy);
    }
};

struct Griewank {
    struct Sums {
        Doubles squares{}, product = broadcast<Doubles>(1);
    };
    const double* turns;
    void add(Sums& sums, Index i, Doubles z) const {
        sums.squares = fused(z, z, sums.squares);
        sums.product *= simd::cosine_of_turns(z * turns[i]);
    }
    Doubles total(const Sums& sums) const { return sums.squares / 4000.0 + (1.0 - sums.product); }
};

struct Schwefel {
    struct Sums {
        Doubles total{};
    };
    double peak;
    void add(Sums& sums, Index, Doubles z) const {
        const Doubles edge = broadcast<Doubles>(schwefel::edge);
        const Doubles inside = simd::larger(-edge, simd::smaller(edge, z));
        const Doubles beyond = z - inside;
        const Doubles sine = simd::sine_cosine(square_root(simd::absolute(inside))).sine;
        sums.total += fused(beyond * schwefel::curvature, beyond, peak - inside * sine);
    }
    Doubles total(const Sums& sums) const { return sums.total; }
};

struct Rosenbrock {
    struct Sums {
        Doubles next{}, total{};
    };
    Index last;
    void add(Sums& sums, Index i, Doubles z) const {
        if (i < last) {
            const Doubles valley = fused(-z, z, sums.next);
            const Doubles slope = z - 1.0;
            sums.total += fused(100.0 * valley, valley, slope * slope);
        }
        sums.next = z;
    }
    Doubles total(const Sums& sums) const { return sums.total; }
};

struct Levy {
    struct Sums {
        Doubles total{};
    };
    Index last;
    void add(Sums& sums, Index i, Doubles z) const {
        const Doubles v = 0.25 * (z - 1.0); // w - 1, whose sine squared is that of w
        if (i == 0)
            sums.total += squared_sine(v);
        const Doubles wave = i < last ? 10.0 * squared_sine(v + (1 + std::numbers::inv_pi)) : squared_sine(v + v);
        sums.total = fused(v * v, 1.0 + wave, sums.total);
    }
    Doubles total(const Sums& sums) const { return sums.total; }
};

/// Coordinate i of some vectors of chains: x[i * stride] is its first.
struct Tile {
    const double* x;
    Index stride;
    Doubles at(Index i, Index v) const { return simd::load<Doubles>(x + i * stride + v * width); }
};

/// Calls add(i, v, z_i) for the vectors v of a tile, i = d-1 .. 0. The last coordinate after its own turns is needed
/// first, and is found in a separate pass. Therefore no coordinate waits in memory, and the second pass, whose two
/// chains of turns have long latencies, overlaps with the work of `add`.
template <Index packets, bool is_centred, class Add>
[[gnu::always_inline]] inline void turn_coordinates(const Turn& turn, const Tile& tile, Add add) {
    const auto& [first_cosine, first_sine, last_cosine, last_sine] = *turn.turns;
    const Doubles centre = broadcast<Doubles>(turn.centre);
    const auto from_centre = [&](Index i, Index v) { return is_centred ? tile.at(i, v) : tile.at(i, v) - centre; };
    const auto give = [&](Index i, Index v, Doubles z) { add(i, v, is_centred ? z : z + centre); };
    const Index last = turn.dimension - 1;
    Doubles first[packets], rest[packets], end[packets];
    for (Index v = 0; v < packets; ++v) {
        first[v] = from_centre(0, v);
        end[v] = rest[v] = from_centre(last, v);
    }
    for (Index i = last - 1; i > 0; --i)
        for (Index v = 0; v < packets; ++v)
            end[v] = fused(broadcast<Doubles>(last_cosine[static_cast<std::size_t>(i)]), end[v],
                           -last_sine[static_cast<std::size_t>(i)] * from_centre(i, v));
    for (Index i = last; i > 0; --i) {
        const auto k = static_cast<std::size_t>(i);
        for (Index v = 0; v < packets; ++v) {
            Doubles y = end[v];
            if (i < last) {
                const Doubles x = from_centre(i, v);
                y = fused(broadcast<Doubles>(last_sine[k]), rest[v], last_cosine[k] * x);
                rest[v] = fused(broadcast<Doubles>(last_cosine[k]), rest[v], -last_sine[k] * x);
            }
            give(i, v, fused(broadcast<Doubles>(first_cosine[k]), y, -first_sine[k] * first[v]));
            first[v] = fused(broadcast<Doubles>(first_cosine[k]), first[v], first_sine[k] * y);
        }
    }
    for (Index v = 0; v < packets; ++v)
        give(0, v, first[v]);
}

/// The energies of some vectors of chains.
template <Index packets, class Function>
void tile_energies(const Function& function, const Turn& turn, const Tile& tile, double* out) {
    typename Function::Sums sums[packets];
    const auto add = [&](Index i, Index v, Doubles z) { function.add(sums[v], i, z); };
    if (turn.turns == nullptr || turn.dimension == 1) {
        for (Index i = turn.dimension - 1; i >= 0; --i)
            for (Index v = 0; v < packets; ++v)
                add(i, v, tile.at(i, v));
    } else if (turn.centre == 0) {
        turn_coordinates<packets, true>(turn, tile, add);
    } else {
        turn_coordinates<packets, false>(turn, tile, add);
    }
    for (Index v = 0; v < packets; ++v) {
        simd::store_anywhere(out + v * width, function.total(sums[v])); // a span need not be aligned
    }
}

template <class Function>
void all_energies(const Function& function, const Turn& turn, const model::LaneMatrix& points, std::span<double> out) {
    constexpr Index tile = 2 * width;
    Index first = 0;
    for (; first + tile <= points.cols(); first += tile)
        tile_energies<2>(function, turn, {points.data() + first, points.cols()}, out.data() + first);
    if (first < points.cols())
        tile_energies<1>(function, turn, {points.data() + first, points.cols()}, out.data() + first);
}

} // namespace

template <class>
void test_function_energies(const FunctionData& function, const Turn& turn, const model::LaneMatrix& points,
                            std::span<double> out) {
    switch (function.kind) {
    case Kind::rastrigin:
        return all_energies(Rastrigin{}, turn, points, out);
    case Kind::ackley:
        return all_energies(Ackley{static_cast<double>(turn.dimension)}, turn, points, out);
    case Kind::griewank:
        return all_energies(Griewank{function.griewank_turns}, turn, points, out);
    case Kind::schwefel:
        return all_energies(Schwefel{function.schwefel_peak}, turn, points, out);
    case Kind::rosenbrock:
        return all_energies(Rosenbrock{turn.dimension - 1}, turn, points, out);
    case Kind::levy:
        return all_energies(Levy{turn.dimension - 1}, turn, points, out);
    }
}

template void test_function_energies<simd::Compiled>(const FunctionData& function, const Turn& turn,
                                                     const model::LaneMatrix& points, std::span<double> out);

} // namespace pearlite::models::detail
