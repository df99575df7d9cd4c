#include "models/state_space/volatility_cloud.hpp"

#include "models/state_space/volatility_lanes.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/types.hpp"
#include "random/fill.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::models::detail {

void VolatilityCloud::resize(std::size_t n) {
    const auto n_padded = padded(static_cast<Index>(n));
    size = n;
    padded_size = static_cast<std::size_t>(n_padded);
    for (auto* array : {&mean, &next_mean, &weight, &next_weight, &point, &next_point, &h})
        array->setZero(n_padded);
    cumulative_.setZero(n_padded);
    ancestor_.setZero(n_padded + 1);
}

void VolatilityCloud::make_weights_equal() {
    weight.setZero();
    weight.head(static_cast<Index>(size)).setOnes();
}

void VolatilityCloud::resample(double offset, bool with_points) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i)
        cumulative_[static_cast<Index>(i)] = sum += static_cast<double>(weight[static_cast<Index>(i)]);
    // Slots up to ceil(c n / sum - offset) belong to particles up to i, c the cumulative weight. The last of these is n
    // whatever the rounding, because the offset keeps its distance from 0 and 1.
    const double scale = static_cast<double>(size) / sum;
    std::fill_n(ancestor_.data(), size, 0);
    Index start = 0;
    for (std::size_t i = 0; i < size; ++i) {
        ancestor_[start] = static_cast<std::int32_t>(i); // overwritten by the next if this one has no slot
        start = static_cast<Index>(std::ceil(cumulative_[static_cast<Index>(i)] * scale - offset));
    }
    PEARLITE_ENSURES(start == static_cast<Index>(size));
    std::int32_t ancestor = 0;
    for (std::size_t slot = 0; slot < size; ++slot) {
        const auto k = static_cast<Index>(slot);
        ancestor = std::max(ancestor, ancestor_[k]);
        ancestor_[k] = ancestor;
    }
    const std::int32_t* const from = ancestor_.data();
    for (std::size_t slot = 0; slot < size; ++slot)
        next_mean.data()[slot] = mean.data()[from[slot]];
    std::swap(mean, next_mean);
    if (with_points) {
        for (std::size_t slot = 0; slot < size; ++slot)
            next_point.data()[slot] = point.data()[from[slot]];
        std::swap(point, next_point);
    }
    make_weights_equal();
}

void ChunkSums::add_to(CloudSums& sums) const {
    sums.weights += simd::sum_of(weights_);
    sums.squares += simd::sum_of(squares_);
    sums.largest = std::max(sums.largest, simd::largest_of(largest_));
}

using simd::lanes;
using simd::load;
using simd::Mask;
using simd::square_root;
using simd::store;

namespace {

constexpr std::uint64_t normals_from = std::uint64_t{1} << 32, uniforms_from = std::uint64_t{1} << 33;
constexpr std::uint64_t own_streams = std::uint64_t{1} << 62;

/// Uniforms on (0, 1) of 24 bits from words at a multiple of four.
void fill_uniform(const random::Address& address, std::uint64_t first, std::span<float> out) {
    alignas(64) std::uint32_t words[chunk];
    random::Counter counter = address.counter();
    counter[0] = static_cast<std::uint32_t>(first / 4);
    random::fill(counter, address.seed, {words, out.size()});
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = (static_cast<float>(static_cast<std::int32_t>(words[i] >> 8)) + 0.5f) * 0x1p-24f;
}

} // namespace

StudentShocks::StudentShocks(const random::Address& address, double nu, double strength, std::size_t stride)
    : address_(address), nu_(nu), strength_(strength), shape_((nu + 1) / 2), stride_(stride) {}

double StudentShocks::one_gamma(float x, float u, std::uint64_t part) const {
    const double d = shape_ - 1.0 / 3, root = 1 + static_cast<double>(x) / std::sqrt(9 * d), v = root * root * root;
    const double square = static_cast<double>(x) * static_cast<double>(x);
    if (shape_ >= 1 && root > 0 && std::log(static_cast<double>(u)) < square / 2 + d * (1 - v + std::log(v)))
        return d * v;
    random::Address own = address_;
    own.seed = random::derive_seed(address_.seed, part);
    random::Stream stream(own);
    return stream.gamma(shape_);
}

void StudentShocks::add_to(VolatilityCloud& cloud, std::size_t t, double y) const {
    alignas(64) float normals[chunk], uniforms[chunk], gammas[chunk];
    const double d = shape_ - 1.0 / 3;
    const Floats16 c = broadcast<Floats16>(static_cast<float>(1 / std::sqrt(9 * d)));
    const auto scale = static_cast<float>(d), return_now = static_cast<float>(y), nu = static_cast<float>(nu_);
    for (std::size_t first = 0; first < cloud.padded_size; first += chunk) {
        const std::size_t count = std::min(chunk, cloud.padded_size - first), word = t * stride_ + first;
        random::fill_normal(address_, normals_from + word, {normals, count});
        fill_uniform(address_, uniforms_from + word, {uniforms, count});
        for (std::size_t i = 0; i < count; i += lanes<Floats16>) {
            const Floats16 x = load<Floats16>(normals + i), root = fused(c, x, broadcast<Floats16>(1)), square = x * x;
            const Mask<Floats16> accepted = (load<Floats16>(uniforms + i) < 1 - 0.0331f * square * square) & (root > 0);
            store(gammas + i, accepted ? root * root * root * scale : broadcast<Floats16>(-1));
        }
        for (std::size_t i = 0; i < count; ++i)
            if (!(gammas[i] >= 0) || shape_ < 1)
                gammas[i] = static_cast<float>(one_gamma(
                    normals[i], uniforms[i], own_streams + (static_cast<std::uint64_t>(t) << 32) + first + i));
        for (std::size_t i = 0; i < count; i += lanes<Floats16>) {
            float* const mean = cloud.mean.data() + first + i;
            const Floats16 e = inverse_of(load<Floats16>(cloud.h.data() + first + i), 2) * return_now;
            // e^2 may overflow where e does not: then g is 0, and so is z.
            const Floats16 z = e * square_root(2 * load<Floats16>(gammas + i) / fused(e, e, broadcast<Floats16>(nu)));
            store(mean, fused(z, broadcast<Floats16>(static_cast<float>(strength_)), load<Floats16>(mean)));
        }
    }
}

} // namespace pearlite::models::detail
