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
    slots_.resize(n_padded);
}

void VolatilityCloud::make_weights_equal() {
    weight.setZero();
    weight.head(static_cast<Index>(size)).setOnes();
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
