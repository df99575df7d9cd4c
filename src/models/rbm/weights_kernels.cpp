#include "models/rbm/weights_kernels.hpp"
#include "simd/instructions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pearlite::models::rbm_training {

namespace {

using rbm_kernels::Format;

/// A square of weights, four of four, row by row.
using Floats [[gnu::vector_size(64)]] = float;
using Integers [[gnu::vector_size(64)]] = std::int32_t;
using Bytes [[gnu::vector_size(16)]] = std::int8_t;

constexpr Index side = 4, n_limbs = 3, abreast = 16;

/// In registers: a square that is put together in memory waits for its parts.
[[gnu::always_inline]] inline Floats square_of(const float* from, Index stride) {
    using Row [[gnu::vector_size(16)]] = float;
    Row rows[side];
    for (Index i = 0; i < side; ++i)
        std::memcpy(&rows[i], from + i * stride, sizeof(Row));
    const auto upper = __builtin_shufflevector(rows[0], rows[1], 0, 1, 2, 3, 4, 5, 6, 7);
    const auto lower = __builtin_shufflevector(rows[2], rows[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

Index up_to(Index n, Index multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/// Where a direction has its squares: output u, input k.
template <Format format>
class Squares {
  public:
    Squares(std::int8_t* to, Index n_inputs)
        : to_(to), inputs_(up_to(n_inputs, format == Format::tiles ? 64 : rbm_kernels::word_units)) {}

    void put(Index u, Index k, const Integers& square) const {
        if constexpr (format == Format::integers) {
            std::memcpy(to_ + (u / side * (inputs_ / side) + k / side) * Index{sizeof square}, &square, sizeof square);
            return;
        }
        // Digits from -128 to 127, the least significant first; the last digit takes the remainder.
        Integers rest = square;
        for (Index limb = n_limbs - 1; limb >= 0; --limb) {
            const Integers digit = limb == 0 ? rest : ((rest + 128) & 255) - 128;
            rest = (rest - digit) >> 8;
            const auto bytes = __builtin_convertvector(digit, Bytes);
            if constexpr (format == Format::limbs) {
                const Index place = (u / side * (inputs_ / side) + k / side) * n_limbs + limb;
                std::memcpy(to_ + place * Index{sizeof bytes}, &bytes, sizeof bytes);
            } else {
                const Index tile = (u / 16 * (inputs_ / 64) + k / 64) * n_limbs + limb;
                for (Index row = 0; row < side; ++row)
                    std::memcpy(to_ + tile * 1024 + (u % 16 + row) * 64 + k % 64,
                                reinterpret_cast<const char*>(&bytes) + row * side, at(side));
            }
        }
    }

  private:
    std::int8_t* to_;
    Index inputs_;
};

template <Format format>
void pack_as(const Packing& packing) {
    const Squares<format> to_visible(packing.to_visible, packing.n_hidden),
        to_hidden(packing.to_hidden, packing.n_visible);
    constexpr float to_integer = 0x1.8p23f; // adding it rounds to integers, which then stand in the low bits
    const float per_unit = 1 / packing.scale;
    const auto put = [&](Index i, Index j) __attribute__((always_inline)) {
        const Floats square = square_of(packing.weights + i * packing.stride + j, packing.stride);
        const Floats shifted = square * per_unit + to_integer;
        const Integers rounded = reinterpret_cast<Integers>(shifted) - std::bit_cast<std::int32_t>(to_integer);
        to_visible.put(i, j, rounded);
        to_hidden.put(j, i,
                      __builtin_shufflevector(rounded, rounded, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    };
    // Some squares abreast, which neighbour each other in the other direction's memory.
    for (Index first = 0; first < packing.n_visible; first += abreast)
        for (Index j = 0; j < packing.n_hidden; j += side)
            for (Index i = first; i < std::min(first + abreast, packing.n_visible); i += side)
                put(i, j);
}

} // namespace

template <class, class Count>
void ascend(float* theta, float* velocity, const Count* counts, Index n, const Step& step) {
    const auto [rate, momentum, decay, per_count] = step;
    for (Index i = 0; i < n; ++i) {
        const float gradient = per_count * static_cast<float>(counts[i]) - decay * theta[i];
        velocity[i] = momentum * velocity[i] + rate * gradient;
        theta[i] += velocity[i];
    }
}

template <class>
float largest_magnitude(const float* values, Index n) {
    std::int32_t largest = 0; // the bits of floats without a sign are ordered as they are
    for (Index i = 0; i < n; ++i)
        largest = std::max(largest, std::bit_cast<std::int32_t>(values[i]) & 0x7fffffff);
    return std::bit_cast<float>(largest);
}

template <class>
void pack_both(const Packing& packing) {
    switch (packing.format) {
    case Format::integers:
        return pack_as<Format::integers>(packing);
    case Format::limbs:
        return pack_as<Format::limbs>(packing);
    case Format::tiles:
        return pack_as<Format::tiles>(packing);
    }
}

template void ascend<simd::Compiled>(float*, float*, const std::int16_t*, Index, const Step&);
template void ascend<simd::Compiled>(float*, float*, const std::int32_t*, Index, const Step&);
template float largest_magnitude<simd::Compiled>(const float*, Index);
template void pack_both<simd::Compiled>(const Packing&);

} // namespace pearlite::models::rbm_training
