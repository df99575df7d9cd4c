#pragma once
/// Operations on packets of any kind. Each is exactly rounded and gives the same bits in every lane, whatever the
/// instruction set: by the CPU's instruction where there is one for the whole packet or its halves.

#include "simd/packet.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace pearlite::simd {

namespace detail {

/// Operations by intrinsics, since a loop over lanes compiles differently in different surroundings. `of` is overloaded
/// on registers of the CPU and single numbers. (With masks, because GCC 12 takes the undefined operands inside the
/// plain AVX-512 intrinsics for uninitialised variables.)
struct Fused {
#if defined(__AVX512F__)
    static __m512 of(__m512 a, __m512 b, __m512 c) {
        return _mm512_fmadd_ps(a, b, c);
    }
    static __m512d of(__m512d a, __m512d b, __m512d c) {
        return _mm512_fmadd_pd(a, b, c);
    }
#endif
#if defined(__AVX2__) && defined(__FMA__)
    static __m256 of(__m256 a, __m256 b, __m256 c) {
        return _mm256_fmadd_ps(a, b, c);
    }
    static __m256d of(__m256d a, __m256d b, __m256d c) {
        return _mm256_fmadd_pd(a, b, c);
    }
#endif
    static float of(float a, float b, float c) {
        return __builtin_fmaf(a, b, c);
    }
    static double of(double a, double b, double c) {
        return __builtin_fma(a, b, c);
    }
};
struct SquareRoot {
#if defined(__AVX512F__)
    static __m512 of(__m512 x) {
        return _mm512_maskz_sqrt_ps(0xffff, x);
    }
    static __m512d of(__m512d x) {
        return _mm512_maskz_sqrt_pd(0xff, x);
    }
#endif
#if defined(__AVX2__)
    static __m256 of(__m256 x) {
        return _mm256_sqrt_ps(x);
    }
    static __m256d of(__m256d x) {
        return _mm256_sqrt_pd(x);
    }
#endif
    static float of(float x) {
        return __builtin_sqrtf(x);
    }
    static double of(double x) {
        return __builtin_sqrt(x);
    }
};
struct Smaller {
#if defined(__AVX512F__)
    static __m512 of(__m512 a, __m512 b) {
        return _mm512_maskz_min_ps(0xffff, a, b);
    }
    static __m512d of(__m512d a, __m512d b) {
        return _mm512_maskz_min_pd(0xff, a, b);
    }
#endif
#if defined(__AVX2__)
    static __m256 of(__m256 a, __m256 b) {
        return _mm256_min_ps(a, b);
    }
    static __m256d of(__m256d a, __m256d b) {
        return _mm256_min_pd(a, b);
    }
#endif
    static float of(float a, float b) {
        return a < b ? a : b;
    }
    static double of(double a, double b) {
        return a < b ? a : b;
    }
};
struct Larger {
#if defined(__AVX512F__)
    static __m512 of(__m512 a, __m512 b) {
        return _mm512_maskz_max_ps(0xffff, a, b);
    }
    static __m512d of(__m512d a, __m512d b) {
        return _mm512_maskz_max_pd(0xff, a, b);
    }
#endif
#if defined(__AVX2__)
    static __m256 of(__m256 a, __m256 b) {
        return _mm256_max_ps(a, b);
    }
    static __m256d of(__m256d a, __m256d b) {
        return _mm256_max_pd(a, b);
    }
#endif
    static float of(float a, float b) {
        return a > b ? a : b;
    }
    static double of(double a, double b) {
        return a > b ? a : b;
    }
};
/// Products of the low halves of 64-bit lanes.
struct LowProduct {
#if defined(__AVX512F__)
    static Words8 of(Words8 a, Words8 b) {
        return reinterpret_cast<Words8>(
            _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
    }
#endif
#if defined(__AVX2__)
    using Words4 = std::uint64_t __attribute__((vector_size(32)));
    static Words4 of(Words4 a, Words4 b) {
        return reinterpret_cast<Words4>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
    }
#endif
    static std::uint64_t of(std::uint64_t a, std::uint64_t b) {
        return (a & 0xffffffffu) * (b & 0xffffffffu);
    }
};

/// Whether the operation has an instruction for arguments of type P, as many as there are Operands.
template <class Operation, class P, class... Operands>
concept Takes = requires {
    Operation::of((static_cast<void>(sizeof(Operands)), std::declval<P>())...);
};

/// The operation on whole packets, on their halves, or lane by lane.
template <class Operation, class P, class... Operands>
[[gnu::always_inline]] inline P apply(const P& first, const Operands&... others) {
    using Half = typename PacketOf<Element<P>, sizeof(P) / 2>::Type;
    if constexpr (Takes<Operation, P, P, Operands...>) {
        return Operation::of(first, others...);
    } else if constexpr (Takes<Operation, Half, P, Operands...>) {
        const auto half = [](const P& x, int i) { return reinterpret_cast<const Half*>(&x)[i]; };
        P result;
        for (int i = 0; i < 2; ++i)
            reinterpret_cast<Half*>(&result)[i] = Operation::of(half(first, i), half(others, i)...);
        return result;
    } else {
        P result{};
        for (Index lane = 0; lane < lanes<P>; ++lane)
            result[lane] = Operation::of(first[lane], others[lane]...);
        return result;
    }
}

} // namespace detail

/// a b + c, rounded once.
template <class P>
[[gnu::always_inline]] inline P fused(P a, P b, P c) {
    return detail::apply<detail::Fused>(a, b, c);
}
template <class P>
[[gnu::always_inline]] inline P square_root(P x) {
    return detail::apply<detail::SquareRoot>(x);
}
/// The second if either is NaN, or both are zeros.
template <class P>
[[gnu::always_inline]] inline P smaller(P a, P b) {
    return detail::apply<detail::Smaller>(a, b);
}
template <class P>
[[gnu::always_inline]] inline P larger(P a, P b) {
    return detail::apply<detail::Larger>(a, b);
}
/// The 64-bit products of the low halves of 64-bit lanes (the compiler's own product multiplies all 64 bits).
[[gnu::always_inline]] inline Words8 low_product(Words8 a, std::uint64_t b) {
    return detail::apply<detail::LowProduct>(a, broadcast<Words8>(b));
}

template <class P>
inline constexpr auto sign_bit = Element<BitsOf<P>>{1} << (8 * sizeof(Element<P>) - 1);
/// |x|.
template <class P>
[[gnu::always_inline]] inline P absolute(P x) {
    return from_bits<P>(bits_of(x) & ~sign_bit<P>);
}
/// -|x|.
template <class P>
[[gnu::always_inline]] inline P minus_absolute(P x) {
    return from_bits<P>(bits_of(x) | sign_bit<P>);
}

/// Whether any bit is set.
template <class P>
[[gnu::always_inline]] inline bool any(P bits) {
#if defined(__AVX512F__)
    if constexpr (sizeof(P) == 64) {
        const auto value = reinterpret_cast<__m512i>(bits);
        return _mm512_test_epi64_mask(value, value) != 0;
    }
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(P) == 32) {
        const auto value = reinterpret_cast<__m256i>(bits);
        return _mm256_testz_si256(value, value) == 0;
    }
#endif
    const auto words = reinterpret_cast<typename detail::PacketOf<std::uint64_t, sizeof(P)>::Type>(bits);
    std::uint64_t joined = 0;
    for (Index i = 0; i < lanes<decltype(words)>; ++i)
        joined |= words[i];
    return joined != 0;
}

/// Sums and products of all lanes, in double precision and in the order of the lanes.
template <class P>
double sum_of(P x) {
    double sum = 0;
    for (Index lane = 0; lane < lanes<P>; ++lane)
        sum += static_cast<double>(x[lane]);
    return sum;
}
/// The same sum with the lanes of either half added to each other first, then those of quarters, and so on: no chain of
/// sixteen sums.
[[gnu::always_inline]] inline double pairwise_sum_of(Floats16 x) {
    const Doubles8 eight =
        __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7), Doubles8) +
        __builtin_convertvector(__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15), Doubles8);
    const auto four =
        __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
    const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
    return two[0] + two[1];
}
template <class P>
double product_of(P x) {
    double product = 1;
    for (Index lane = 0; lane < lanes<P>; ++lane)
        product *= static_cast<double>(x[lane]);
    return product;
}
/// NaN if the first lane is; other NaNs are passed over.
template <class P>
Element<P> largest_of(P x) {
    Element<P> largest = x[0];
    for (Index lane = 1; lane < lanes<P>; ++lane)
        largest = x[lane] > largest ? x[lane] : largest;
    return largest;
}

/// Square roots of n numbers in place. (The compiler keeps std::sqrt scalar for the sake of errno; both are exactly
/// rounded.)
template <class T>
void square_roots(T* values, std::size_t n) {
    using P = Register<T>;
    std::size_t i = 0;
    for (; i + lanes<P> <= n; i += lanes<P>)
        store_anywhere<P>(values + i, square_root(load_anywhere<P>(values + i)));
    for (; i < n; ++i)
        values[i] = detail::SquareRoot::of(values[i]);
}

} // namespace pearlite::simd
