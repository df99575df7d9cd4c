#pragma once
/// The random numbers of the filter of stochastic volatility. Particle i at time t has number t n + i of each kind, n
/// the number of particles with padding; words are those that VolatilityFilter names.

#include "models/state_space/lanes/ahead.hpp"
#include "models/state_space/lanes/gamma_roots.hpp"
#include "models/state_space/volatility_cloud.hpp"
#include "random/fill.hpp"

#include <span>

namespace pearlite::models::detail {

inline constexpr std::uint64_t resampling_words = std::uint64_t{3} << 32;
inline constexpr std::uint64_t normals_from = std::uint64_t{1} << 32;

/// Uniform on (0, 1): 32 bits, from one word of the stream at the address.
double uniform_at(const random::Address& address, std::uint64_t word);

struct MakeNormals {
    const random::Address& address;

    void operator()(std::size_t first, std::span<float> out) const { random::fill_normal(address, first, out); }
};

/// sqrt(2 g/(nu + 1)), g ~ Gamma(shape (nu + 1)/2, rate 1), of a normal number each.
class MakeGammaRoots {
  public:
    MakeGammaRoots(const random::Address& address, const GammaRoots& roots) : address_(address), roots_(roots) {}

    void operator()(std::size_t first, std::span<float> out) const {
        random::fill_normal(address_, normals_from + first, out);
        const auto replace = [&](auto root_of) {
            simd::in_packets<simd::FloatsQuad, simd::FloatsPair>(out.size(), [&]<class P>(std::size_t i) {
                // The root of a number near 0 may come out a rounding error below it.
                simd::store(out.data() + i, simd::larger(root_of(simd::load<P>(out.data() + i)), P{}));
            });
        };
        if (roots_.powers().empty())
            replace([&](auto x) { return by_chebyshev(x); });
        else
            replace([&](auto x) { return by_powers(x); });
    }

  private:
    /// Horner's scheme.
    template <class P>
    [[gnu::always_inline]] P by_powers(P x) const {
        const auto powers = roots_.powers();
        P sum = broadcast<P>(powers.back());
        for (std::size_t k = powers.size() - 1; k > 0; --k)
            sum = fused(sum, x, broadcast<P>(powers[k - 1]));
        return sum;
    }
    /// Clenshaw's recurrence.
    template <class P>
    [[gnu::always_inline]] P by_chebyshev(P normal) const {
        const auto coefficients = roots_.coefficients();
        const P x = normal * static_cast<float>(1 / GammaRoots::largest_normal), twice = x + x;
        P sum{}, before{};
        for (std::size_t k = coefficients.size() - 1; k > 0; k -= 2) {
            before = fused(twice, sum, broadcast<P>(coefficients[k]) - before);
            sum = fused(twice, before, broadcast<P>(coefficients[k - 1]) - sum);
        }
        return fused(x, sum, broadcast<P>(coefficients[0]) - before);
    }

    const random::Address& address_;
    GammaRoots roots_;
};

} // namespace pearlite::models::detail
