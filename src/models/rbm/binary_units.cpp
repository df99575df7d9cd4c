#include "models/rbm/binary_units.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <utility>

namespace pearlite::models {

BinaryUnits::BinaryUnits(Index n_units, Index n_chains)
    : n_units_(n_units),
      n_chains_(n_chains),
      n_words_((n_units + rbm_kernels::word_units - 1) / rbm_kernels::word_units),
      words_(at(n_words_ * padded(n_chains)), 0u) {}

void BinaryUnits::pack(Index chain, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(chain >= 0 && chain < n_chains_ && out.size() == packed_bytes());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto unit = static_cast<Index>(8 * i);
        out[i] = static_cast<std::byte>(words_[word_of(unit, chain)] >> (unit % 32) & 0xffu);
    }
}

void BinaryUnits::unpack(Index chain, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(chain >= 0 && chain < n_chains_ && in.size() == packed_bytes());
    for (Index i = 0; i < n_units_; ++i)
        set(i, chain, std::to_integer<int>(in[at(i / 8)] >> (i % 8) & std::byte{1}) != 0);
}

void BinaryUnits::set(Index unit, Index chain, bool is_on) {
    std::uint32_t& word = words_[word_of(unit, chain)];
    const std::uint32_t bit = std::uint32_t{1} << (unit % 32);
    word = is_on ? word | bit : word & ~bit;
}

void BinaryUnits::swap(Index chain, BinaryUnits& other) {
    PEARLITE_EXPECTS(other.n_words_ == n_words_ && chain < n_chains_ && chain < other.n_chains_);
    for (Index unit = 0; unit < n_units_; unit += rbm_kernels::word_units)
        std::swap(words_[word_of(unit, chain)], other.words_[word_of(unit, chain)]);
}

BinaryUnits::FloatMatrix BinaryUnits::matrix() const {
    FloatMatrix units = FloatMatrix::Zero(padded(n_units_), padded(n_chains_));
    for (Index chain = 0; chain < n_chains_; ++chain)
        for (Index i = 0; i < n_units_; ++i)
            units(i, chain) = get(i, chain) ? 1.0f : 0.0f;
    return units;
}

} // namespace pearlite::models
