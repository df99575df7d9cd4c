/// The filter in single precision against the likelihood by quadrature and the plain filter in double precision. Right
/// means lie within 3.5 standard errors (24 comparisons with fixed seeds, false alarm 1.1 %), wrong ones beyond 6.

#include "models/state_space/volatility_filter.hpp"

#include "models/state_space/volatility_draws.hpp"
#include "models/unbiasedness.hpp"
#include "models/volatility_cases.hpp"
#include "pearlite/core/error.hpp"
#include "simd/instructions.hpp"

#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>

namespace pearlite::models {
namespace {

using models::detail::VolatilityCloud;
using models::detail::VolatilityFilter;
using testing::MeanError;
using testing::unbiasedness_z;
using testing::volatility_cases;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr FilterKind both_kinds[] = {FilterKind::bootstrap, FilterKind::adapted};

random::Address address(std::uint64_t id) {
    return {.seed = 81, .purpose = random::Purpose::test, .id = id, .step = 0};
}

std::vector<double> logs(const VolatilityParameters& parameters, std::span<const double> y,
                         const FilterSettings& settings, std::uint64_t repeats) {
    VolatilityFilter filter;
    std::vector<double> values;
    for (std::uint64_t r = 0; r < repeats; ++r)
        values.push_back(filter.run(parameters, y, settings, address(r)).log_likelihood);
    return values;
}

double z_of(const VolatilityParameters& filtered, const VolatilityParameters& exact, std::span<const double> y,
            const FilterSettings& settings) {
    auto errors = logs(filtered, y, settings, 3000);
    const double log_likelihood = quadrature_log_likelihood(exact, y);
    for (double& error : errors)
        error -= log_likelihood;
    return unbiasedness_z(errors);
}

TEST(VolatilityFilter, EstimatesAreUnbiased) {
    for (const auto& c : volatility_cases()) {
        const auto y = c.returns(30);
        for (const auto kind : both_kinds)
            for (const Index n : {50, 400}) {
                const FilterSettings settings{.particles = n, .kind = kind};
                EXPECT_LT(std::abs(z_of(c.parameters, c.parameters, y, settings)), 3.5) << c.name << ", " << n;
                const Index resamplings = VolatilityFilter().run(c.parameters, y, settings, address(0)).resamplings;
                EXPECT_TRUE(resamplings > 0 && resamplings < 20) << c.name << ", " << n; // sometimes, not always
            }
    }
}

/// Fails if a filter takes a gap for data, or gives the state after it the variance of one whose shock is known.
TEST(VolatilityFilter, EstimatesAreUnbiasedOverGaps) {
    for (const auto& c : volatility_cases()) {
        auto y = c.returns(30);
        for (const std::size_t t : {0u, 5u, 6u, 7u, 20u, 29u})
            y[t] = std::nan("");
        const VolatilityProcess process(c.parameters, y);
        const double exact = quadrature_log_likelihood(c.parameters, y);
        for (const auto kind : both_kinds) {
            const FilterSettings settings{.particles = 100, .kind = kind};
            EXPECT_LT(std::abs(z_of(c.parameters, c.parameters, y, settings)), 3.5) << c.name;
            std::vector<double> plain;
            for (std::uint64_t r = 0; r < 300; ++r) {
                random::Stream stream(address(5000 + r));
                plain.push_back(run_filter(process, settings, stream).log_likelihood - exact);
            }
            EXPECT_LT(std::abs(unbiasedness_z(plain)), 3.5) << c.name;
        }
    }
}

/// Parameters that are not the ones meant; the mean of logs in place of the log of the mean; a filter that never
/// resamples is right and merely bad.
TEST(VolatilityFilter, WrongTwinsAreRejected) {
    const VolatilityParameters right = volatility_cases()[3].parameters;
    const auto y = volatility_cases()[3].returns(30);
    VolatilityParameters other_sign = right, normal = right, shifted = right;
    other_sign.rho = -right.rho;
    normal.nu = infinity;
    shifted.mu += 0.1;
    for (const auto kind : both_kinds)
        for (const auto& wrong : {other_sign, normal, shifted})
            EXPECT_GT(std::abs(z_of(wrong, right, y, {.particles = 50, .kind = kind})), 6);
    const auto [mean, error] = MeanError(logs(right, y, {.particles = 50}, 4000));
    EXPECT_LT((mean - quadrature_log_likelihood(right, y)) / error, -6);
    EXPECT_LT(std::abs(z_of(right, right, y, {.particles = 400, .resample_below = 0})), 3.5);
}

/// Mean and variance of the log likelihood: with 250 estimates each, a ratio of variances beyond 1.8 has chance 4e-6.
TEST(VolatilityFilter, AgreesWithTheFilterInDoublePrecision) {
    for (const auto& c : volatility_cases())
        for (const auto kind : both_kinds) {
            const auto y = c.returns(40);
            const FilterSettings settings{.particles = 100, .kind = kind};
            const VolatilityProcess process(c.parameters, y);
            std::vector<double> plain;
            for (std::uint64_t r = 0; r < 250; ++r) {
                random::Stream stream(address(1000 + r));
                plain.push_back(run_filter(process, settings, stream).log_likelihood);
            }
            const auto a = MeanError(plain), b = MeanError(logs(c.parameters, y, settings, 250));
            EXPECT_LT(std::abs(a.mean - b.mean), 3.5 * std::hypot(a.error, b.error)) << c.name;
            EXPECT_LT(std::max(a.error / b.error, b.error / a.error), std::sqrt(1.8)) << c.name;
        }
}

TEST(VolatilityFilter, FilteredMeansAgreeWithTheFilterInDoublePrecision) {
    const auto& c = volatility_cases()[3];
    const auto y = c.returns(20);
    const FilterSettings settings{.particles = 1000};
    const VolatilityProcess process(c.parameters, y);
    std::vector<std::vector<double>> single(y.size()), plain(y.size());
    VolatilityFilter filter;
    for (std::uint64_t r = 0; r < 100; ++r) {
        filter.run(c.parameters, y, settings, address(r), [&](Index t, auto h, auto weights) {
            double sum = 0, total = 0;
            for (std::size_t i = 0; i < h.size(); ++i) {
                sum += static_cast<double>(weights[i]) * static_cast<double>(h[i]);
                total += static_cast<double>(weights[i]);
            }
            single[static_cast<std::size_t>(t)].push_back(sum / total);
        });
        random::Stream stream(address(1000 + r));
        run_filter(process, settings, stream, [&](Index t, auto states, auto log_weights) {
            double sum = 0;
            for (std::size_t i = 0; i < states.size(); ++i)
                sum += std::exp(log_weights[i]) * states[i].h;
            plain[static_cast<std::size_t>(t)].push_back(sum);
        });
    }
    for (std::size_t t = 0; t < y.size(); ++t) {
        const auto a = MeanError(single[t]), b = MeanError(plain[t]);
        EXPECT_LT(std::abs(a.mean - b.mean), 4 * std::hypot(a.error, b.error)) << t; // 20: false alarm 0.13 %
    }
}

/// Pinned numbers of a seed: the same in every build (AVX-512, AVX2, or neither), to the rounding of the library's
/// logarithm.
TEST(VolatilityFilter, KeepsItsNumbersFromBuildToBuild) {
    const double expected[] = {-139.07754843486694, -139.16721419720318, -133.92992349336177, -134.01801618979547,
                               -173.00231341381755, -172.90960662275887, -182.47309672637908, -182.38845807356452};
    std::size_t k = 0;
    for (const auto& c : volatility_cases())
        for (const auto kind : both_kinds) {
            const double value = logs(c.parameters, c.returns(100), {.particles = 1000, .kind = kind}, 1)[0];
            EXPECT_NEAR(value, expected[k++], 1e-11) << c.name;
        }
}

TEST(VolatilityFilter, MemoryOfEarlierRunsDoesNotMatter) {
    const auto& c = volatility_cases()[3];
    const auto y = c.returns(40);
    VolatilityFilter used, fresh;
    used.run(volatility_cases()[1].parameters, y, {.particles = 70, .kind = FilterKind::adapted}, address(1));
    used.run(c.parameters, y, {.particles = 70}, address(2));
    EXPECT_EQ(used.run(c.parameters, y, {.particles = 70}, address(3)).log_likelihood,
              fresh.run(c.parameters, y, {.particles = 70}, address(3)).log_likelihood);
}

/// Far from the data weights underflow in floats, and the step is taken relative to the largest. Where h is all but
/// known the likelihood is known too. (Not so far that the data outweigh even this prior.)
TEST(VolatilityFilter, FarFromTheDataItIsFiniteAndRight) {
    const std::vector<double> y{1, -2, 0, 0.5, 1e-9};
    for (const double mu : {-20.0, -12.0, 0.0, 40.0, 80.0})
        for (const double nu : {infinity, 3.0})
            for (const double rho : {0.0, 0.4})
                for (const auto kind : both_kinds) {
                    const VolatilityParameters p{.mu = mu, .phi = 0.5, .sigma = 1e-9, .rho = rho, .nu = nu};
                    const double known = quadrature_log_likelihood(p, y);
                    const double estimate = logs(p, y, {.particles = 33, .kind = kind}, 1)[0];
                    EXPECT_NEAR(estimate, known, 1e-3 + 3e-5 * std::abs(known)) << mu << " " << nu << " " << rho;
                }
}

TEST(VolatilityFilter, ExtremesAreNeverNotANumber) {
    for (const auto& y : {std::vector{0.0, 0.0, 0.0}, {1e6, -1e6, 0.0}, {1e-30, 1.0, 1e18}, {1e150, 1.0, -1e-200}})
        for (const double mu : {-150.0, -20.0, 0.0, 200.0})
            for (const double phi : {-0.99, 0.0, 1 - 1e-12})
                for (const double sigma : {1e-20, 0.1, 30.0})
                    for (const double rho : {0.0, -0.999999})
                        for (const double nu : {infinity, 1e7, 0.01})
                            for (const auto kind : both_kinds) {
                                const VolatilityParameters p{mu, phi, sigma, rho, nu};
                                const double value = logs(p, y, {.particles = 17, .kind = kind}, 1)[0];
                                ASSERT_TRUE(value < infinity) << mu << phi << sigma << rho << nu;
                            }
}

TEST(VolatilityFilter, OneParticleIsAFilter) {
    const VolatilityParameters& p = volatility_cases()[0].parameters;
    EXPECT_LT(std::abs(z_of(p, p, std::vector{0.5, -0.2}, {.particles = 1})), 3.5);
}

TEST(VolatilityFilter, RefusesWhatItCannotDo) {
    const std::vector<double> y{1};
    VolatilityFilter filter;
    EXPECT_THROW(filter.run({.phi = 1}, y, {}, address(0)), ContractViolation);
    EXPECT_THROW(filter.run({.rho = 1}, y, {}, address(0)), ContractViolation);
    EXPECT_THROW(filter.run({}, y, {.particles = 0}, address(0)), ContractViolation);
    EXPECT_THROW(filter.run({}, y, {.kind = FilterKind::auxiliary}, address(0)), ContractViolation);
    const std::vector<double> many(5000);
    EXPECT_THROW(filter.run({}, many, {.particles = 1000000}, address(0)), ContractViolation);
}

/// sqrt(g/shape) at x by a series as lanes evaluate it, in double precision.
double root_at(const models::detail::GammaRoots& roots, double x) {
    double sum = 0;
    const double angle = std::acos(x / models::detail::GammaRoots::largest_normal);
    for (std::size_t k = 0; k < roots.coefficients().size(); ++k)
        sum += static_cast<double>(roots.coefficients()[k]) * std::cos(static_cast<double>(k) * angle);
    return sum;
}

/// The same by powers, in single precision.
double root_by_powers(const models::detail::GammaRoots& roots, double x) {
    float sum = 0;
    for (std::size_t k = roots.powers().size(); k > 0; --k)
        sum = sum * static_cast<float>(x) + roots.powers()[k - 1];
    return static_cast<double>(sum);
}

/// The quantiles of Gamma(shape); that of Wilson & Hilferty, cubes of normal numbers, is the wrong twin.
TEST(VolatilityFilter, RootsOfGammasAreTheirQuantiles) {
    std::size_t most = 0;
    for (const double shape : {0.5, 0.5003, 0.6, 0.75, 1.0, 1.7, 3.0, 5.5, 20.0, 150.0, 1e4, 1e6, 5e7}) {
        const models::detail::GammaRoots roots(shape);
        most = std::max(most, roots.coefficients().size());
        double largest = 0, of_twin = 0;
        for (double x = -6.7; x <= 6.7; x += 0.05) {
            const double tail = 0.5 * std::erfc(std::abs(x) / std::sqrt(2.0));
            const double g = x < 0 ? boost::math::gamma_p_inv(shape, tail) : boost::math::gamma_q_inv(shape, tail);
            const double cube = std::max(0.0, 1 - 1 / (9 * shape) + x / (3 * std::sqrt(shape)));
            largest = std::max(largest, std::abs(root_at(roots, x) - std::sqrt(g / shape)));
            if (!roots.powers().empty())
                largest = std::max(largest, std::abs(root_by_powers(roots, x) - std::sqrt(g / shape)));
            of_twin = std::max(of_twin, std::abs(std::pow(cube, 1.5) - std::sqrt(g / shape)));
        }
        EXPECT_LT(largest, 1e-6) << shape;
        EXPECT_GT(of_twin, shape < 1e4 ? 5e-6 : 0) << shape;
    }
    EXPECT_LT(models::detail::GammaRoots(8).coefficients().size(), 14u);
    EXPECT_LE(most, models::detail::GammaRoots::most_terms);
    EXPECT_FALSE(models::detail::GammaRoots(3).powers().empty());
    EXPECT_TRUE(models::detail::GammaRoots(1.7).powers().empty());
}

/// Largest distance between the distribution function of numbers and that of Gamma(shape), times the root of their
/// number.
double kolmogorov(std::vector<double> numbers, double shape) {
    namespace policies = boost::math::policies;
    constexpr policies::policy<policies::promote_double<false>> in_double; // seven times as fast as long doubles
    std::sort(numbers.begin(), numbers.end());
    const auto n = static_cast<double>(numbers.size());
    double largest = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double p = boost::math::gamma_p(shape, numbers[i], in_double);
        largest = std::max({largest, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
    }
    return largest * std::sqrt(n);
}

/// False alarm 4e-6 for each of 5; shapes 1 % off must be seen.
TEST(VolatilityFilter, GammasHaveTheirDistribution) {
    for (const double nu : {0.6, 1.0, 4.0, 10.0, 300.0})
        for (const auto generator : {random::Generator::philox, random::Generator::ars}) {
            if (generator == random::Generator::ars && nu != 4)
                continue; // the generators differ in their words alone
            const random::Address from{{83, generator}, random::Purpose::test, 1, 0};
            const double shape = (nu + 1) / 2;
            const models::detail::MakeGammaRoots make(from, models::detail::GammaRoots(shape));
            alignas(64) float out[models::detail::chunk];
            std::vector<float> roots;
            for (std::size_t first = 0; first < 400 * models::detail::chunk; first += models::detail::chunk) {
                make(first, out);
                roots.insert(roots.end(), std::begin(out), std::end(out));
            }
            std::vector<double> gammas;
            for (const float root : roots)
                gammas.push_back(shape * static_cast<double>(root) * static_cast<double>(root));
            EXPECT_LT(kolmogorov(gammas, shape), 2.55) << nu;
            EXPECT_GT(kolmogorov(gammas, shape * 1.01), 2.55) << nu;
            make(64, std::span(out).first(96));
            EXPECT_TRUE(std::equal(out, out + 96, roots.begin() + 64)) << nu;
        }
}

TEST(VolatilityCloud, ResamplesAsThePlainFilterDoes) {
    random::Stream stream({82});
    for (const std::size_t n : {1u, 5u, 16u, 100u, 1001u})
        for (int repeat = 0; repeat < 50; ++repeat) {
            VolatilityCloud cloud;
            cloud.resize(n);
            std::vector<double> weights(n);
            for (std::size_t i = 0; i < n; ++i) {
                const double weight = stream.uniform() < 0.3 ? 0 : stream.exponential() * stream.exponential();
                cloud.weight[static_cast<Index>(i)] = static_cast<float>(weight + (i == n / 2 ? 1e-3 : 0));
                cloud.mean[static_cast<Index>(i)] = static_cast<float>(i);
                weights[i] = static_cast<double>(cloud.weight[static_cast<Index>(i)]);
            }
            const double offset = stream.uniform() * (1 - 0x1p-32) + 0x1p-33;
            std::vector<Index> ancestors(n);
            systematic_ancestors(weights, offset, ancestors);
            simd::on_this_cpu([&](auto cpu) { cloud.resample<decltype(cpu)>(offset, false); });
            for (std::size_t i = 0; i < n; ++i)
                ASSERT_EQ(cloud.mean[static_cast<Index>(i)], static_cast<float>(ancestors[i]));
            EXPECT_EQ(cloud.weight.sum(), static_cast<float>(n));
        }
}

} // namespace
} // namespace pearlite::models
