#include "models/rbm/kernels/kernels.hpp"

#include "pearlite/random/detail/ars.hpp"
#include "pearlite/random/detail/generator.hpp"
#include "simd/path.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

std::uint64_t number_of(const DrawStreams& streams) {
    return streams.seed[0] | std::uint64_t{streams.seed[1]} << 32;
}

using Words [[gnu::vector_size(16), gnu::may_alias]] = std::uint32_t;

} // namespace

bool counts_bits() {
    return simd::cpu_has(simd::InstructionSet::avx512vpopcntdq);
}

bool settle_draw(const DrawStreams& streams, std::int64_t unit, std::int64_t lane, float excess, float width) {
    constexpr std::uint32_t beyond_draws = std::uint32_t{1} << 29; // 2^32 units of 16 bits
    const random::Counter counter{beyond_draws + streams.first_unit + static_cast<std::uint32_t>(unit), streams.step,
                                  streams.id[lane], streams.purpose_and_id[lane]};
    const auto generator = streams.by_ars ? random::Generator::ars : random::Generator::philox;
    const auto words = random::generate(counter, {number_of(streams), generator});
    const double u = (words[0] + words[1] * 0x1p-32) * 0x1p-32;
    return static_cast<double>(excess) + u * static_cast<double>(width) < 0;
}

void ars_words(const DrawStreams& streams, std::uint32_t first_counter, std::int64_t n, std::uint32_t* words) {
    alignas(64) Words counters[panel_counters * tile_chains];
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t lane = 0; lane < tile_chains; ++lane)
            counters[k * tile_chains + lane] = Words{first_counter + static_cast<std::uint32_t>(k), streams.step,
                                                     streams.id[lane], streams.purpose_and_id[lane]};
    random::Ars::encrypt(random::Ars::key(number_of(streams)),
                         {reinterpret_cast<std::uint32_t*>(counters), static_cast<std::size_t>(4 * tile_chains * n)});
    for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t lane = 0; lane < tile_chains; lane += 4) {
            const Words* const x = counters + k * tile_chains + lane;
            const Words a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
            const Words b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
            const Words c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
            const Words d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
            const auto put = [&](std::int64_t word, Words values) {
                *reinterpret_cast<Words*>(words + (4 * k + word) * tile_chains + lane) = values;
            };
            put(0, __builtin_shufflevector(a, b, 0, 1, 4, 5));
            put(1, __builtin_shufflevector(a, b, 2, 3, 6, 7));
            put(2, __builtin_shufflevector(c, d, 0, 1, 4, 5));
            put(3, __builtin_shufflevector(c, d, 2, 3, 6, 7));
        }
}

} // namespace pearlite::models::rbm_kernels
