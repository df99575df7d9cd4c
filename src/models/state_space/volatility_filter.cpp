#include "models/state_space/volatility_filter.hpp"

#include "models/state_space/volatility_draws.hpp"
#include "simd/instructions.hpp"

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
