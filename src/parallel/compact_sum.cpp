#include "parallel/compact_sum.hpp"

#include <algorithm>

namespace pearlite::parallel {

namespace {

constexpr std::uint64_t limb_mask = 0xffffffff;
constexpr std::size_t n_limbs = ExactSum::n_limbs;

} // namespace

CompactSum::CompactSum(const Limbs& limbs, std::uint64_t base) {
    if (base == none || !fit(limbs)) {
        words_[0] = none;
        return;
    }
    const auto word = [&](std::size_t i) { return limbs[2 * i] | limbs[2 * i + 1] << 32; };
    words_ = {word(0) << 8 | base, word(1) << 8 | word(0) >> 56, word(2) << 8 | word(1) >> 56};
}

CompactSum::Limbs CompactSum::limbs() const {
    const auto highest = static_cast<std::uint64_t>(static_cast<std::int64_t>(words_[2]) >> 8);
    const std::array<std::uint64_t, 3> words{words_[0] >> 8 | words_[1] << 56, words_[1] >> 8 | words_[2] << 56,
                                             highest};
    Limbs limbs{};
    for (std::size_t i = 0; i < limbs.size(); ++i)
        limbs[i] = words[i / 2] >> 32 * (i % 2) & limb_mask;
    return limbs;
}

/// Whether all bits from that of the sign, 183, upwards are equal.
bool CompactSum::fit(const Limbs& limbs) {
    const std::uint64_t sign = is_negative(limbs) ? limb_mask : 0;
    return (limbs.back() ^ sign) >> 23 == 0;
}

CompactSum::CompactSum(const ExactSum& normalised) {
    const auto words = normalised.words();
    const auto limb = [&](std::size_t i) { // the last one holds the sign
        return static_cast<std::uint64_t>(words[std::min(i, n_limbs - 1)]) & limb_mask;
    };
    const std::int64_t sign = words[n_limbs - 1];
    std::size_t lowest = 0;
    while (lowest < n_limbs && words[lowest] == 0)
        ++lowest;
    const bool is_finite = std::ranges::all_of(words.last(ExactSum::n_words - n_limbs), [](auto n) { return n == 0; });
    if (is_finite && lowest == n_limbs)
        return;
    Limbs limbs{};
    for (std::size_t i = 0; i < limbs.size(); ++i)
        limbs[i] = limb(lowest + i);
    bool fits = is_finite && (sign == 0 || sign == -1) && is_negative(limbs) == (sign < 0);
    for (std::size_t i = lowest + limbs.size(); i < n_limbs; ++i)
        fits = fits && limb(i) == (static_cast<std::uint64_t>(sign) & limb_mask);
    *this = CompactSum(limbs, fits ? lowest : none);
}

ExactSum CompactSum::expand() const {
    ExactSum sum;
    if (base() == zero)
        return sum;
    const auto limbs = this->limbs();
    const auto words = sum.words();
    const bool has_sign = is_negative(limbs);
    for (std::size_t i = base(); i < n_limbs; ++i)
        words[i] = static_cast<std::int64_t>(i - base() < limbs.size() ? limbs[i - base()] : has_sign ? limb_mask : 0);
    words[n_limbs - 1] = has_sign ? -1 : 0;
    sum.normalise();
    return sum;
}

CompactSum operator+(const CompactSum& a, const CompactSum& b) {
    if (!a.has_value() || b.base() == CompactSum::zero)
        return a;
    if (!b.has_value() || a.base() == CompactSum::zero)
        return b;
    const auto &low = a.base() < b.base() ? a : b, &high = a.base() < b.base() ? b : a;
    auto sum = low.limbs();
    const auto other = high.limbs();
    const std::size_t shift = high.base() - low.base();
    const std::uint64_t sign = CompactSum::is_negative(other) ? limb_mask : 0;
    // The other window in units of the lower one: what is shifted out must be sign, and so must be the highest bits.
    CompactSum::Limbs shifted{};
    bool fits = shift < shifted.size();
    for (std::size_t i = 0; i < other.size(); ++i)
        if (i + shift < shifted.size())
            shifted[i + shift] = other[i];
        else
            fits = fits && other[i] == sign;
    fits = fits && CompactSum::is_negative(shifted) == (sign != 0) && CompactSum::fit(shifted);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        carry += sum[i] + shifted[i];
        sum[i] = carry & limb_mask;
        carry >>= 32;
    }
    return {sum, fits ? low.base() : CompactSum::none};
}

} // namespace pearlite::parallel
