#include "core/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

// Kulisch 2013, chapter 8; Neal 2015, "Fast exact summation using small and large superaccumulators". Bit 0 of the
// fixed-point sum is the smallest subnormal, 2^-1074; 66 limbs hold every double, the last ones are room for carries.

namespace pearlite {

namespace {

constexpr int fraction_bits = 52;
constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << fraction_bits) - 1;
constexpr std::uint64_t exponent_mask = 0x7ff;
constexpr std::uint64_t limb_mask = 0xffffffff;
constexpr int lowest_exponent = -1074;

using Words = std::array<std::int64_t, ExactSum::n_words>;

void count_special(Words& words, double value) {
    const std::size_t kind = std::isnan(value) ? 2 : value < 0 ? 1 : 0;
    ++words[std::size_t{ExactSum::n_limbs} + kind];
}

inline void add_to_limbs(Words& words, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t exponent = bits >> fraction_bits & exponent_mask;
    if (exponent == exponent_mask) [[unlikely]] {
        count_special(words, value);
        return;
    }
    const std::uint64_t normal = exponent != 0;
    const std::uint64_t significand = (bits & fraction_mask) | normal << fraction_bits;
    const std::uint64_t offset = exponent - normal;
    const std::uint64_t shift = offset % 32;
    const std::int64_t sign = std::bit_cast<std::int64_t>(value) >> 63; // 0 or -1
    const std::int64_t term = (static_cast<std::int64_t>(significand) ^ sign) - sign;
    std::int64_t* limb = words.data() + offset / 32;
    limb[0] += static_cast<std::int64_t>(static_cast<std::uint64_t>(term) << shift & limb_mask);
    limb[1] += term >> (32 - shift); // up to 53 bits: a limb has room for them
}

// Terms that follow one another mostly change the same limbs; with two sets of limbs they need not wait for each
// other.
void add_interleaved(Words& words, std::span<const double> values) {
    constexpr std::size_t n_sets = 2;
    std::array<Words, n_sets> sets{};
    const std::size_t in_sets = values.size() >= 16 * n_sets ? values.size() / n_sets * n_sets : 0;
    for (std::size_t i = 0; i < in_sets; i += n_sets)
        for (std::size_t set = 0; set < n_sets; ++set)
            add_to_limbs(sets[set], values[i + set]);
    for (const double value : values.subspan(in_sets))
        add_to_limbs(words, value);
    if (in_sets > 0)
        for (std::size_t w = 0; w < words.size(); ++w)
            for (const Words& set : sets)
                words[w] += set[w];
}

void propagate_carries(Words& words) {
    std::int64_t carry = 0;
    for (std::size_t i = 0; i + 1 < ExactSum::n_limbs; ++i) {
        const std::int64_t limb = words[i] + carry;
        words[i] = limb & static_cast<std::int64_t>(limb_mask);
        carry = limb >> 32; // rounds towards -inf, as two's complement wants
    }
    words[ExactSum::n_limbs - 1] += carry;
}

// Bits [first, first + count) of normalised non-negative limbs, count <= 64; bits below 0 are zero.
std::uint64_t bits_from(const Words& words, int first, int count) {
    std::uint64_t bits = 0;
    for (int i = count - 1; i >= 0; --i) {
        const int position = first + i;
        const auto limb = static_cast<std::uint64_t>(words[static_cast<std::size_t>(position / 32)]);
        bits = bits << 1 | (limb >> (position % 32) & 1);
    }
    return bits;
}

bool any_bit_below(const Words& words, int position) {
    const auto limb = static_cast<std::size_t>(position / 32);
    for (std::size_t i = 0; i < limb; ++i)
        if (words[i] != 0)
            return true;
    const std::uint64_t below = (std::uint64_t{1} << (position % 32)) - 1;
    return (static_cast<std::uint64_t>(words[limb]) & below) != 0;
}

// Position of the highest bit of normalised non-negative limbs; -1 for zero.
int highest_bit(const Words& words) {
    for (int i = ExactSum::n_limbs - 1; i >= 0; --i) {
        const auto limb = static_cast<std::uint64_t>(words[static_cast<std::size_t>(i)]);
        if (limb != 0)
            return 32 * i + static_cast<int>(std::bit_width(limb)) - 1;
    }
    return -1;
}

double rounded(const Words& words) {
    const int highest = highest_bit(words);
    if (highest <= fraction_bits) // subnormal, or as fine as one: exact
        return std::ldexp(static_cast<double>(bits_from(words, 0, fraction_bits + 1)), lowest_exponent);
    const int lowest = highest - fraction_bits;
    std::uint64_t significand = bits_from(words, lowest, fraction_bits + 1);
    const bool half = bits_from(words, lowest - 1, 1) != 0;
    if (half && ((significand & 1) != 0 || any_bit_below(words, lowest - 1)))
        ++significand;
    return std::ldexp(static_cast<double>(significand), lowest + lowest_exponent); // inf when too large
}

} // namespace

void ExactSum::add(double value) {
    if (pending_ >= carry_interval)
        normalise();
    add_to_limbs(words_, value);
    ++pending_;
}

void ExactSum::add(std::span<const double> values) {
    while (!values.empty()) {
        if (pending_ >= carry_interval)
            normalise();
        const auto count = std::min(values.size(), static_cast<std::size_t>(carry_interval - pending_));
        add_interleaved(words_, values.first(count));
        pending_ += static_cast<std::int64_t>(count);
        values = values.subspan(count);
    }
}

void ExactSum::add(const ExactSum& other) {
    ExactSum normalised = other;
    normalised.normalise();
    if (pending_ >= carry_interval)
        normalise();
    for (std::size_t i = 0; i < n_words; ++i)
        words_[i] += normalised.words_[i];
    ++pending_; // limbs of 32 bits: less than one addition
}

void ExactSum::normalise() {
    propagate_carries(words_);
    pending_ = 0;
}

double ExactSum::value() const {
    const std::int64_t plus = words_[n_limbs];
    const std::int64_t minus = words_[n_limbs + 1];
    if (words_[n_limbs + 2] != 0 || (plus != 0 && minus != 0))
        return std::numeric_limits<double>::quiet_NaN();
    if (plus != 0 || minus != 0)
        return plus != 0 ? infinity : -infinity;
    Words words = words_;
    propagate_carries(words);
    if (words[n_limbs - 1] >= 0)
        return rounded(words);
    for (std::size_t i = 0; i < n_limbs; ++i)
        words[i] = -words[i];
    propagate_carries(words);
    return -rounded(words);
}

double exact_sum(std::span<const double> values) {
    return ExactSum(values).value();
}

} // namespace pearlite
