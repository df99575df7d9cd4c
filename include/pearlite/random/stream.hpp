#pragma once
/// Random streams addressed by (seed, purpose, id, step): the same address gives the same numbers on any rank at any
/// time, so there is nothing to save in a checkpoint and nothing to hand from rank to rank.

#include "pearlite/core/types.hpp"
#include "pearlite/random/detail/generator.hpp"
#include "pearlite/random/detail/purpose.hpp"

#include <cstdint>
#include <span>

namespace pearlite::random {

/// Names a stream. `id` (56 bits) is a particle's global slot, or a block's number where the particles of a block share
/// a draw; never an ancestor and never a rank. `step` is the sampler's step.
struct Address {
    Seed seed = {};
    Purpose purpose = Purpose::test;
    std::uint64_t id = 0;
    std::uint32_t step = 0;

    /// The counter of the stream's first four words: {0, step, id low, purpose and id high}. An id of
    /// more than 56 bits is a ContractViolation.
    Counter counter() const;
};

/// The id of a slot (40 bits) of a generation (16 bits).
constexpr std::uint64_t slot_id(Index generation, Index slot) {
    return (static_cast<std::uint64_t>(generation) << 40) | static_cast<std::uint64_t>(slot);
}

/// A seed, of the same generator, for the independent part `part` (batch, replicate, pilot) of a run with this seed.
Seed derive_seed(const Seed& seed, std::uint64_t part);

/// Draws one after another from an address. Satisfies UniformRandomBitGenerator. Not for inner loops.
class Stream {
  public:
    using result_type = std::uint32_t;
    explicit Stream(const Address& address) : counter_(address.counter()), seed_(address.seed) {}

    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return 0xffffffffu; }
    result_type operator()() { return bits32(); }

    std::uint32_t bits32();
    std::uint64_t bits64();
    /// Uniform on (0, 1), never 0 nor 1; 53 bits.
    double uniform();
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// Uniform on 0 .. n-1, exactly (Lemire 2019); n >= 1.
    std::uint64_t index(std::uint64_t n);
    /// Uniform on 0 .. n-1 for 128-bit n >= 1, exactly.
    WideCount index128(WideCount n);
    /// N(0, 1).
    double normal();
    /// Exponential of rate 1.
    double exponential();
    /// Gamma(shape, rate 1), shape > 0 (Marsaglia & Tsang 2000).
    double gamma(double shape);
    /// Beta(a, b).
    double beta(double a, double b);
    bool bernoulli(double probability) { return uniform() < probability; }
    /// Index j with probability weights[j] / sum; weights >= 0, not all zero, else ContractViolation.
    Index categorical(std::span<const double> weights);

  private:
    Counter counter_;
    Seed seed_;
    Counter words_{};
    int used_ = 4;
    double spare_normal_ = 0;
    bool has_spare_ = false;
};

} // namespace pearlite::random
