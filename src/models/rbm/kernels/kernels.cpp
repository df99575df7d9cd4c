#include "models/rbm/kernels/kernels.hpp"

#include "pearlite/random/detail/philox.hpp"

namespace pearlite::models::rbm_kernels {

bool settle_draw(const DrawStreams& streams, std::int64_t unit, std::int64_t lane, float excess, float width) {
    constexpr std::uint32_t beyond_draws = std::uint32_t{1} << 29; // 2^32 units of 16 bits
    const random::Philox::Counter counter{beyond_draws + streams.first_unit + static_cast<std::uint32_t>(unit),
                                          streams.step, streams.id[lane], streams.purpose_and_id[lane]};
    const auto words = random::Philox::generate(counter, {streams.key[0], streams.key[1]});
    const double u = (words[0] + words[1] * 0x1p-32) * 0x1p-32;
    return static_cast<double>(excess) + u * static_cast<double>(width) < 0;
}

} // namespace pearlite::models::rbm_kernels
