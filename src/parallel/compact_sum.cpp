#include "parallel/compact_sum.hpp"

#include <bit>

namespace pearlite::parallel {

namespace {

constexpr int limb_bits = 32;
constexpr std::uint64_t limb_mask = 0xffffffff;
constexpr std::size_t n_limbs = ExactSum::n_limbs;

} // namespace

CompactSum::CompactSum(Wide integer, int place) {
    if (place == none || !fits(integer)) {
        words_[0] = none;
        return;
    }
    if (integer == 0)
        return;
    const auto shifted = static_cast<WideCount>(integer) << place_bits;
    words_ = {static_cast<std::uint64_t>(shifted) | static_cast<std::uint64_t>(place),
              static_cast<std::uint64_t>(shifted >> 64)};
}

CompactSum::Wide CompactSum::integer() const {
    return static_cast<Wide>(static_cast<WideCount>(words_[1]) << 64 | words_[0]) >> place_bits;
}

CompactSum::CompactSum(const ExactSum& normalised) {
    const auto words = normalised.words();
    for (std::size_t i = n_limbs; i < words.size(); ++i)
        if (words[i] != 0) { // infinite, or NaN
            words_[0] = none;
            return;
        }
    std::size_t lowest = 0;
    while (lowest < n_limbs && words[lowest] == 0)
        ++lowest;
    if (lowest == n_limbs)
        return;
    const std::int64_t sign = words[n_limbs - 1] >> 63;
    const auto limb = [&](std::size_t i) { // those beyond the last one, which is signed, repeat its sign
        return static_cast<std::uint64_t>(i < n_limbs ? words[i] : sign) & limb_mask;
    };
    const int shift = std::countr_zero(limb(lowest));
    constexpr std::size_t whole = 4; // limbs in 128 bits
    WideCount integer = 0;
    for (std::size_t i = whole; i-- > 0;)
        integer = integer << limb_bits | limb(lowest + i);
    const std::uint64_t next = limb(lowest + whole), sign_limb = static_cast<std::uint64_t>(sign) & limb_mask;
    if (shift > 0)
        integer = integer >> shift | static_cast<WideCount>(next)
                                         << (whole * limb_bits - static_cast<std::size_t>(shift));
    const auto window = static_cast<Wide>(integer);
    bool is_all = words[n_limbs - 1] == sign && (window < 0) == (sign < 0) && next >> shift == sign_limb >> shift;
    for (std::size_t i = lowest + whole + 1; i < n_limbs; ++i)
        is_all = is_all && limb(i) == sign_limb;
    *this = CompactSum(window, is_all ? static_cast<int>(lowest) * limb_bits + shift : none);
}

ExactSum CompactSum::expand() const {
    ExactSum sum;
    if (place() == zero)
        return sum;
    const auto words = sum.words();
    const auto first = static_cast<std::size_t>(place() / limb_bits);
    const int shift = place() % limb_bits;
    Wide rest = integer();
    words[first] = static_cast<std::int64_t>(static_cast<std::uint64_t>(rest) << shift & limb_mask);
    rest >>= limb_bits - shift;
    for (std::size_t i = first + 1; i + 1 < n_limbs; ++i, rest >>= limb_bits)
        words[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(rest) & limb_mask);
    words[n_limbs - 1] = static_cast<std::int64_t>(rest);
    sum.normalise();
    return sum;
}

CompactSum operator+(const CompactSum& a, const CompactSum& b) {
    if (!a.has_value() || b.place() == CompactSum::zero)
        return a;
    if (!b.has_value() || a.place() == CompactSum::zero)
        return b;
    const auto &low = a.place() < b.place() ? a : b, &high = a.place() < b.place() ? b : a;
    const int shift = high.place() - low.place();
    constexpr int bits = 128 - CompactSum::place_bits;
    if (shift >= bits)
        return {0, CompactSum::none};
    const auto integer = high.integer();
    const auto shifted = static_cast<CompactSum::Wide>(static_cast<WideCount>(integer) << shift);
    return {low.integer() + shifted,
            shifted >> shift == integer && CompactSum::fits(shifted) ? low.place() : CompactSum::none};
}

} // namespace pearlite::parallel
