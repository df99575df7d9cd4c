#pragma once
/// The random numbers of the filter of stochastic volatility. Particle i at time t has number t n + i of each kind, n
/// the number of particles with padding; words are those that VolatilityFilter names.

#include "models/state_space/lanes/ahead.hpp"
#include "models/state_space/volatility_cloud.hpp"
#include "random/fill.hpp"
#include "simd/elementary.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace pearlite::models::detail {

inline constexpr std::uint64_t resampling_words = std::uint64_t{3} << 32;
inline constexpr std::uint64_t normals_from = std::uint64_t{1} << 32, uniforms_from = std::uint64_t{1} << 33;
inline constexpr std::uint64_t second_tries = std::uint64_t{1} << 61, own_streams = std::uint64_t{1} << 62;

/// Uniform on (0, 1): 32 bits, from one word of the stream at the address.
double uniform_at(const random::Address& address, std::uint64_t word);

struct MakeNormals {
    const random::Address& address;

    void operator()(std::size_t first, std::span<float> out) const { random::fill_normal(address, first, out); }
};

/// g ~ Gamma(shape (nu + 1)/2, rate 1) (Marsaglia & Tsang 2000): d v, v = (1 + c x)^3, c^2 = 1/(9 d), of a normal x is
/// accepted with probability exp(x^2/2 + d (1 - v + log v)), which is at least 1 - c^2 x^4 / (12 min(1, 1 + c x)) by
/// the series of the logarithm. This squeeze is tighter than theirs, 1 - 0.0331 x^4, for all shapes from 1; the lanes
/// have it, the rest is done one by one.
class MakeGammas {
  public:
    MakeGammas(const random::Address& address, double nu, std::size_t particles)
        : address_(address), again_(address), shape_((nu + 1) / 2), particles_(particles) {
        again_.seed = random::derive_seed(address.seed, second_tries);
    }

    void operator()(std::size_t first, std::span<float> out) const {
        using P = simd::FloatsPair;
        alignas(64) float normals[chunk], uniforms[chunk];
        random::fill_normal(address_, normals_from + first, {normals, out.size()});
        fill_uniform(uniforms_from + first, {uniforms, out.size()});
        const double d = shape_ - 1.0 / 3;
        const P c = broadcast<P>(static_cast<float>(1 / std::sqrt(9 * d))), one = broadcast<P>(1);
        const auto scale = static_cast<float>(d), squeeze = static_cast<float>(1 / (108 * d));
        for (std::size_t i = 0; i < out.size(); i += simd::lanes<P>) {
            const P x = simd::load<P>(normals + i), root = fused(c, x, one), square = x * x;
            // Where the root is not positive the left side is not, either.
            const auto accepted =
                square * square * squeeze < (1 - simd::load<P>(uniforms + i)) * simd::smaller(root, one);
            simd::store(out.data() + i, root * root * root * scale);
            if (simd::any(~accepted) || shape_ < 1)
                for (std::size_t j = 0; j < simd::lanes<P>; ++j)
                    if (accepted[j] == 0 || shape_ < 1)
                        out[i + j] = static_cast<float>(one_by_one(normals[i + j], uniforms[i + j], first + i + j));
        }
    }

  private:
    /// From a normal and a uniform; if these are refused, from the four words of a second stream's counter, which are
    /// two more pairs; and if these are, from a stream of its own.
    double one_by_one(float x, float u, std::size_t number) const;
    /// Uniforms on (0, 1) of 24 bits from words at a multiple of four.
    void fill_uniform(std::uint64_t first, std::span<float> out) const {
        alignas(64) std::uint32_t words[chunk];
        random::Counter counter = address_.counter();
        counter[0] = static_cast<std::uint32_t>(first / 4);
        random::fill(counter, address_.seed, {words, out.size()});
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = (static_cast<float>(static_cast<std::int32_t>(words[i] >> 8)) + 0.5f) * 0x1p-24f;
    }

    const random::Address& address_;
    random::Address again_;
    double shape_;
    std::size_t particles_;
};

} // namespace pearlite::models::detail
