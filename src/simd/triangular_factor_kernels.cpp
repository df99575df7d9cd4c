#include "simd/triangular_factor.hpp"

#include "simd/arithmetic.hpp"
#include "simd/instructions.hpp"

#include <algorithm>

namespace pearlite::simd::triangular_panels {

namespace {

using Packet = Doubles;
constexpr Index width = lanes<Packet>;
constexpr Index registers = n_rows / width;

/// Eight rows of this number of points.
template <Index points>
struct Sums {
    Packet of[points][registers];

    /// Adds a panel's products with `terms` coordinates.
    [[gnu::always_inline]] void add(const double* panel, Index terms, const double* x, Index stride) {
        for (Index k = 0; k < terms; ++k, panel += n_rows)
            for (Index p = 0; p < points; ++p) {
                const auto factor = broadcast<Packet>(x[p * stride + k]);
                for (Index r = 0; r < registers; ++r)
                    of[p][r] = fused(load<Packet>(panel + r * width), factor, of[p][r]);
            }
    }
    /// The sums begin with -x.
    [[gnu::always_inline]] void load_negative(const double* x, Index stride, Index rows) {
        for (Index p = 0; p < points; ++p, x += stride)
            if (rows == n_rows)
                for (Index r = 0; r < registers; ++r)
                    of[p][r] = -load_anywhere<Packet>(x + r * width);
            else
                for (Index row = 0; row < rows; ++row)
                    of[p][row / width][row % width] = -x[row];
    }
    [[gnu::always_inline]] void store(double* y, Index stride, Index rows) const {
        for (Index p = 0; p < points; ++p, y += stride)
            if (rows == n_rows)
                for (Index r = 0; r < registers; ++r)
                    store_anywhere<Packet>(y + r * width, of[p][r]);
            else
                for (Index row = 0; row < rows; ++row)
                    y[row] = of[p][row / width][row % width];
    }
};

/// work(count, first) for groups of points, as many at once as registers hold the sums of.
template <class Work>
void for_points(Index n, Work&& work) {
    constexpr Index most = registers == 1 ? 16 : 4;
    Index first = 0;
    for (; first + most <= n; first += most)
        work(std::integral_constant<Index, most>{}, first);
    if (first + most / 2 <= n) {
        work(std::integral_constant<Index, most / 2>{}, first);
        first += most / 2;
    }
    for (; first < n; ++first)
        work(std::integral_constant<Index, 1>{}, first);
}

/// work(sums, row, rows, x, y) for panels of rows and groups of points, whose coordinates begin at x and y; from the
/// last panel to the first, if so desired.
template <class Work>
void for_panels(const Points& points, Work&& work, bool from_last = false) {
    for (Index done = 0, panels = n_panels(points.d); done < panels; ++done) {
        const Index row = n_rows * (from_last ? panels - 1 - done : done);
        for_points(points.n, [&](auto count, Index first) {
            Sums<count> sums{};
            work(sums, row, std::min(n_rows, points.d - row), points.x + first * points.stride,
                 points.y + first * points.stride);
        });
    }
}

/// The rows of the solution y, from sums that hold the product of the panel with the rows before them, minus x.
template <Index points>
[[gnu::always_inline]] inline void solve_block(const Sums<points>& sums, const double* inverse, double* y, Index stride,
                                               Index rows) {
    sums.store(y, stride, rows);
    Sums<points> solved{};
    solved.add(inverse, rows, y, stride);
    solved.store(y, stride, rows);
}

} // namespace

template <class>
void multiply_lower(const double* panels, const Points& points) {
    for_panels(points, [&](auto& sums, Index row, Index rows, const double* x, double* y) {
        const double* const panel = panels + n_rows * lower_begin(row / n_rows);
        sums.add(panel, row + rows, x, points.stride);
        sums.store(y + row, points.stride, rows);
    });
}

template <class>
void multiply_upper(const double* panels, const Points& points) {
    for_panels(points, [&](auto& sums, Index row, Index rows, const double* x, double* y) {
        const double* const panel = panels + n_rows * upper_begin(points.d, row / n_rows);
        sums.add(panel, points.d - row, x + row, points.stride);
        sums.store(y + row, points.stride, rows);
    });
}

template <class>
void solve_lower(const double* panels, const double* inverses, const Points& points) {
    for_panels(points, [&](auto& sums, Index row, Index rows, const double* x, double* y) {
        const double* const panel = panels + n_rows * lower_begin(row / n_rows);
        sums.load_negative(x + row, points.stride, rows);
        sums.add(panel, row, y, points.stride);
        solve_block(sums, inverses + n_rows * row, y + row, points.stride, rows);
    });
}

template <class>
void solve_upper(const double* panels, const double* inverses, const Points& points) {
    constexpr bool from_last = true;
    for_panels(
        points,
        [&](auto& sums, Index row, Index rows, const double* x, double* y) {
            const double* const panel = panels + n_rows * upper_begin(points.d, row / n_rows);
            sums.load_negative(x + row, points.stride, rows);
            sums.add(panel + n_rows * rows, points.d - row - rows, y + row + rows, points.stride);
            solve_block(sums, inverses + n_rows * row, y + row, points.stride, rows);
        },
        from_last);
}

template void multiply_lower<Compiled>(const double*, const Points&);
template void multiply_upper<Compiled>(const double*, const Points&);
template void solve_lower<Compiled>(const double*, const double*, const Points&);
template void solve_upper<Compiled>(const double*, const double*, const Points&);

} // namespace pearlite::simd::triangular_panels
