#include "kernel/search/box/lane_loops.hpp"

#include "simd/arithmetic.hpp"

namespace pearlite::kernel::lane_loops {

using Packet = simd::Doubles;
using simd::load, simd::store;

namespace {

constexpr Index width = simd::lanes<Packet>;
static_assert(lane_padding % width == 0);

/// refuse_outside() for some packets side by side, which share the bounds in registers.
template <Index packets>
void refuse_tile(ConstRows x, std::span<const double> lower, std::span<const double> upper, Index first,
                 double* energies) {
    simd::Mask<Packet> inside[packets];
    for (Index v = 0; v < packets; ++v)
        inside[v] = ~simd::Mask<Packet>{};
    for (std::size_t k = 0; k < lower.size(); ++k) {
        const Packet low = simd::broadcast<Packet>(lower[k]), high = simd::broadcast<Packet>(upper[k]);
#pragma GCC unroll 4
        for (Index v = 0; v < packets; ++v) {
            const Packet value = x.at<Packet>(static_cast<Index>(k), first + v * width);
            inside[v] &= (value >= low) & (value <= high);
        }
    }
    for (Index v = 0; v < packets; ++v) {
        double* const to = energies + first + v * width;
        store<Packet>(to, inside[v] ? load<Packet>(to) : Packet{} + infinity);
    }
}

} // namespace

template <class>
void normal_steps(ConstRows x, NoiseRows z, const double* s, Index d, Rows to, double* square) {
    for (Index first = 0; first < to.stride; first += width) {
        const auto scale = load<Packet>(s + first);
        Packet sum{};
        for (Index k = 0; k < d; ++k) {
            const Packet step = scale * z.at<Packet>(k, first);
            to.at<Packet>(k, first) = x.at<Packet>(k, first) + step;
            sum += step * step;
        }
        store(square + first, sum);
    }
}

template <class>
void directed_steps(ConstRows x, NoiseRows z, const double* s, Index d, Rows to, double* square) {
    for (Index first = 0; first < to.stride; first += width) {
        Packet sum{};
        for (Index k = 0; k < d; ++k)
            sum += z.at<Packet>(k, first) * z.at<Packet>(k, first);
        const Packet step = load<Packet>(s + first) * z.at<Packet>(d, first);
        store(square + first, step * step);
        const Packet factor = step / simd::square_root(sum);
        for (Index k = 0; k < d; ++k)
            to.at<Packet>(k, first) = x.at<Packet>(k, first) + factor * z.at<Packet>(k, first);
    }
}

template <class>
void multiples(ConstRows x, const double* r, ConstRows y, ConstRows z, bool is_difference, Index d, Rows to) {
    for (Index first = 0; first < to.stride; first += width) {
        const auto factor = load<Packet>(r + first);
        for (Index k = 0; k < d; ++k) {
            Packet direction = y.at<Packet>(k, first);
            if (is_difference)
                direction -= z.at<Packet>(k, first);
            to.at<Packet>(k, first) = x.at<Packet>(k, first) + factor * direction;
        }
    }
}

template <class>
void square_distances(ConstRows x, ConstRows y, Index d, double* out) {
    for (Index first = 0; first < x.stride; first += width) {
        Packet sum{};
        for (Index k = 0; k < d; ++k) {
            const Packet difference = y.at<Packet>(k, first) - x.at<Packet>(k, first);
            sum += difference * difference;
        }
        store(out + first, sum);
    }
}

template <class>
void swap_between_cuts(ConstRows x, ConstRows y, const std::int64_t* cuts, Index d, Rows to) {
    using Cuts = simd::Register<std::int64_t>;
    for (Index first = 0; first < to.stride; first += width) {
        Cuts is_swapped{};
        for (Index k = 0; k < d; ++k) {
            is_swapped ^= load<Cuts>(cuts + k * to.stride + first);
            to.at<Packet>(k, first) = is_swapped ? y.at<Packet>(k, first) : x.at<Packet>(k, first);
        }
    }
}

template <class>
void refuse_outside(ConstRows x, std::span<const double> lower, std::span<const double> upper, double* energies) {
    Index first = 0;
    for (; first + 2 * width <= x.stride; first += 2 * width)
        refuse_tile<2>(x, lower, upper, first, energies);
    for (; first < x.stride; first += width)
        refuse_tile<1>(x, lower, upper, first, energies);
}

template <class>
void take(ConstRows x, const std::uint8_t* taken, Index d, Rows to) {
    for (Index first = 0; first < x.stride; first += width) {
        simd::Mask<Packet> is_taken{};
        for (Index l = 0; l < width; ++l)
            is_taken[l] = taken[first + l] != 0 ? -1 : 0;
        for (Index k = 0; k < d; ++k)
            to.at<Packet>(k, first) = is_taken ? x.at<Packet>(k, first) : to.at<Packet>(k, first);
    }
}

using simd::Compiled;
template void normal_steps<Compiled>(ConstRows, NoiseRows, const double*, Index, Rows, double*);
template void directed_steps<Compiled>(ConstRows, NoiseRows, const double*, Index, Rows, double*);
template void multiples<Compiled>(ConstRows, const double*, ConstRows, ConstRows, bool, Index, Rows);
template void square_distances<Compiled>(ConstRows, ConstRows, Index, double*);
template void swap_between_cuts<Compiled>(ConstRows, ConstRows, const std::int64_t*, Index, Rows);
template void refuse_outside<Compiled>(ConstRows, std::span<const double>, std::span<const double>, double*);
template void take<Compiled>(ConstRows, const std::uint8_t*, Index, Rows);

} // namespace pearlite::kernel::lane_loops
