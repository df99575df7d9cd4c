/// Particle-steps per second of the volatility filter on one core, against a plain loop in single precision (compiled
/// with the same options, the library's exp, logarithm and cosine) in the same run. Counters: `steps`, particles times
/// returns per second; `times_plain`, the ratio of the two; both of CPU time. Rows called ars draw with that generator,
/// the others with Philox. Rows called small are of blocks of 16 likelihoods, each a filter of 50 particles and 50
/// observations.

#include "models/state_space/linear_gaussian.hpp"
#include "models/state_space/stochastic_volatility.hpp"
#include "models/state_space/volatility_filter.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <numbers>
#include <vector>

namespace {

using pearlite::Index;
using pearlite::models::FilterKind;
using pearlite::models::FilterSettings;
using pearlite::models::VolatilityParameters;
using pearlite::models::detail::VolatilityFilter;
using pearlite::random::Generator;

constexpr VolatilityParameters parameters{.mu = -1.02, .phi = 0.97, .sigma = 0.18};
constexpr Index length = 945;

pearlite::random::Address address(std::uint64_t id, Generator generator = Generator::philox) {
    return {.seed = {1, generator}, .purpose = pearlite::random::Purpose::test, .id = id, .step = 0};
}

const std::vector<double>& returns() {
    static const std::vector<double> values = [] {
        pearlite::random::Stream stream(address(0));
        return pearlite::models::simulate_volatility(parameters, length, stream).returns;
    }();
    return values;
}

/// A textbook bootstrap filter that resamples below half of the effective sample size, in floats, with a fast generator
/// (xorshift of 64 bits) and the method of Box & Muller.
class PlainFilter {
  public:
    explicit PlainFilter(std::size_t n) : h_(n), next_(n), weight_(n), log_weight_(n) {}

    double log_likelihood(std::uint64_t seed) {
        state_ = 0x9E3779B97F4A7C15u + seed;
        const std::size_t n = h_.size();
        const auto mu = static_cast<float>(parameters.mu), phi = static_cast<float>(parameters.phi);
        double sum_of_logs = 0;
        std::fill(log_weight_.begin(), log_weight_.end(), -std::log(static_cast<float>(n)));
        for (std::size_t t = 0; t < returns().size(); ++t) {
            const auto sd = static_cast<float>(t == 0 ? parameters.stationary_sd() : parameters.sigma);
            const auto square = static_cast<float>(returns()[t] * returns()[t]);
            float largest = -1e30f;
            for (std::size_t i = 0; i < n; i += 2) {
                const float radius = std::sqrt(-2 * std::log(uniform()));
                const float angle = 2 * std::numbers::pi_v<float> * uniform();
                const float normals[2] = {radius * std::cos(angle), radius * std::sin(angle)};
                for (std::size_t k = 0; k < 2; ++k) {
                    float& h = h_[i + k];
                    h = (t == 0 ? mu : mu + phi * (h - mu)) + sd * normals[k];
                    log_weight_[i + k] -= 0.5f * (1.837877066f + h + square * std::exp(-h));
                    largest = std::max(largest, log_weight_[i + k]);
                }
            }
            sum_of_logs += normalise(largest);
        }
        return sum_of_logs;
    }

  private:
    float uniform() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return (static_cast<float>(state_ >> 40) + 0.5f) * 0x1p-24f;
    }

    /// Log of the sum of the weights; then the weights sum to 1, or are equal after resampling.
    double normalise(float largest) {
        const auto n = static_cast<float>(h_.size());
        float sum = 0, squares = 0;
        for (std::size_t i = 0; i < h_.size(); ++i)
            sum += weight_[i] = std::exp(log_weight_[i] - largest);
        for (const float weight : weight_)
            squares += weight * weight;
        const float log_sum = largest + std::log(sum);
        if (sum * sum >= 0.5f * n * squares) {
            for (float& log_weight : log_weight_)
                log_weight -= log_sum;
            return static_cast<double>(log_sum);
        }
        float cumulative = weight_[0], point = uniform() * sum / n;
        std::size_t from = 0;
        for (float& h : next_) {
            while (cumulative < point && from + 1 < h_.size())
                cumulative += weight_[++from];
            h = h_[from];
            point += sum / n;
        }
        std::swap(h_, next_);
        std::fill(log_weight_.begin(), log_weight_.end(), -std::log(n));
        return static_cast<double>(log_sum);
    }

    std::vector<float> h_, next_, weight_, log_weight_;
    std::uint64_t state_ = 0;
};

double steps_of(Index particles) {
    return static_cast<double>(particles * length);
}

/// The best of seven runs.
double plain_rate(Index particles) {
    PlainFilter filter(static_cast<std::size_t>(particles));
    double best = 0;
    for (std::uint64_t repeat = 0; repeat < 7; ++repeat) {
        const std::clock_t begin = std::clock();
        benchmark::DoNotOptimize(filter.log_likelihood(repeat));
        best = std::max(best, steps_of(particles) * CLOCKS_PER_SEC / static_cast<double>(std::clock() - begin));
    }
    return best;
}

void filter(benchmark::State& state, const VolatilityParameters& variant, FilterKind kind,
            Generator generator = Generator::philox) {
    const FilterSettings settings{.particles = state.range(0), .kind = kind};
    VolatilityFilter filter;
    std::uint64_t id = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(filter.run(variant, returns(), settings, address(++id, generator)).log_likelihood);
    const double steps = static_cast<double>(state.iterations()) * steps_of(state.range(0));
    state.counters["steps"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
    state.counters["times_plain"] = benchmark::Counter(steps / plain_rate(state.range(0)), benchmark::Counter::kIsRate);
}

constexpr VolatilityParameters with_leverage{.mu = -1.02, .phi = 0.97, .sigma = 0.18, .rho = -0.4};
constexpr VolatilityParameters with_tails{.mu = -1.02, .phi = 0.97, .sigma = 0.18, .nu = 10};
constexpr VolatilityParameters with_both{.mu = -1.02, .phi = 0.97, .sigma = 0.18, .rho = -0.4, .nu = 10};
BENCHMARK_CAPTURE(filter, plain, parameters, FilterKind::bootstrap)->Arg(100)->Arg(1000)->Arg(10000);
BENCHMARK_CAPTURE(filter, leverage, with_leverage, FilterKind::bootstrap)->Arg(1000);
BENCHMARK_CAPTURE(filter, student, with_tails, FilterKind::bootstrap)->Arg(1000);
BENCHMARK_CAPTURE(filter, both, with_both, FilterKind::bootstrap)->Arg(1000);
BENCHMARK_CAPTURE(filter, plain_adapted, parameters, FilterKind::adapted)->Arg(1000);
BENCHMARK_CAPTURE(filter, plain_ars, parameters, FilterKind::bootstrap, Generator::ars)->Arg(1000);
BENCHMARK_CAPTURE(filter, student_ars, with_tails, FilterKind::bootstrap, Generator::ars)->Arg(1000);
BENCHMARK_CAPTURE(filter, both_ars, with_both, FilterKind::bootstrap, Generator::ars)->Arg(1000);
BENCHMARK_CAPTURE(filter, plain_adapted_ars, parameters, FilterKind::adapted, Generator::ars)->Arg(1000);

constexpr Index small_length = 50, small_particles = 50, block = 16;

/// Estimates of a density's likelihood at a block of points about one point, whose natural values are given.
template <class Density>
void estimate_blocks(benchmark::State& state, const Density& density, const std::vector<double>& centre,
                     Generator generator) {
    const auto d = static_cast<Index>(centre.size());
    pearlite::Matrix points(d, block);
    for (Index k = 0; k < d; ++k)
        for (Index i = 0; i < block; ++i)
            points(k, i) = density.parameters().unconstrained(k, centre[static_cast<std::size_t>(k)]) +
                           0.01 * static_cast<double>(i - block / 2);
    std::vector<double> log_prior(block), log_likelihood(block);
    pearlite::model::BlockStreams streams{.seed = {1, generator}};
    for (auto _ : state) {
        density.estimate(points, streams, log_prior, log_likelihood);
        benchmark::DoNotOptimize(log_likelihood.data());
        ++streams.step;
    }
    const auto steps = static_cast<double>(state.iterations() * block * small_length * small_particles);
    state.counters["steps"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
}

void small_volatility(benchmark::State& state, bool leverage, bool student, FilterKind kind, Generator generator) {
    pearlite::models::StochasticVolatilitySettings settings{
        .returns = {returns().begin(), returns().begin() + small_length}, .leverage = leverage, .student = student};
    settings.filter = {.particles = small_particles, .kind = kind};
    std::vector<double> centre{parameters.mu, parameters.phi, parameters.sigma};
    if (leverage)
        centre.push_back(-0.4);
    if (student)
        centre.push_back(10);
    estimate_blocks(state, pearlite::models::StochasticVolatility(settings), centre, generator);
}

void small_linear_gaussian(benchmark::State& state, FilterKind kind, Generator generator) {
    pearlite::models::LinearGaussianSettings settings;
    pearlite::random::Stream stream(address(0));
    settings.observations = pearlite::models::simulate_linear_gaussian({}, small_length, stream);
    settings.filter = {.particles = small_particles, .kind = kind};
    estimate_blocks(state, pearlite::models::LinearGaussian(settings), {0, 0.9, 1, 1}, generator);
}

BENCHMARK_CAPTURE(small_volatility, plain, false, false, FilterKind::bootstrap, Generator::philox);
BENCHMARK_CAPTURE(small_volatility, plain_ars, false, false, FilterKind::bootstrap, Generator::ars);
BENCHMARK_CAPTURE(small_volatility, both, true, true, FilterKind::bootstrap, Generator::philox);
BENCHMARK_CAPTURE(small_volatility, plain_adapted, false, false, FilterKind::adapted, Generator::philox);
BENCHMARK_CAPTURE(small_linear_gaussian, bootstrap, FilterKind::bootstrap, Generator::philox);
BENCHMARK_CAPTURE(small_linear_gaussian, adapted, FilterKind::adapted, Generator::philox);

/// Whether the plain filter's estimate is within 1 of the quadrature's log likelihood.
bool plain_filter_is_right() {
    const double exact = pearlite::models::quadrature_log_likelihood(parameters, returns());
    PlainFilter plain(10000);
    return std::abs(plain.log_likelihood(1) - exact) < 1;
}

} // namespace

int main(int argc, char** argv) {
    if (!plain_filter_is_right()) {
        std::cerr << "filter_benchmark: the plain filter is wrong\n";
        return 1;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
