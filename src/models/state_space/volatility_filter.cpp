#include "models/state_space/volatility_filter.hpp"

#include "models/state_space/volatility_draws.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/types.hpp"
#include "random/fill.hpp"
#include "simd/instructions.hpp"
#include "simd/scalar_float.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::models::detail {

void VolatilityCloud::resize(std::size_t n) {
    size = n;
    padded_size = (n + random::normal_group - 1) / random::normal_group * random::normal_group;
    const auto n_padded = static_cast<Index>(padded_size);
    for (auto* array : {&mean, &next_mean, &weight, &next_weight, &point, &next_point, &inverse, &next_inverse, &h})
        array->setZero(n_padded);
    cumulative_.setZero(n_padded);
    ancestor_.setZero(n_padded + 1);
}

void VolatilityCloud::make_weights_equal() {
    weight.setZero();
    weight.head(static_cast<Index>(size)).setOnes();
}

void VolatilityCloud::resample(double offset, bool with_tangents) {
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
    const auto gather = [&](Eigen::ArrayXf& values, Eigen::ArrayXf& next) {
        for (std::size_t slot = 0; slot < size; ++slot)
            next.data()[slot] = values.data()[from[slot]];
        std::swap(values, next);
    };
    gather(mean, next_mean);
    if (with_tangents) {
        gather(point, next_point);
        gather(inverse, next_inverse);
    }
    make_weights_equal();
}

double uniform_at(const random::Address& address, std::uint64_t word) {
    random::Counter counter = address.counter();
    counter[0] = static_cast<std::uint32_t>(word / 4);
    return (random::generate(counter, address.seed)[word % 4] + 0.5) * 0x1p-32;
}

double MakeGammas::one_by_one(float x, float u, std::size_t number) const {
    const double d = shape_ - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    const auto is_accepted = [&](double normal, double uniform) {
        const double root = 1 + c * normal, v = root * root * root, square = normal * normal;
        return root > 0 && (square * square / (108 * d) < (1 - uniform) * std::min(root, 1.0) ||
                            std::log(uniform) < square / 2 + d * (1 - v + std::log(v)));
    };
    const auto scaled = [&](double normal) { return d * (1 + c * normal) * (1 + c * normal) * (1 + c * normal); };
    if (shape_ >= 1) {
        const auto normal = static_cast<double>(x);
        if (is_accepted(normal, static_cast<double>(u)))
            return scaled(normal);
        random::Counter counter = again_.counter();
        counter[0] = static_cast<std::uint32_t>(number);
        const random::Counter words = random::generate(counter, again_.seed);
        const auto radius = std::sqrt(static_cast<double>(simd::minus_two_log(simd::uniform31(words[0]))));
        const auto direction = simd::random_direction(words[1]);
        const double first = radius * static_cast<double>(direction.cosine),
                     second = radius * static_cast<double>(direction.sine);
        if (is_accepted(first, (words[2] + 0.5) * 0x1p-32))
            return scaled(first);
        if (is_accepted(second, (words[3] + 0.5) * 0x1p-32))
            return scaled(second);
    }
    random::Address own = address_;
    own.seed = random::derive_seed(address_.seed, own_streams + ((number / particles_) << 32) + number % particles_);
    random::Stream stream(own);
    return stream.gamma(shape_);
}

FilterOutcome VolatilityFilter::run(const VolatilityParameters& parameters, std::span<const double> observations,
                                    const FilterSettings& settings, const random::Address& address,
                                    const VolatilityObserver& observer) {
    const auto n = static_cast<std::size_t>(settings.particles);
    PEARLITE_EXPECTS(parameters.valid() && settings.particles >= 1 && settings.kind != FilterKind::auxiliary);
    PEARLITE_EXPECTS(n < (std::size_t{1} << 31) &&
                     observations.size() <= (std::size_t{1} << 32) / (n + random::normal_group));
    if (cloud_.size != n)
        cloud_.resize(n);
    return simd::on_this_cpu(
        [&](auto cpu) { return run_on<decltype(cpu)>(parameters, observations, settings, address, observer); });
}

} // namespace pearlite::models::detail
