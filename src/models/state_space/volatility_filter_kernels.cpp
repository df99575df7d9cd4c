// Runs of the particle filter of stochastic volatility, a packet of particles at a time. Packets are four registers, or
// two, for the chain from a mean to its weight is long; no number depends on how many particles are in work at once.
#include "models/state_space/volatility_filter.hpp"

#include "models/state_space/volatility_draws.hpp"
#include "models/state_space/volatility_lanes.hpp"
#include "simd/instructions.hpp"

namespace pearlite::models::detail {

using simd::exp2;
using simd::load;
using simd::square_root;
using simd::store;

template <class>
void VolatilityCloud::resample(double offset, bool with_tangents) {
    const std::int32_t* const ancestor =
        systematic_slots(slots_, weight.data(), static_cast<Index>(size), static_cast<Index>(padded_size), offset);
    const auto gather = [&](Eigen::ArrayXf& values, Eigen::ArrayXf& next) {
        for (std::size_t slot = 0; slot < size; ++slot)
            next.data()[slot] = values.data()[ancestor[slot]];
        std::swap(values, next);
    };
    gather(mean, next_mean);
    if (with_tangents) {
        gather(point, next_point);
        gather(inverse, next_inverse);
    }
    make_weights_equal();
}

namespace {

using simd::FloatsPair;
using simd::FloatsQuad;

/// One run over the observations.
template <class Returns, bool leverage, bool adapted>
class VolatilityRun {
  public:
    VolatilityRun(VolatilityCloud& cloud, const VolatilityParameters& parameters, const FilterSettings& settings,
                  const random::Address& address, std::size_t times)
        : cloud_(cloud),
          parameters_(parameters),
          settings_(settings),
          address_(address),
          innovation_sd_(parameters.innovation_sd()),
          log2_peak_(Returns::log2_peak(parameters.nu)),
          log_normaliser_(VolatilityObservation(parameters, 0).log_density(0)),
          normals_({address}, cloud.padded_size, times),
          roots_({address, draws_shocks ? GammaRoots((parameters.nu + 1) / 2) : GammaRoots()}, cloud.padded_size,
                 times) {
        cloud_.mean.setConstant(static_cast<float>(parameters_.mu));
        cloud_.make_weights_equal();
        sums_ = sums_of_equal_weights();
    }

    FilterOutcome operator()(std::span<const double> observations, const VolatilityObserver& observer) {
        is_observed_ = static_cast<bool>(observer);
        std::size_t n_there = 0;
        for (std::size_t t = 0; t < observations.size(); ++t) {
            const bool is_there = !is_missing(observations[t]);
            n_there += is_there ? 1 : 0;
            const double sd = t == 0                            ? parameters_.stationary_sd()
                              : is_missing(observations[t - 1]) ? parameters_.sigma
                                                                : innovation_sd_;
            if (is_there)
                step(t, observations[t], sd);
            else
                step_over(t, sd);
            if (all_weights_are_zero_) {
                outcome_.log_likelihood = log_zero;
                return outcome_;
            }
            if (observer)
                observer(static_cast<Index>(t), {cloud_.h.data(), cloud_.size}, {cloud_.weight.data(), cloud_.size});
        }
        end_segment();
        outcome_.log_likelihood = std::numbers::ln2 * log2_likelihood_ + static_cast<double>(n_there) * log_normaliser_;
        return outcome_;
    }

  private:
    /// The values that all particles share at one time.
    struct Step {
        std::size_t t = 0;
        float y = 0, sd = 0, variance = 0;
        Returns returns;
    };
    enum class Task { weigh, search };
    /// The z behind a Student-t error e is drawn given e.
    static constexpr bool draws_shocks = leverage && std::is_same_v<Returns, StudentReturns>;

    CloudSums sums_of_equal_weights() const {
        return {.weights = static_cast<double>(cloud_.size), .squares = static_cast<double>(cloud_.size)};
    }
    /// Weights were equal, and 1, at the begin of a segment.
    void end_segment() {
        log2_likelihood_ += std::log2(sums_.weights / static_cast<double>(cloud_.size));
        sums_ = sums_of_equal_weights();
    }
    void step(std::size_t t, double y, double sd);
    void step_over(std::size_t t, double sd);
    void resample_if_necessary(std::size_t t);
    template <class Pass>
    void reweight(double log2_factor, Pass pass);
    template <Task task>
    CloudSums look_ahead(const Step& now, const TangentPoints& tangent, float log2_factor);
    template <Task task>
    CloudSums propagate(const Step& now, float log2_factor);

    VolatilityCloud& cloud_;
    const VolatilityParameters& parameters_;
    const FilterSettings& settings_;
    const random::Address& address_;
    double innovation_sd_, log2_peak_, log_normaliser_;
    bool is_observed_ = false, all_weights_are_zero_ = false;
    double log2_likelihood_ = 0; ///< up to the last resampling, and the factors since
    CloudSums sums_;             ///< of the weights in the cloud
    FilterOutcome outcome_;
    Ahead<float, MakeNormals> normals_;
    Ahead<float, MakeGammaRoots> roots_; ///< of leverage with Student-t errors
};

template <class Returns, bool leverage, bool adapted>
void VolatilityRun<Returns, leverage, adapted>::step(std::size_t t, double y, double sd) {
    const Step now{.t = t,
                   .y = static_cast<float>(y),
                   .sd = static_cast<float>(sd),
                   .variance = static_cast<float>(sd * sd),
                   .returns = Returns(parameters_.nu, y)};
    const double bound = log2_peak_ - 0.5 * rough_log2(std::max(y * y, smallest_square));
    if constexpr (adapted) {
        const TangentPoints tangent(parameters_.nu, y, sd);
        reweight(-bound, [&]<Task task>(float factor) { return look_ahead<task>(now, tangent, factor); });
        std::swap(cloud_.mean, cloud_.next_mean);
    }
    resample_if_necessary(t);
    reweight(adapted ? 0 : -bound, [&]<Task task>(float factor) { return propagate<task>(now, factor); });
    std::swap(cloud_.mean, cloud_.next_mean);
}

template <class Returns, bool leverage, bool adapted>
void VolatilityRun<Returns, leverage, adapted>::resample_if_necessary(std::size_t t) {
    const double ess = sums_.weights * sums_.weights / sums_.squares;
    if (t > 0 && ess < settings_.resample_below * static_cast<double>(cloud_.size)) {
        cloud_.resample<simd::Compiled>(uniform_at(address_, resampling_words + t), adapted);
        end_segment();
        ++outcome_.resamplings;
    }
}

/// The return is missing: particles keep their weights, and their next means know of no z_t.
template <class Returns, bool leverage, bool adapted>
void VolatilityRun<Returns, leverage, adapted>::step_over(std::size_t t, double sd) {
    resample_if_necessary(t);
    const auto phi = static_cast<float>(parameters_.phi), deviation = static_cast<float>(sd);
    const auto intercept = static_cast<float>(parameters_.mu * (1 - parameters_.phi));
    for (std::size_t first = 0; first < cloud_.padded_size; first += chunk) {
        const std::size_t count = std::min(chunk, cloud_.padded_size - first);
        const float* const normals = normals_.at(t, first, count);
        simd::in_packets<FloatsQuad, FloatsPair>(
            count, [&]<class P>(std::size_t j) __attribute__((always_inline)) {
                const std::size_t i = first + j;
                const P h = fused(load<P>(normals + j), broadcast<P>(deviation), load<P>(cloud_.mean.data() + i));
                if (is_observed_)
                    store(cloud_.h.data() + i, h);
                store(cloud_.mean.data() + i, fused(h, broadcast<P>(phi), broadcast<P>(intercept)));
            });
    }
}

/// Lets the pass make new weights, old times density and 2^log2_factor over about their mean, and divides the
/// likelihood by the factor.
template <class Returns, bool leverage, bool adapted>
template <class Pass>
void VolatilityRun<Returns, leverage, adapted>::reweight(double log2_factor, Pass pass) {
    const auto n = static_cast<double>(cloud_.size);
    auto factor = static_cast<float>(log2_factor - rough_log2(sums_.weights / n));
    CloudSums sums = pass.template operator()<Task::weigh>(factor);
    if (!(sums.weights > 1e-12 * n && sums.weights < 1e12 * n)) {
        const float largest = pass.template operator()<Task::search>(0).largest;
        if (!std::isfinite(largest)) {
            all_weights_are_zero_ = true;
            return;
        }
        factor = -largest;
        sums = pass.template operator()<Task::weigh>(factor);
    }
    log2_likelihood_ -= static_cast<double>(factor);
    sums_ = sums;
    std::swap(cloud_.weight, cloud_.next_weight);
}

/// Lays tangents, and makes of each mean that of the proposal.
template <class Returns, bool leverage, bool adapted>
template <typename VolatilityRun<Returns, leverage, adapted>::Task task>
CloudSums VolatilityRun<Returns, leverage, adapted>::look_ahead(const Step& now, const TangentPoints& tangent,
                                                                float log2_factor) {
    CloudSums sums;
    for (std::size_t first = 0; first < cloud_.padded_size; first += chunk) {
        ChunkSums part;
        const std::size_t count = std::min(chunk, cloud_.padded_size - first);
        simd::in_packets<FloatsQuad, FloatsPair>(
            count, [&]<class P>(std::size_t j) __attribute__((always_inline)) {
                const std::size_t i = first + j;
                const P mean = load<P>(cloud_.mean.data() + i), weight = load<P>(cloud_.weight.data() + i);
                const P point = tangent(now.returns, mean), inverse = inverse_of(point);
                const P slope = now.returns.slope(inverse);
                const P exponent = slope * fused(slope, broadcast<P>(0.5f * now.variance), mean - point);
                const P log2_weight =
                    fused(exponent, broadcast<P>(log2_e_single), now.returns.log2_density(point, inverse)) +
                    log2_factor;
                if constexpr (task == Task::search) {
                    part.look_at(log2_weight, weight);
                } else {
                    const P next = exp2(log2_weight) * weight;
                    store(cloud_.point.data() + i, point);
                    store(cloud_.inverse.data() + i, inverse);
                    store(cloud_.next_mean.data() + i, fused(slope, broadcast<P>(now.variance), mean));
                    store(cloud_.next_weight.data() + i, next);
                    part.add(next);
                }
            });
        part.add_to(sums);
    }
    return sums;
}

template <class Returns, bool leverage, bool adapted>
template <typename VolatilityRun<Returns, leverage, adapted>::Task task>
CloudSums VolatilityRun<Returns, leverage, adapted>::propagate(const Step& now, float log2_factor) {
    const auto phi = static_cast<float>(parameters_.phi), nu = static_cast<float>(parameters_.nu),
               strength = static_cast<float>(parameters_.sigma * parameters_.rho);
    const auto intercept = static_cast<float>(parameters_.mu * (1 - parameters_.phi));
    CloudSums sums;
    for (std::size_t first = 0; first < cloud_.padded_size; first += chunk) {
        const std::size_t count = std::min(chunk, cloud_.padded_size - first);
        const float* const normals = normals_.at(now.t, first, count);
        const float* const roots = draws_shocks ? roots_.at(now.t, first, count) : nullptr;
        ChunkSums part;
        simd::in_packets<FloatsQuad, FloatsPair>(
            count, [&]<class P>(std::size_t j) __attribute__((always_inline)) {
                const std::size_t i = first + j;
                const P mean = load<P>(cloud_.mean.data() + i), weight = load<P>(cloud_.weight.data() + i);
                const P h = fused(load<P>(normals + j), broadcast<P>(now.sd), mean);
                const P half_inverse = leverage ? inverse_of(h, 2) : P{};
                const P inverse = leverage ? half_inverse * half_inverse : inverse_of(h);
                P log2_weight;
                if constexpr (adapted)
                    log2_weight = now.returns.log2_under_tangent(h - load<P>(cloud_.point.data() + i),
                                                                 load<P>(cloud_.inverse.data() + i));
                else
                    log2_weight = now.returns.log2_density(h, inverse);
                log2_weight += log2_factor;
                if constexpr (task == Task::search) {
                    part.look_at(log2_weight, weight);
                } else {
                    const P next = exp2(log2_weight) * weight;
                    P next_mean = fused(h, broadcast<P>(phi), broadcast<P>(intercept));
                    if constexpr (draws_shocks) {
                        // z = e sqrt(g), g ~ Gamma((nu + 1)/2, rate (nu + e^2)/2) given e. e^2 may overflow where e
                        // does not: then g is 0, and so is z.
                        const P e = half_inverse * now.y;
                        const P spread = square_root(broadcast<P>(nu + 1) / fused(e, e, broadcast<P>(nu)));
                        const P z = e * load<P>(roots + j) * spread;
                        next_mean = fused(z, broadcast<P>(strength), next_mean);
                    } else if constexpr (leverage) {
                        next_mean = fused(half_inverse, broadcast<P>(strength * now.y), next_mean);
                    }
                    if (is_observed_)
                        store(cloud_.h.data() + i, h);
                    store(cloud_.next_mean.data() + i, next_mean);
                    store(cloud_.next_weight.data() + i, next);
                    part.add(next);
                }
            });
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
        return VolatilityRun<Returns, leverage, adapted>(cloud_, parameters, settings, address,
                                                         observations.size())(observations, observer);
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

template void VolatilityCloud::resample<simd::Compiled>(double offset, bool with_tangents);
template FilterOutcome VolatilityFilter::run_on<simd::Compiled>(const VolatilityParameters& parameters,
                                                                std::span<const double> observations,
                                                                const FilterSettings& settings,
                                                                const random::Address& address,
                                                                const VolatilityObserver& observer);

} // namespace pearlite::models::detail
