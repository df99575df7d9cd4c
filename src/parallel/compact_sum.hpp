#pragma once
/// Exact sums on their way between ranks: of the 73 words of an accumulator hardly six are not 0.

#include "core/exact_sum.hpp"

#include <array>
#include <cstdint>

namespace pearlite::parallel {

/// A window of an exact sum: an integer of 184 bits, in units of the lowest limb that is not 0. Sums of windows are
/// exact or have no value, so that the bits of a sum do not depend on its order.
class CompactSum {
  public:
    CompactSum() = default;
    /// Without a value if the sum does not fit, or is not finite.
    explicit CompactSum(const ExactSum& normalised);

    bool has_value() const { return base() != none; }
    /// The sum, normalised.
    ExactSum expand() const;

    /// Without a value where either has none or their sum does not fit. Symmetric, bit for bit.
    friend CompactSum operator+(const CompactSum& a, const CompactSum& b);

  private:
    using Limbs = std::array<std::uint64_t, 6>; ///< 32 bits each from the lowest, two's complement

    /// The lowest byte has the number of the window's lowest limb, or one of these.
    static constexpr std::uint64_t none = 0xff, zero = 0xfe;

    CompactSum(const Limbs& limbs, std::uint64_t base);
    std::uint64_t base() const { return words_[0] & 0xff; }
    Limbs limbs() const;
    static bool fit(const Limbs& limbs);
    static bool is_negative(const Limbs& limbs) { return (limbs.back() & 0x80000000) != 0; }

    std::array<std::uint64_t, 3> words_{zero, 0, 0};
};

} // namespace pearlite::parallel
