#pragma once
/// Exact sums on their way between ranks: of the 73 words of an accumulator hardly four are not 0.

#include "core/exact_sum.hpp"

#include <array>
#include <cstdint>

namespace pearlite::parallel {

/// A window of an exact sum in two words: an integer of 116 bits, and the place of its lowest bit. Sums of windows are
/// exact or have no value, so that the bits of a sum do not depend on its order.
class CompactSum {
  public:
    CompactSum() = default;
    /// Without a value if the sum does not fit, or is not finite.
    explicit CompactSum(const ExactSum& normalised);

    bool has_value() const { return place() != none; }
    /// The sum, normalised.
    ExactSum expand() const;

    /// Without a value where either has none or their sum does not fit. Symmetric, bit for bit.
    friend CompactSum operator+(const CompactSum& a, const CompactSum& b);

  private:
    __extension__ typedef __int128 Wide; // NOLINT(modernize-use-using): __extension__ begins no alias

    /// The lowest bits have the place of the integer's lowest bit in the sum, or one of these.
    static constexpr int place_bits = 12, none = 0xfff, zero = 0xffe;

    CompactSum(Wide integer, int place);
    int place() const { return static_cast<int>(words_[0] & none); }
    Wide integer() const;
    static bool fits(Wide integer) { return integer == integer << place_bits >> place_bits; }

    std::array<std::uint64_t, 2> words_{zero, 0};
};

} // namespace pearlite::parallel
