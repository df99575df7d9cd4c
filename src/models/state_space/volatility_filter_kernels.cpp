// Runs of the particle filter of stochastic volatility, sixteen particles at a time.
#include "models/state_space/volatility_filter.hpp"

#include "models/state_space/volatility_cloud.hpp"
#include "models/state_space/volatility_lanes.hpp"
#include "random/fill.hpp"
#include "simd/instructions.hpp"

#include <algorithm>
#include <optional>

namespace pearlite::models::detail {

using simd::exp2;
using simd::lanes;
using simd::load;
using simd::Mask;
using simd::square_root;
using simd::store;

namespace {

constexpr std::uint64_t resampling_words = std::uint64_t{3} << 32;
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

double uniform_at(const random::Address& address, std::uint64_t word) {
    random::Counter counter = address.counter();
    counter[0] = static_cast<std::uint32_t>(word / 4);
    return (random::generate(counter, address.seed)[word % 4] + 0.5) * 0x1p-32;
}

} // namespace

template <class>
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

namespace {

/// One run over the observations.
template <class Returns, bool leverage, bool adapted>
class VolatilityRun {
  public:
    VolatilityRun(VolatilityCloud& cloud, const VolatilityParameters& parameters, const FilterSettings& settings,
                  const random::Address& address)
        : cloud_(cloud),
          parameters_(parameters),
          settings_(settings),
          address_(address),
          stride_((cloud.size + random::normal_group - 1) / random::normal_group * random::normal_group),
          log_normaliser_(VolatilityObservation(parameters, 0).log_density(0)) {
        if (leverage && parameters.student())
            shocks_.emplace(address_, parameters_.nu, parameters_.sigma * parameters_.rho, stride_);
        cloud_.mean.setConstant(static_cast<float>(parameters_.mu));
        make_equal();
    }

    FilterOutcome operator()(std::span<const double> observations, const VolatilityObserver& observer) {
        for (std::size_t t = 0; t < observations.size(); ++t) {
            step(t, observations[t]);
            if (outcome_.log_likelihood == log_zero)
                break;
            if (observer)
                observer(static_cast<Index>(t), {cloud_.h.data(), cloud_.size}, {cloud_.weight.data(), cloud_.size});
        }
        return outcome_;
    }

  private:
    /// The values that all particles share at one time.
    struct Step {
        std::size_t t = 0;
        float y = 0, sd = 0, variance = 0;
        Returns returns;
        TangentPoints tangent;
    };
    enum class Task { weigh, search };

    void make_equal() {
        cloud_.make_weights_equal();
        sums_ = {.weights = static_cast<double>(cloud_.size), .squares = static_cast<double>(cloud_.size)};
    }
    double mean_weight_log2() const { return std::log2(sums_.weights / static_cast<double>(cloud_.size)); }
    void step(std::size_t t, double y);
    template <class Pass>
    void reweight(double log2_factor, Pass pass);
    template <Task task>
    CloudSums look_ahead(const Step& now, float log2_factor);
    template <Task task>
    CloudSums propagate(const Step& now, float log2_factor);

    VolatilityCloud& cloud_;
    const VolatilityParameters& parameters_;
    const FilterSettings& settings_;
    const random::Address& address_;
    std::size_t stride_;
    double log_normaliser_;
    std::optional<StudentShocks> shocks_;
    CloudSums sums_; ///< of the weights in the cloud
    FilterOutcome outcome_;
};

template <class Returns, bool leverage, bool adapted>
void VolatilityRun<Returns, leverage, adapted>::step(std::size_t t, double y) {
    const double sd = t == 0 ? parameters_.stationary_sd() : parameters_.innovation_sd();
    const Step now{.t = t,
                   .y = static_cast<float>(y),
                   .sd = static_cast<float>(sd),
                   .variance = static_cast<float>(sd * sd),
                   .returns = Returns(parameters_.nu, y),
                   .tangent = TangentPoints(parameters_.nu, y, sd)};
    const double bound = Returns::log2_bound(parameters_.nu, y);
    if constexpr (adapted)
        reweight(-bound, [&]<Task task>(float factor) { return look_ahead<task>(now, factor); });
    const double ess = sums_.weights * sums_.weights / sums_.squares;
    if (t > 0 && ess < settings_.resample_below * static_cast<double>(cloud_.size)) {
        cloud_.resample(uniform_at(address_, resampling_words + t), adapted);
        make_equal();
        ++outcome_.resamplings;
    }
    reweight(adapted ? 0 : -bound, [&]<Task task>(float factor) { return propagate<task>(now, factor); });
    std::swap(cloud_.mean, cloud_.next_mean);
    if (shocks_)
        shocks_->add_to<simd::Compiled>(cloud_, t, y);
    outcome_.log_likelihood += log_normaliser_;
}

/// Lets the pass make new weights, old times factors, and multiplies the likelihood by the ratio of their sums.
template <class Returns, bool leverage, bool adapted>
template <class Pass>
void VolatilityRun<Returns, leverage, adapted>::reweight(double log2_factor, Pass pass) {
    const auto n = static_cast<double>(cloud_.size);
    auto factor = static_cast<float>(log2_factor - mean_weight_log2());
    CloudSums sums = pass.template operator()<Task::weigh>(factor);
    if (!(sums.weights > 1e-12 * n && sums.weights < 1e12 * n)) {
        const float largest = pass.template operator()<Task::search>(0).largest;
        if (!std::isfinite(largest)) {
            outcome_.log_likelihood = log_zero;
            return;
        }
        factor = -largest;
        sums = pass.template operator()<Task::weigh>(factor);
    }
    outcome_.log_likelihood +=
        std::numbers::ln2 * (std::log2(sums.weights / sums_.weights) - static_cast<double>(factor));
    sums_ = sums;
    std::swap(cloud_.weight, cloud_.next_weight);
}

template <class Returns, bool leverage, bool adapted>
template <typename VolatilityRun<Returns, leverage, adapted>::Task task>
CloudSums VolatilityRun<Returns, leverage, adapted>::look_ahead(const Step& now, float log2_factor) {
    CloudSums sums;
    for (std::size_t first = 0; first < cloud_.padded_size; first += chunk) {
        ChunkSums part;
        for (std::size_t i = first; i < std::min(first + chunk, cloud_.padded_size); i += lanes<Floats16>) {
            const Floats16 mean = load<Floats16>(cloud_.mean.data() + i),
                           weight = load<Floats16>(cloud_.weight.data() + i);
            const Floats16 point = now.tangent(now.returns, mean), inverse = inverse_of(point);
            const Floats16 slope = now.returns.slope(inverse);
            const Floats16 exponent = slope * fused(slope, broadcast<Floats16>(0.5f * now.variance), mean - point);
            const Floats16 log2_weight =
                fused(exponent, broadcast<Floats16>(log2_e_single), now.returns.log2_density(point, inverse)) +
                log2_factor;
            store(cloud_.point.data() + i, point);
            if constexpr (task == Task::search) {
                part.look_at(log2_weight, weight);
            } else {
                const Floats16 next = exp2(log2_weight) * weight;
                store(cloud_.next_weight.data() + i, next);
                part.add(next);
            }
        }
        part.add_to(sums);
    }
    return sums;
}

template <class Returns, bool leverage, bool adapted>
template <typename VolatilityRun<Returns, leverage, adapted>::Task task>
CloudSums VolatilityRun<Returns, leverage, adapted>::propagate(const Step& now, float log2_factor) {
    const auto phi = static_cast<float>(parameters_.phi),
               strength = static_cast<float>(parameters_.sigma * parameters_.rho);
    const Floats16 intercept = broadcast<Floats16>(static_cast<float>(parameters_.mu * (1 - parameters_.phi)));
    alignas(64) float normals[chunk];
    CloudSums sums;
    for (std::size_t first = 0; first < cloud_.padded_size; first += chunk) {
        const std::size_t count = std::min(chunk, cloud_.padded_size - first);
        random::fill_normal(address_, now.t * stride_ + first, {normals, count});
        ChunkSums part;
        for (std::size_t j = 0; j < count; j += lanes<Floats16>) {
            const std::size_t i = first + j;
            const Floats16 weight = load<Floats16>(cloud_.weight.data() + i);
            Floats16 mean = load<Floats16>(cloud_.mean.data() + i), point{}, inverse_at_point{};
            if constexpr (adapted) {
                point = load<Floats16>(cloud_.point.data() + i);
                inverse_at_point = inverse_of(point);
                mean = fused(now.returns.slope(inverse_at_point), broadcast<Floats16>(now.variance), mean);
            }
            const Floats16 h = fused(load<Floats16>(normals + j), broadcast<Floats16>(now.sd), mean);
            const Floats16 half_inverse = leverage ? inverse_of(h, 2) : Floats16{};
            const Floats16 inverse = leverage ? half_inverse * half_inverse : inverse_of(h);
            const Floats16 log2_weight = (adapted ? now.returns.log2_under_tangent(h - point, inverse_at_point)
                                                  : now.returns.log2_density(h, inverse)) +
                                         log2_factor;
            if constexpr (task == Task::search) {
                part.look_at(log2_weight, weight);
            } else {
                const Floats16 next = exp2(log2_weight) * weight;
                Floats16 next_mean = fused(h, broadcast<Floats16>(phi), intercept);
                if constexpr (leverage && std::is_same_v<Returns, NormalReturns>)
                    next_mean = fused(half_inverse, broadcast<Floats16>(strength * now.y), next_mean);
                store(cloud_.h.data() + i, h);
                store(cloud_.next_mean.data() + i, next_mean);
                store(cloud_.next_weight.data() + i, next);
                part.add(next);
            }
        }
        part.add_to(sums);
    }
    return sums;
}

} // namespace

template <class>
FilterOutcome VolatilityFilter::run_on(const VolatilityParameters& parameters, std::span<const double> observations,
                                       const FilterSettings& settings, const random::Address& address,
                                       const VolatilityObserver& observer) {
    const auto with = [&]<class Returns, bool leverage, bool adapted>() {
        return VolatilityRun<Returns, leverage, adapted>(cloud_, parameters, settings, address)(observations, observer);
    };
    const auto with_returns = [&]<class Returns>() {
        const bool adapted = settings.kind == FilterKind::adapted;
        if (parameters.rho == 0)
            return adapted ? with.template operator()<Returns, false, true>()
                           : with.template operator()<Returns, false, false>();
        return adapted ? with.template operator()<Returns, true, true>()
                       : with.template operator()<Returns, true, false>();
    };
    return parameters.student() ? with_returns.template operator()<StudentReturns>()
                                : with_returns.template operator()<NormalReturns>();
}

template void StudentShocks::add_to<simd::Compiled>(VolatilityCloud& cloud, std::size_t t, double y) const;
template FilterOutcome VolatilityFilter::run_on<simd::Compiled>(const VolatilityParameters& parameters,
                                                                std::span<const double> observations,
                                                                const FilterSettings& settings,
                                                                const random::Address& address,
                                                                const VolatilityObserver& observer);

} // namespace pearlite::models::detail
