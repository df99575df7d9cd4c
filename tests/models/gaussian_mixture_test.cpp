// z-scores are compared with 5 (a false alarm once in 2e6); about 20 on fixed seeds.
#include "models/mixture/gaussian_mixture.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"
#include "support/mean_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace pearlite::models {
namespace {

using Settings = GaussianMixtureSettings;

model::BlockStreams streams(std::uint64_t seed, Index step) {
    return {seed, static_cast<std::uint32_t>(step), 0, 0, 0};
}

const std::vector<double> few_points{18.2, 19.1, 24.0, 19.8, 33.5, 23.1};

using testing_support::MeanError;

TEST(GaussianMixture, ParametersAreThoseOfTheMixtureWhateverItsLabels) {
    const GaussianMixture mixture(few_points, {.components = 3});
    auto block = mixture.make_block(2);
    block.columns().col(0) << 0.2, 0.5, 0.3, 7, -1, 3, 4, 0.25, 1;
    block.columns().col(1) << 0.5, 0.3, 0.2, -1, 3, 7, 0.25, 1, 4;
    const Matrix values = mixture.parameters(block);
    Vector expected(9);
    expected << 0.5, 0.3, 0.2, -1, 3, 7, 2, 1, 0.5;
    EXPECT_EQ(values.col(0), expected);
    EXPECT_EQ(values.col(1), expected);
    EXPECT_EQ(mixture.parameter_names().size(), 9u);
    EXPECT_EQ(mixture.parameter_names()[6], "sd1");
}

TEST(GaussianMixture, LogRatiosAreDifferencesOfThePlainDensity) {
    for (const auto path : {Settings::Path::data, Settings::Path::tempered}) {
        const GaussianMixture mixture(few_points, {.components = 3, .path = path});
        auto block = mixture.make_block(5);
        mixture.draw_start(block, streams(1, 0));
        const auto plain = [&](Index i, double b) {
            double sum = 0;
            for (std::size_t l = 0; l < few_points.size(); ++l) {
                const double a =
                    path == Settings::Path::tempered ? b : std::clamp(6 * b - static_cast<double>(l), 0.0, 1.0);
                double mixed = 0;
                for (Index j = 0; j < 3; ++j) {
                    const double w = block.columns()(j, i), mu = block.columns()(3 + j, i),
                                 tau = block.columns()(6 + j, i);
                    mixed += w * std::pow(std::sqrt(tau / (2 * M_PI)) *
                                              std::exp(-0.5 * tau * (few_points[l] - mu) * (few_points[l] - mu)),
                                          a);
                }
                sum += std::log(mixed);
            }
            return sum;
        };
        for (const auto& [from, to] : std::vector<std::pair<double, double>>{
                 {0, 0.1}, {0, 1}, {0.25, 0.3}, {1. / 6, 2. / 6}, {0.9, 0.35}, {0.5, 0.5}}) {
            std::vector<double> ratio(5, 0.0);
            mixture.add_log_ratio(block, from, to, ratio);
            for (Index i = 0; i < 5; ++i)
                EXPECT_NEAR(ratio[static_cast<std::size_t>(i)], plain(i, to) - plain(i, from),
                            1e-9 * (1 + std::fabs(plain(i, to))));
        }
        for (const double b : {0.1, 0.4, 0.77}) {
            std::vector<double> u(5);
            mixture.path_derivative(block, b, u);
            for (Index i = 0; i < 5; ++i)
                EXPECT_NEAR(u[static_cast<std::size_t>(i)], (plain(i, b + 1e-6) - plain(i, b - 1e-6)) / 2e-6,
                            1e-4 * (1 + std::fabs(u[static_cast<std::size_t>(i)])));
        }
    }
}

TEST(GaussianMixture, ExactEvidenceIsThatOfThePriorsMeanLikelihood) {
    for (const Index components : {1, 2, 3}) {
        const GaussianMixture mixture({18.2, 19.1, 24.0}, {.components = components});
        std::vector<double> likelihood;
        for (Index n = 0; n < 100; ++n) {
            auto block = mixture.make_block(4096);
            mixture.draw_start(block, streams(2, n));
            std::vector<double> log_ratio(4096, 0.0);
            mixture.add_log_ratio(block, 0, 1, log_ratio);
            for (const double r : log_ratio)
                likelihood.push_back(std::exp(r));
        }
        EXPECT_LT(std::fabs(MeanError(likelihood).z(std::exp(*mixture.exact_log_ratio(1)))), 5) << components;
    }
    EXPECT_FALSE(GaussianMixture(std::vector<double>(50, 1.0), {.components = 2}).exact_log_ratio(1).has_value());
}

/// A mixture whose allocations ignore the exponents: a fractional point counts fully.
struct Hasty : GaussianMixture {
    using GaussianMixture::GaussianMixture;
    void move(Block& block, double b, const model::BlockStreams& s) const {
        GaussianMixture::move(block, std::ceil(6 * b) / 6, s);
    }
    void move_reversed(Block& block, double b, const model::BlockStreams& s) const {
        GaussianMixture::move_reversed(block, std::ceil(6 * b) / 6, s);
    }
};

/// Annealed importance sampling: mean weight over its exact value, in standard errors.
template <class M>
double annealing_z(const M& mixture, Index steps, bool reversed_moves, double exact) {
    std::vector<double> weights;
    for (Index n = 0; n < 12; ++n) {
        auto block = mixture.make_block(1024);
        std::vector<double> log_w(1024, 0.0);
        mixture.draw_start(block, streams(3, 100 * n));
        for (Index k = 1; k <= steps; ++k) {
            const double from = static_cast<double>(k - 1) / static_cast<double>(steps);
            const double to = static_cast<double>(k) / static_cast<double>(steps);
            mixture.add_log_ratio(block, from, to, log_w);
            reversed_moves ? mixture.move_reversed(block, to, streams(3, 100 * n + k))
                           : mixture.move(block, to, streams(3, 100 * n + k));
        }
        for (const double lw : log_w)
            weights.push_back(std::exp(lw - exact));
    }
    return MeanError(weights).z(1);
}

TEST(GaussianMixture, AnnealingFindsTheExactEvidence) {
    for (const auto path : {Settings::Path::data, Settings::Path::tempered}) {
        const GaussianMixture mixture(few_points, {.components = 2, .path = path});
        const double exact = *mixture.exact_log_ratio(1);
        for (const bool reversed : {false, true})
            EXPECT_LT(std::fabs(annealing_z(mixture, 27, reversed, exact)), 5);
    }
    // The wrong twin treats fractional points as whole ones; the transitions then leave another distribution invariant.
    const Hasty hasty(few_points, {.components = 2, .path = Settings::Path::data});
    EXPECT_GT(std::fabs(annealing_z(hasty, 27, false, *hasty.exact_log_ratio(1))), 5);
}

/// E[a(x) c(y)] over steps x -> y of move() from equilibrium less E[c(x) a(y)] over steps of move_reversed(), in
/// standard errors: 0 if one is the reversal of the other. One component, whose mean and precision are updated in turn:
/// a = log precision, c = squared distance of the mean from the data's.
double reversal_z(const GaussianMixture& mixture, double centre, double b, bool wrongly) {
    std::vector<double> differences;
    for (Index n = 0; n < 120; ++n) {
        auto block = mixture.make_block(1024), other = mixture.make_block(1024);
        mixture.draw_start(block, streams(4, 1000 * n));
        for (Index k = 1; k <= 20; ++k)
            mixture.move(block, b, streams(4, 1000 * n + k));
        const Matrix x = block.columns();
        other.columns() = x;
        mixture.move(block, b, streams(4, 1000 * n + 61));
        wrongly ? mixture.move(other, b, streams(4, 1000 * n + 62))
                : mixture.move_reversed(other, b, streams(4, 1000 * n + 62));
        const auto a = [](const auto& p) { return std::log(p(2)) + 2.5; };
        const auto c = [centre](const auto& p) { return std::pow(p(1) - centre, 2) - 5; };
        for (Index i = 0; i < 1024; ++i)
            differences.push_back(a(x.col(i)) * c(block.columns().col(i)) - c(x.col(i)) * a(other.columns().col(i)));
    }
    return MeanError(differences).z(0);
}

TEST(GaussianMixture, ReversedSweepsReverse) {
    const GaussianMixture mixture(few_points, {.components = 1, .path = Settings::Path::data});
    EXPECT_LT(std::fabs(reversal_z(mixture, 22.95, 0.9, false)), 5);
    EXPECT_GT(std::fabs(reversal_z(mixture, 22.95, 0.9, true)), 5);
}

TEST(GaussianMixture, SimulatedAndShuffledDataAreTheSeeds) {
    const std::vector<double> w{0.5, 0.5}, m{0, 10}, s{1, 1};
    EXPECT_EQ(simulate_mixture(w, m, s, 20, 3), simulate_mixture(w, m, s, 20, 3));
    EXPECT_NE(simulate_mixture(w, m, s, 20, 3), simulate_mixture(w, m, s, 20, 4));
    std::vector<double> values(50);
    std::iota(values.begin(), values.end(), 0.0);
    auto mixed = shuffled(values, 1);
    EXPECT_NE(mixed, values);
    std::sort(mixed.begin(), mixed.end());
    EXPECT_EQ(mixed, values);
}

TEST(GaussianMixture, RefusesWhatIsOutOfRange) {
    EXPECT_THROW(GaussianMixture({}, {}), InputError);
    EXPECT_THROW(GaussianMixture({1.0, HUGE_VAL}, {}), InputError);
    EXPECT_THROW(GaussianMixture({1.0}, {.components = 0}), InputError);
    EXPECT_THROW(GaussianMixture({1.0}, {.prior = {.precision_rate = 0}}), InputError);
}

} // namespace
} // namespace pearlite::models
