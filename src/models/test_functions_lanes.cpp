#include "test_functions_lanes.hpp"

#include "trigonometric_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace pearlite::models::detail {
namespace {

using Kind = TestFunctionSettings::Kind;
using std::numbers::pi;

static_assert(lane_padding % DoubleLanes::size == 0);

/// A function of z as sums over its coordinates, which come one after the other.
struct Rastrigin {
    struct Sums {
        Doubles total{};
    };
    void add(Sums& sums, Index, Doubles z) const { sums.total += fused(z, z, 20.0 * squared_sine(z)); }
    Doubles total(const Sums& sums) const { return sums.total; }
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
        const Doubles far = exp_of_negative<DoubleLanes>(-0.2 * square_root(sums.squares / dimension));
        const Doubles wavy = exp_of_negative<DoubleLanes>(sums.squared_sines * (-2 / dimension)); // mean cosine - 1
        return 20.0 * (1.0 - far) + std::numbers::e * (1.0 - wavy);
    }
};

struct Griewank {
    struct Sums {
        Doubles squares{}, product = Doubles{} + 1.0;
    };
    const double* turns;
    void add(Sums& sums, Index i, Doubles z) const {
        sums.squares = fused(z, z, sums.squares);
        sums.product *= cosine_of_turns(z * turns[i]);
    }
    Doubles total(const Sums& sums) const { return sums.squares / 4000.0 + (1.0 - sums.product); }
};

struct Schwefel {
    struct Sums {
        Doubles total{};
    };
    double peak;
    void add(Sums& sums, Index, Doubles z) const {
        const Doubles zero{};
        Doubles inside = z > schwefel::edge ? zero + schwefel::edge : z;
        inside = inside < -schwefel::edge ? zero - schwefel::edge : inside;
        const Doubles beyond = z - inside;
        const Doubles sine = sine_cosine(square_root(absolute<DoubleLanes>(inside))).sine;
        sums.total += fused(beyond * schwefel::curvature, beyond, peak - inside * sine);
    }
    Doubles total(const Sums& sums) const { return sums.total; }
};

struct Rosenbrock {
    struct Sums {
        Doubles previous{}, total{};
    };
    void add(Sums& sums, Index i, Doubles z) const {
        if (i > 0) {
            const Doubles valley = fused(-sums.previous, sums.previous, z);
            const Doubles slope = sums.previous - 1.0;
            sums.total += fused(100.0 * valley, valley, slope * slope);
        }
        sums.previous = z;
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

/// Coordinates first .. first + rows_per_pass - 1 of z, of so many vectors of chains.
template <Index packets>
struct Rows {
    Doubles z[rows_per_pass][packets];
};

/// A function of its own, in which all sums stay in registers.
template <Index packets>
[[gnu::noinline]] Rows<packets> turned_rows(const Turn& turn, Index first, const double* x, Index stride) {
    Doubles sums[rows_per_pass][packets];
    for (Index r = 0; r < rows_per_pass; ++r) {
        for (Index v = 0; v < packets; ++v)
            sums[r][v] = Doubles{} + turn.offset[first + r];
    }
    for (Index j = 0; j < turn.dimension; ++j) {
        const double* column = turn.rotation + j * turn.rows + first;
        const Doubles left = load<DoubleLanes>(x + j * stride);
        const Doubles right = load<DoubleLanes>(x + j * stride + (packets - 1) * DoubleLanes::size);
#pragma GCC unroll 6
        for (Index r = 0; r < rows_per_pass; ++r) {
            const Doubles factor = Doubles{} + column[r];
            sums[r][0] = fused(factor, left, sums[r][0]);
            if constexpr (packets == 2)
                sums[r][1] = fused(factor, right, sums[r][1]);
        }
    }
    Rows<packets> rows;
    for (Index r = 0; r < rows_per_pass; ++r) {
        for (Index v = 0; v < packets; ++v)
            rows.z[r][v] = sums[r][v];
    }
    return rows;
}

template <Index packets>
[[gnu::always_inline]] inline Rows<packets> plain_rows(Index count, const double* x, Index stride) {
    Rows<packets> rows;
    for (Index r = 0; r < count; ++r) {
        for (Index v = 0; v < packets; ++v)
            rows.z[r][v] = load<DoubleLanes>(x + r * stride + v * DoubleLanes::size);
    }
    return rows;
}

/// The energies of some vectors of chains; coordinate i of the first is x[i * stride].
template <Index packets, class Function>
void tile_energies(const Function& function, const Turn& turn, const double* x, Index stride, double* out) {
    typename Function::Sums sums[packets];
    for (Index first = 0; first < turn.dimension; first += rows_per_pass) {
        const Index count = std::min(rows_per_pass, turn.dimension - first);
        const auto rows = turn.rotation != nullptr ? turned_rows<packets>(turn, first, x, stride)
                                                   : plain_rows<packets>(count, x + first * stride, stride);
        for (Index r = 0; r < count; ++r) {
            for (Index v = 0; v < packets; ++v)
                function.add(sums[v], first + r, rows.z[r][v]);
        }
    }
    for (Index v = 0; v < packets; ++v) {
        const Doubles total = function.total(sums[v]);
        std::memcpy(out + v * DoubleLanes::size, &total, sizeof total); // a span need not be aligned
    }
}

template <class Function>
void all_energies(const Function& function, const Turn& turn, const model::LaneMatrix& points, std::span<double> out) {
    constexpr Index tile = 2 * DoubleLanes::size;
    Index first = 0;
    for (; first + tile <= points.cols(); first += tile)
        tile_energies<2>(function, turn, points.data() + first, points.cols(), out.data() + first);
    if (first < points.cols())
        tile_energies<1>(function, turn, points.data() + first, points.cols(), out.data() + first);
}

} // namespace

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
        return all_energies(Rosenbrock{}, turn, points, out);
    case Kind::levy:
        return all_energies(Levy{turn.dimension - 1}, turn, points, out);
    }
}

} // namespace pearlite::models::detail
