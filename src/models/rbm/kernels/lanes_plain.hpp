#pragma once
/// Sixteen lanes in two packets of eight, in the compiler's own vectors, for kernel sources.

#include "models/rbm/kernels/elementwise.hpp"

#include <cstring>

namespace pearlite::models::rbm_kernels {

namespace {

struct Plain {
    using F8 = float __attribute__((vector_size(32)));
    using I8 = std::uint32_t __attribute__((vector_size(32)));
    using S8 = std::int32_t __attribute__((vector_size(32)));
    using W4 = std::uint64_t __attribute__((vector_size(32)));
    // In memory that is declared as numbers. Copies by memcpy go through the stack in g++ 12.
    using F8InMemory = float __attribute__((vector_size(32), may_alias));
    using I8InMemory = std::uint32_t __attribute__((vector_size(32), may_alias));
    using W4InMemory = std::uint64_t __attribute__((vector_size(32), may_alias));

    struct F {
        F8 part[2];
    };
    struct I {
        I8 part[2];
    };
    struct M {
        S8 part[2];
    };

    template <class R, class Operation>
    [[gnu::always_inline]] static R both(Operation operation) {
        return {{operation(0), operation(1)}};
    }

    static F broadcast(float x) {
        return both<F>([&](int) { return F8{} + x; });
    }
    static F load(const float* from) {
        return both<F>([&](int i) { return F8(reinterpret_cast<const F8InMemory*>(from)[i]); });
    }
    static I load_word(const std::uint32_t* from) {
        return both<I>([&](int i) { return I8(reinterpret_cast<const I8InMemory*>(from)[i]); });
    }
    static F load_integers(const std::int32_t* from) {
        return to_floats(load_word(reinterpret_cast<const std::uint32_t*>(from)));
    }
    static void store(float* to, F x) {
        for (int i = 0; i < 2; ++i)
            reinterpret_cast<F8InMemory*>(to)[i] = x.part[i];
    }
    static void store(std::uint32_t* to, I x) {
        for (int i = 0; i < 2; ++i)
            reinterpret_cast<I8InMemory*>(to)[i] = x.part[i];
    }
    static F add(F a, F b) {
        return both<F>([&](int i) { return a.part[i] + b.part[i]; });
    }
    static F subtract(F a, F b) {
        return both<F>([&](int i) { return a.part[i] - b.part[i]; });
    }
    static F multiply(F a, F b) {
        return both<F>([&](int i) { return a.part[i] * b.part[i]; });
    }
    static F divide(F a, F b) {
        return both<F>([&](int i) { return a.part[i] / b.part[i]; });
    }
    static F8 fused8(F8 a, F8 b, F8 c) {
        for (int j = 0; j < 8; ++j)
            c[j] = __builtin_fmaf(a[j], b[j], c[j]);
        return c;
    }
    static F fused(F a, F b, F c) {
        return both<F>([&](int i) { return fused8(a.part[i], b.part[i], c.part[i]); });
    }
    static F fused_difference(F a, F b, F c) {
        return both<F>([&](int i) { return fused8(a.part[i], b.part[i], -c.part[i]); });
    }
    static F larger(F a, F b) {
        return both<F>([&](int i) { return a.part[i] > b.part[i] ? a.part[i] : b.part[i]; });
    }
    static F absolute(F x) {
        return both<F>([&](int i) { return reinterpret_cast<F8>(reinterpret_cast<I8>(x.part[i]) & 0x7fffffffu); });
    }
    static F to_floats(I x) {
        return both<F>([&](int i) { return __builtin_convertvector(reinterpret_cast<S8>(x.part[i]), F8); });
    }
    static F add_to_exponent(F x, F shifted) {
        return both<F>([&](int i) {
            return reinterpret_cast<F8>(reinterpret_cast<I8>(x.part[i]) +
                                        (reinterpret_cast<I8>(shifted.part[i]) << 23));
        });
    }
    static M less(F a, F b) {
        return both<M>([&](int i) { return a.part[i] < b.part[i]; });
    }
    static M less_or_equal(F a, F b) {
        return both<M>([&](int i) { return a.part[i] <= b.part[i]; });
    }
    static M either(M a, M b) {
        return both<M>([&](int i) { return a.part[i] | b.part[i]; });
    }
    static constexpr S8 lane_bits[2] = {{1, 2, 4, 8, 16, 32, 64, 128},
                                        {256, 512, 1024, 2048, 4096, 8192, 16384, 32768}};
    static std::uint32_t bits(M m) {
        const S8 all = (m.part[0] & lane_bits[0]) | (m.part[1] & lane_bits[1]);
        std::uint64_t pairs[4];
        std::memcpy(pairs, &all, sizeof pairs);
        const std::uint64_t both_halves = pairs[0] | pairs[1] | pairs[2] | pairs[3];
        return static_cast<std::uint32_t>(both_halves | both_halves >> 32);
    }
    static M mask(std::uint32_t bits) {
        return both<M>([&](int i) { return (lane_bits[i] & static_cast<std::int32_t>(bits)) != 0; });
    }
    static F select(M m, F a, F b) {
        return both<F>([&](int i) { return m.part[i] ? a.part[i] : b.part[i]; });
    }
    static I zero_word() { return {}; }
    static I set_bit(I word, M m, std::uint32_t bit) {
        return both<I>([&](int i) { return word.part[i] | (reinterpret_cast<I8>(m.part[i]) & bit); });
    }
    static M has_bit(I word, std::uint32_t bit) {
        return both<M>([&](int i) { return (word.part[i] & bit) != 0u; });
    }
    static I low_half(I x) {
        return both<I>([&](int i) { return x.part[i] & 0xffffu; });
    }
    static I high_half(I x) {
        return both<I>([&](int i) { return x.part[i] >> 16; });
    }
    /// Product of the low halves.
    static W4 product(W4 a, std::uint32_t b) { return (a & 0xffffffffu) * b; }

    template <class L>
    static void philox_by(const DrawStreams& streams, std::uint32_t counter, I (&out)[4]) {
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
            const W4 id = reinterpret_cast<const W4InMemory*>(streams.id)[i];
            const W4 purpose = reinterpret_cast<const W4InMemory*>(streams.purpose_and_id)[i];
            W4 x[2][4]; // of even lanes, of odd lanes
#pragma GCC unroll 2
            for (int part = 0; part < 2; ++part) {
                x[part][0] = W4{} + counter;
                x[part][1] = W4{} + streams.step;
                x[part][2] = part == 0 ? id : id >> 32;
                x[part][3] = part == 0 ? purpose : purpose >> 32;
            }
            std::uint32_t key0 = streams.seed[0], key1 = streams.seed[1];
#pragma GCC unroll 10
            for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 2
                for (auto& lane : x) {
                    const W4 p0 = L::product(lane[0], philox_multiplier[0]);
                    const W4 p1 = L::product(lane[2], philox_multiplier[1]);
                    lane[0] = (p1 >> 32) ^ lane[1] ^ key0;
                    lane[2] = (p0 >> 32) ^ lane[3] ^ key1;
                    lane[1] = p1;
                    lane[3] = p0;
                }
                key0 += philox_weyl[0];
                key1 += philox_weyl[1];
            }
            for (int word = 0; word < 4; ++word)
                out[word].part[i] = reinterpret_cast<I8>((x[0][word] & 0xffffffffu) | (x[1][word] << 32));
        }
    }
    static void philox(const DrawStreams& streams, std::uint32_t counter, I (&out)[4]) {
        philox_by<Plain>(streams, counter, out);
    }
};

} // namespace

} // namespace pearlite::models::rbm_kernels
