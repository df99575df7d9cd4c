#pragma once
/// The loops of fill.hpp, lanes.hpp and Philox::fill, whose headers document the results: see simd/instructions.hpp.

#include "pearlite/random/detail/philox.hpp"
#include "random/fill.hpp"
#include "random/lanes.hpp"
#include "simd/instructions.hpp"

namespace pearlite::random {

template <class Instructions>
struct Fills {
    static void words(Counter counter, Philox::Key key, std::span<std::uint32_t> out);
    static void bits(const Address& address, std::span<std::uint32_t> out);
    static void uniform(const Address& address, std::span<float> out);
    static void uniform(const Address& address, std::span<double> out);
    static void normal(const Address& address, std::uint64_t first, std::span<double> out);
    static void normal(const Address& address, std::uint64_t first, std::span<float> out);
    static void exponential(const Address& address, std::span<double> out);
    static void bernoulli(const Address& address, std::span<const float> probabilities, std::span<float> out);
    static void bernoulli(const Address& address, std::span<const float> probabilities, std::span<std::int8_t> out);
};

template <class Instructions>
struct LaneFills {
    static void uniform(const Address& address, Index n, std::span<double> out);
    static void normal(const Address& address, Index n, std::span<double> out);
    static void normal(const Address& address, Index n, std::span<float> out);
    static void exponential(const Address& address, Index n, std::span<double> out, Index skip);
    static void uniform_of_steps(const Address& address, Index n, std::span<double> out);
    static void exponential_of_steps(const Address& address, Index n, std::span<double> out);
};

} // namespace pearlite::random
