// Runs of the particle filter of the linear Gaussian model, eight particles at a time.
#include "models/state_space/lanes/linear_gaussian_filter.hpp"

#include "models/state_space/lanes/ahead.hpp"
#include "random/fill.hpp"
#include "simd/elementary.hpp"
#include "simd/instructions.hpp"

namespace pearlite::models::detail {

namespace {

constexpr Index eight = simd::lanes<Doubles8>;
constexpr std::uint64_t resampling_from = std::uint64_t{1} << 33;

struct MakeWideNormals {
    const random::Address& address;

    void operator()(std::size_t first, std::span<double> out) const { random::fill_normal(address, first, out); }
};

double sum_of_eight(Doubles8 x) {
    const auto four = __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
    return (four[0] + four[1]) + (four[2] + four[3]);
}

/// A normal density: its log is -difference^2 times `scale`, up to the constant.
struct LogNormal {
    double scale, constant;

    explicit LogNormal(double variance)
        : scale(0.5 / variance), constant(-0.5 * std::log(2 * std::numbers::pi * variance)) {}
    [[gnu::always_inline]] Doubles8 operator()(Doubles8 difference) const { return difference * difference * -scale; }
};

/// One run over the observations.
template <FilterKind kind>
class LinearGaussianRun {
  public:
    LinearGaussianRun(LinearGaussianCloud& cloud, const LinearGaussianParameters& parameters,
                      const FilterSettings& settings, const random::Address& address, std::size_t times)
        : cloud_(cloud),
          n_padded_(cloud.mean.size()),
          n_(static_cast<double>(cloud.size)),
          parameters_(parameters),
          resample_below_(settings.resample_below),
          address_(address),
          noise_variance_(parameters.noise_sd * parameters.noise_sd),
          noise_(noise_variance_),
          normals_({address}, static_cast<std::size_t>(n_padded_), times) {
        cloud_.mean.setConstant(parameters.mean);
        make_equal();
    }

    FilterOutcome operator()(std::span<const double> observations) {
        const double state = parameters_.state_sd * parameters_.state_sd,
                     rest = (1 - parameters_.persistence) * (1 + parameters_.persistence);
        const Step first(state / rest, noise_variance_), later(state, noise_variance_);
        for (std::size_t t = 0; t < observations.size(); ++t)
            if (!step(t, observations[t], t == 0 ? first : later)) {
                outcome_.log_likelihood = log_zero;
                break;
            }
        return outcome_;
    }

  private:
    /// Constants of a step, which depend on the variance of the states given the earlier ones.
    struct Step {
        double gain, sd;
        double state_sd;     ///< of the states given the earlier ones
        LogNormal predicted; ///< of an observation given the state before

        Step(double variance, double noise)
            : gain(kind == FilterKind::adapted ? variance / (variance + noise) : 0),
              sd(std::sqrt(kind == FilterKind::adapted ? gain * noise : variance)),
              state_sd(std::sqrt(variance)),
              predicted(kind == FilterKind::adapted ? variance + noise : noise) {}
    };

    void make_equal() {
        cloud_.weight.setZero();
        cloud_.weight.head(cloud_.size).setOnes();
        weights_ = squares_ = n_;
    }

    /// False if all weights are zero.
    bool step(std::size_t t, double y, const Step& now) {
        if (is_missing(y)) {
            if (t > 0 && weights_ * weights_ / squares_ < resample_below_ * n_)
                resample(t);
            move_on(t, now);
            return true;
        }
        if constexpr (kind != FilterKind::bootstrap) {
            for (Index i = 0; i < n_padded_; i += eight)
                simd::store(cloud_.exponent.data() + i, now.predicted(y - at(cloud_.mean, i)));
            if (!reweight(now.predicted.constant))
                return false;
        }
        if (t > 0 && weights_ * weights_ / squares_ < resample_below_ * n_)
            resample(t);
        move(t, y, now);
        if constexpr (kind == FilterKind::adapted)
            return true; // the weights of the draws are equal
        return reweight(kind == FilterKind::bootstrap ? noise_.constant : 0);
    }

    /// Draws states, and makes exponents of weights and next means of them.
    void move(std::size_t t, double y, const Step& now) {
        const double persistence = parameters_.persistence, intercept = parameters_.mean * (1 - persistence);
        for (Index begin = 0; begin < n_padded_; begin += static_cast<Index>(chunk)) {
            const Index count = std::min(static_cast<Index>(chunk), n_padded_ - begin);
            const double* const z = normals_.at(t, static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
            for (Index j = 0; j < count; j += eight) {
                const Index i = begin + j;
                const Doubles8 mean = at(cloud_.mean, i);
                const Doubles8 centre = kind == FilterKind::adapted ? mean + now.gain * (y - mean) : mean;
                const Doubles8 x = centre + now.sd * simd::load<Doubles8>(z + j);
                if constexpr (kind == FilterKind::bootstrap)
                    simd::store(cloud_.exponent.data() + i, noise_(y - x));
                if constexpr (kind == FilterKind::auxiliary)
                    simd::store(cloud_.exponent.data() + i, noise_(y - x) - now.predicted(y - mean));
                simd::store(cloud_.mean.data() + i, intercept + persistence * x);
            }
        }
    }

    /// Draws states whose observation is missing, and makes next means of them.
    void move_on(std::size_t t, const Step& now) {
        const double persistence = parameters_.persistence, intercept = parameters_.mean * (1 - persistence);
        for (Index begin = 0; begin < n_padded_; begin += static_cast<Index>(chunk)) {
            const Index count = std::min(static_cast<Index>(chunk), n_padded_ - begin);
            const double* const z = normals_.at(t, static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
            for (Index j = 0; j < count; j += eight) {
                const Doubles8 x = at(cloud_.mean, begin + j) + now.state_sd * simd::load<Doubles8>(z + j);
                simd::store(cloud_.mean.data() + begin + j, intercept + persistence * x);
            }
        }
    }

    /// Multiplies weights by the exponentials and the likelihood by their mean and exp(constant). Relative to the
    /// largest exponent of a positive weight, and to the mean weight, so that none of them is lost.
    bool reweight(double constant) {
        constexpr double least = -std::numeric_limits<double>::infinity();
        Doubles8 largest = simd::broadcast<Doubles8>(least);
        for (Index i = 0; i < n_padded_; i += eight)
            largest = simd::larger(at(cloud_.weight, i) > 0 ? at(cloud_.exponent, i) : simd::broadcast<Doubles8>(least),
                                   largest);
        double top = simd::largest_of(largest);
        if (!(top > least))
            return false;
        const double scale = n_ / weights_;
        Doubles8 sums{}, squares{};
        for (Index i = 0; i < n_padded_; i += eight) {
            // Particles of weight zero may have larger exponents than the top.
            const Doubles8 below = simd::smaller(at(cloud_.exponent, i) - top, Doubles8{});
            const Doubles8 weight = at(cloud_.weight, i) * scale * simd::exp(below);
            simd::store(cloud_.next_weight.data() + i, weight);
            sums += weight;
            squares = simd::fused(weight, weight, squares);
        }
        weights_ = sum_of_eight(sums);
        squares_ = sum_of_eight(squares);
        if (!(weights_ > 1e-100 * n_))
            top = reweight_by_logs(scale);
        std::swap(cloud_.weight, cloud_.next_weight);
        outcome_.log_likelihood += top + std::log(weights_ / n_) + constant;
        return true;
    }

    /// Makes the next weights relative to the largest of them, where the largest exponent is one of a small weight, and
    /// returns that reference.
    double reweight_by_logs(double scale) {
        double top = -std::numeric_limits<double>::infinity();
        for (Index i = 0; i < cloud_.size; ++i) {
            cloud_.exponent.data()[i] += std::log(cloud_.weight.data()[i] * scale);
            top = std::max(top, cloud_.exponent.data()[i]);
        }
        weights_ = squares_ = 0;
        for (Index i = 0; i < cloud_.size; ++i) {
            const double weight = std::exp(cloud_.exponent.data()[i] - top);
            cloud_.next_weight.data()[i] = weight;
            weights_ += weight;
            squares_ += weight * weight;
        }
        return top;
    }

    void resample(std::size_t t) {
        random::Counter counter = address_.counter();
        const std::uint64_t word = resampling_from + t;
        counter[0] = static_cast<std::uint32_t>(word / 4);
        const double offset = (random::generate(counter, address_.seed)[word % 4] + 0.5) * 0x1p-32;
        const std::int32_t* const from =
            systematic_slots(cloud_.slots, cloud_.weight.data(), cloud_.size, n_padded_, offset);
        for (Index slot = 0; slot < cloud_.size; ++slot)
            cloud_.next_mean.data()[slot] = cloud_.mean.data()[from[slot]];
        std::swap(cloud_.mean, cloud_.next_mean);
        make_equal();
        ++outcome_.resamplings;
    }

    static Doubles8 at(const Eigen::ArrayXd& values, Index i) { return simd::load<Doubles8>(values.data() + i); }

    LinearGaussianCloud& cloud_;
    Index n_padded_;
    double n_;
    const LinearGaussianParameters& parameters_;
    double resample_below_;
    const random::Address& address_;
    double noise_variance_;
    LogNormal noise_;
    double weights_ = 0, squares_ = 0; ///< sums of weights and of their squares
    FilterOutcome outcome_;
    Ahead<double, MakeWideNormals> normals_;
};

} // namespace

template <class>
FilterOutcome LinearGaussianFilter::run_on(const LinearGaussianParameters& parameters,
                                           std::span<const double> observations, const FilterSettings& settings,
                                           const random::Address& address) {
    const auto with = [&]<FilterKind kind>() {
        return LinearGaussianRun<kind>(cloud_, parameters, settings, address, observations.size())(observations);
    };
    switch (settings.kind) {
    case FilterKind::auxiliary:
        return with.template operator()<FilterKind::auxiliary>();
    case FilterKind::adapted:
        return with.template operator()<FilterKind::adapted>();
    default:
        return with.template operator()<FilterKind::bootstrap>();
    }
}

template FilterOutcome LinearGaussianFilter::run_on<simd::Compiled>(const LinearGaussianParameters& parameters,
                                                                    std::span<const double> observations,
                                                                    const FilterSettings& settings,
                                                                    const random::Address& address);

} // namespace pearlite::models::detail
