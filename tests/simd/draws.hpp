#pragma once
/// Random arguments for tests of this layer, which does not include `random`.

#include "simd/packet.hpp"

#include <random>

namespace pearlite::simd::testing {

class Draws {
  public:
    explicit Draws(unsigned seed) : engine_(seed) {}
    /// On [from, to), never 0.
    double uniform(double from = 0, double to = 1) {
        double value = 0;
        while (value == 0)
            value = std::uniform_real_distribution(from, to)(engine_);
        return value;
    }
    /// One of 0 .. n - 1.
    int index(int n) { return std::uniform_int_distribution(0, n - 1)(engine_); }
    std::uint64_t bits() { return engine_(); }

  private:
    std::mt19937_64 engine_;
};

/// A packet whose lanes are what draw() gives, one after another.
template <class P, class Draw>
P packet_of(Draw draw) {
    P x{};
    for (Index i = 0; i < lanes<P>; ++i)
        x[i] = static_cast<Element<P>>(draw());
    return x;
}

} // namespace pearlite::simd::testing
