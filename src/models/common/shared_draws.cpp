#include "models/common/shared_draws.hpp"

#include "random/fill.hpp"

#include <vector>

namespace pearlite::models {

void draw_indices(const random::Address& address, Index n, std::span<std::int32_t> out) {
    const auto range = static_cast<std::uint32_t>(n);
    const std::uint32_t least = (0u - range) % range;
    std::vector<std::uint32_t> words(out.size());
    random::fill_bits(address, words);
    auto second = address;
    second.id |= std::uint64_t{1} << 39;
    random::Stream replacement(second);
    for (std::size_t k = 0; k < out.size(); ++k) {
        const std::uint64_t product = std::uint64_t{words[k]} * range;
        out[k] = static_cast<std::uint32_t>(product) >= least ? static_cast<std::int32_t>(product >> 32)
                                                              : static_cast<std::int32_t>(replacement.index(range));
    }
}

void fill_planes(const random::Address& address, Index plane, std::span<std::uint32_t> words) {
    constexpr Index words_per_plane = 16;
    random::Counter counter = address.counter();
    counter[0] += static_cast<std::uint32_t>(plane * (words_per_plane / 4));
    random::fill(counter, address.seed, words);
}

} // namespace pearlite::models
