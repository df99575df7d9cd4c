#include "random/normals.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "random/fill.hpp"
#include "simd/arithmetic.hpp"
#include "simd/scalar_float.hpp"

#include <algorithm>

namespace pearlite::random {

namespace {

constexpr std::size_t half = normal_group / 2;
/// Groups in work at a time: words and normals stay in the first-level cache.
constexpr std::size_t chunk_groups = 64;

/// Normals of whole groups from their words.
void box_muller(const std::uint32_t* words, float* out, std::size_t n_groups) {
    for (std::size_t g = 0; g < n_groups; ++g, words += normal_group, out += normal_group) {
        float radius[half];
        for (std::size_t j = 0; j < half; ++j)
            radius[j] = simd::minus_two_log(simd::uniform31(words[j]));
        simd::square_roots(radius, half);
        for (std::size_t j = 0; j < half; ++j) {
            const auto direction = simd::random_direction(words[half + j]);
            out[j] = radius[j] * direction.cosine;
            out[half + j] = radius[j] * direction.sine;
        }
    }
}

} // namespace

void fill_normal(const Address& address, std::uint64_t first, std::span<float> out) {
    PEARLITE_EXPECTS(first <= stream_words && out.size() <= stream_words - first);
    alignas(64) std::uint32_t words[chunk_groups * normal_group];
    Philox::Counter counter = address.counter();
    const Philox::Key key = address.key();
    std::size_t done = 0;
    while (done < out.size()) {
        const std::uint64_t at = first + done;
        const std::size_t skipped = at % normal_group, left = out.size() - done;
        const std::size_t n_groups = std::min(chunk_groups, (skipped + left + normal_group - 1) / normal_group);
        counter[0] = static_cast<std::uint32_t>((at - skipped) / 4);
        Philox::fill(counter, key, {words, n_groups * normal_group});
        const std::size_t count = std::min(left, n_groups * normal_group - skipped);
        if (count == n_groups * normal_group) {
            box_muller(words, out.data() + done, n_groups);
        } else {
            alignas(64) float normals[chunk_groups * normal_group];
            box_muller(words, normals, n_groups);
            std::copy_n(normals + skipped, count, out.data() + done);
        }
        done += count;
    }
}

} // namespace pearlite::random
