#include "estimator/evidence/bridge_sampling.hpp"
#include "estimator/evidence/genealogy.hpp"

#include "core/log_space.hpp"
#include "estimator/plain/importance.hpp"
#include "pearlite/random/stream.hpp"

#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>
#include <optional>

namespace pearlite::estimator {
namespace {

using population::FamilyWeights;

FamilyWeights families_of(const std::vector<double>& weights) {
    FamilyWeights families{static_cast<Index>(weights.size()), 0, 0, 0};
    for (const double s : weights) {
        families.squares += s * s;
        families.cubes += s * s * s;
        families.fourth_powers += s * s * s * s;
    }
    return families;
}

/// A particle filter of M = 3 particles on two states, small enough to enumerate: x_0 ~ start, weight first(x_0),
/// multinomial resampling, x_1 ~ move(. | x_0), weight second(x_1).
struct TinyFilter {
    std::array<double, 2> start{0.3, 0.7}, first{2.0, 0.5}, second{0.2, 1.7};
    std::array<std::array<double, 2>, 2> move{{{0.8, 0.2}, {0.4, 0.6}}};

    double z() const {
        double z = 0;
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t b = 0; b < 2; ++b)
                z += start[a] * first[a] * move[a][b] * second[b];
        return z;
    }
    /// Calls visit(probability, estimate of Z, final weights of the families) for every outcome.
    template <class Visit>
    void enumerate(Visit&& visit) const {
        for (unsigned x0 = 0; x0 < 8; ++x0)
            for (unsigned ancestors = 0; ancestors < 27; ++ancestors)
                for (unsigned x1 = 0; x1 < 8; ++x1)
                    outcome(x0, ancestors, x1, visit);
    }

  private:
    template <class Visit>
    void outcome(unsigned x0, unsigned ancestors, unsigned x1, Visit& visit) const {
        std::array<std::size_t, 3> states{x0 & 1, x0 >> 1 & 1, x0 >> 2 & 1};
        std::array<std::size_t, 3> parents{ancestors % 3, ancestors / 3 % 3, ancestors / 9};
        double probability = 1, total_first = 0, total_second = 0;
        for (const auto x : states) {
            probability *= start[x];
            total_first += first[x];
        }
        std::array<double, 3> eves{};
        for (std::size_t i = 0; i < 3; ++i) {
            const auto parent = states[parents[i]], state = std::size_t{x1 >> i & 1};
            probability *= first[parent] / total_first * move[parent][state];
            total_second += second[state];
            eves[parents[i]] += second[state];
        }
        std::vector<double> weights;
        for (const double w : eves)
            if (w > 0)
                weights.push_back(w / total_second);
        visit(probability, total_first / 3 * total_second / 3, families_of(weights));
    }
};

// Lee & Whiteley (2018, theorem 1): E[Z_hat^2 V] = Var[Z_hat] exactly, whatever the number of particles.
TEST(Genealogy, LeeWhiteleyIsUnbiasedForTheVarianceOfZ) {
    const TinyFilter filter;
    double total = 0, mean = 0, square = 0, estimated = 0, twin = 0;
    filter.enumerate([&](double p, double z, const FamilyWeights& eves) {
        total += p;
        mean += p * z;
        square += p * z * z;
        estimated += p * z * z * lee_whiteley_variance(eves, 3, 1);
        twin += p * z * z * lee_whiteley_variance(eves, 3, 2); // counts a resampling that came after the last weighting
    });
    const double variance = square - mean * mean;
    EXPECT_NEAR(total, 1, 1e-13);
    EXPECT_NEAR(mean, filter.z(), 1e-13);
    EXPECT_NEAR(estimated, variance, 1e-13);
    EXPECT_GT(std::fabs(twin - variance), 0.1 * variance);
}

TEST(Genealogy, FormulasByHand) {
    const auto eves = families_of({0.5, 0.25, 0.25});
    EXPECT_DOUBLE_EQ(lee_whiteley_variance(eves, 5, 2), 1 - std::pow(1.25, 3) * (1 - 0.375));
    EXPECT_DOUBLE_EQ(chan_lai_variance(eves, 5), 0.375 - 0.2);
}

// Without resampling every particle is its own Eve, and both are the delta method's variance up to its factor.
TEST(Genealogy, WithoutResamplingItIsTheDeltaMethod) {
    random::Stream stream({2, random::Purpose::test, 1, 0});
    std::vector<double> log_weights(50), weights;
    for (double& lw : log_weights)
        lw = stream.normal();
    for (const double lw : log_weights)
        weights.push_back(std::exp(lw - log_sum_exp(log_weights)));
    const auto eves = families_of(weights);
    const double delta = std::pow(delta_standard_error(log_weights), 2);
    EXPECT_NEAR(lee_whiteley_variance(eves, 50, 0), delta, 1e-13);
    EXPECT_NEAR(chan_lai_variance(eves, 50), delta * 49 / 50, 1e-13);
}

TEST(Genealogy, FewFamiliesCarryNoErrorBar) {
    const auto refused = single_run_estimate(-3, families_of(std::vector<double>(19, 1.0 / 19)), 100, 3, true);
    EXPECT_EQ(refused.value, -3);
    EXPECT_FALSE(refused.standard_error || refused.interval95);
    EXPECT_THAT(refused.note, ::testing::HasSubstr("19 families"));

    const auto eves = families_of(std::vector<double>(20, 0.05));
    const auto conservative = single_run_estimate(-3, eves, 100, 3, false);
    EXPECT_DOUBLE_EQ(*conservative.standard_error, std::sqrt(0.05 - 0.01));
    EXPECT_EQ(conservative.error_method, "chan-lai");
    EXPECT_TRUE(conservative.is_conservative);
    const auto exact = single_run_estimate(-3, eves, 100, 2, true);
    EXPECT_DOUBLE_EQ(*exact.standard_error, std::sqrt(lee_whiteley_variance(eves, 100, 2)));
    EXPECT_EQ(exact.error_method, "lee-whiteley");
    EXPECT_NEAR(exact.interval95->high + 3, 1.959964 * *exact.standard_error, 1e-6);
}

// After many resamplings Lee-Whiteley is a small difference of large numbers: here 0.0014 with a noise of 0.0056.
TEST(Genealogy, ALeeWhiteleyVarianceLostInItsNoiseGivesWay) {
    const auto eves = families_of(std::vector<double>(20, 0.05));
    EXPECT_DOUBLE_EQ(lee_whiteley_noise(eves), std::sqrt(20 * std::pow(0.05, 4)) / 2);
    const auto estimate = single_run_estimate(-3, eves, 100, 4, true);
    EXPECT_DOUBLE_EQ(*estimate.standard_error, std::sqrt(chan_lai_variance(eves, 100)));
    EXPECT_EQ(estimate.error_method, "chan-lai");
    EXPECT_THAT(estimate.note, ::testing::HasSubstr("the Lee-Whiteley variance is lost"));
    EXPECT_TRUE(estimate.is_conservative);
}

TEST(Genealogy, AVarianceThatIsNotPositiveIsNoErrorBar) {
    const auto refused = single_run_estimate(0, families_of(std::vector<double>(50, 0.02)), 50, 3, true);
    EXPECT_FALSE(refused.standard_error);
    EXPECT_THAT(refused.note, ::testing::HasSubstr("not positive"));
}

// 3000 replicates: the variance of the estimates has relative standard error 0.026, so a ratio off by 0.15 would be a
// false alarm once in 1e8.
TEST(Genealogy, BatchErrorsAreThoseOfTheMean) {
    constexpr int replicates = 3000, batches = 16;
    double mean = 0, square = 0, claimed = 0;
    for (std::uint64_t replicate = 0; replicate < replicates; ++replicate) {
        random::Stream stream({4, random::Purpose::test, replicate, 0});
        std::vector<double> log_ratios;
        for (int r = 0; r < batches; ++r)
            log_ratios.push_back(-500 + 0.1 * stream.normal());
        const auto estimate = batch_estimate(log_ratios);
        mean += (estimate.value + 500) / replicates;
        square += (estimate.value + 500) * (estimate.value + 500) / replicates;
        claimed += *estimate.standard_error * *estimate.standard_error / replicates;
    }
    const auto right = [&](double variance) { return std::fabs(variance / (square - mean * mean) - 1) < 0.15; };
    EXPECT_TRUE(right(claimed)) << claimed / (square - mean * mean);
    EXPECT_FALSE(right(claimed * batches)); // the wrong twin: the variance of one batch
}

TEST(Genealogy, BatchesByHand) {
    const auto estimate = batch_estimate(std::vector<double>{std::log(1.0), std::log(3.0)});
    EXPECT_DOUBLE_EQ(estimate.value, std::log(2.0));
    EXPECT_DOUBLE_EQ(*estimate.standard_error, 0.5);
    EXPECT_EQ(batch_estimate(std::vector<double>{0.0, log_zero}).value, -std::log(2.0));
    const auto none = batch_estimate(std::vector<double>{log_zero, log_zero});
    EXPECT_FALSE(none.standard_error);
    EXPECT_THAT(none.note, ::testing::HasSubstr("no batch"));
}

TEST(Genealogy, OneBatchThatOutweighsTheOthersIsNamed) {
    // STATISTICS: eight batches of two peaks, seven of which have lost one.
    const auto withheld = batch_estimate(std::vector<double>{-7.8, -7.8, -8.0, -6.8, -3.8, -7.5, -8.0, -7.7});
    EXPECT_FALSE(withheld.standard_error);
    EXPECT_THAT(withheld.note,
                ::testing::HasSubstr("batch 4 has 86 % of the evidence, so that 1.3 of 8 batches are effective"));
    const auto doubtful = batch_estimate(std::vector<double>{0, 0, 0, 0, 0, 0, 0, 1.8});
    EXPECT_TRUE(doubtful.standard_error);
    ASSERT_EQ(doubtful.doubts.size(), 1);
    EXPECT_THAT(doubtful.doubts.front(), ::testing::HasSubstr("batch 7"));
    EXPECT_TRUE(batch_estimate(std::vector<double>{0, 0, 0, 0, 0, 0, 0, 1}).doubts.empty());
}

TEST(Genealogy, EffectiveFamiliesDecideWhetherAnErrorIsDoubtfulOrWithheld) {
    EXPECT_DOUBLE_EQ(effective_families(families_of(std::vector<double>(20, 0.05))), 20);
    std::vector<double> shares(100, 0.5 / 100);
    shares.front() += 0.5; // 1/(0.505^2 + 99 0.005^2) = 3.9 effective
    const auto withheld = single_run_estimate(0, families_of(shares), 1000, 3, false);
    EXPECT_FALSE(withheld.standard_error);
    EXPECT_THAT(withheld.note, ::testing::HasSubstr("3.9 effective families"));
    const auto fine = single_run_estimate(0, families_of(std::vector<double>(25, 0.04)), 1000, 3, false);
    EXPECT_TRUE(fine.doubts.empty());
    std::vector<double> few(40, 0.5 / 40);
    few.front() += 0.25;
    few.back() += 0.25;
    EXPECT_THAT(single_run_estimate(0, families_of(few), 1000, 3, false).doubts,
                ::testing::ElementsAre(::testing::HasSubstr("7.0 effective families")));
}

// Families of one particle each, with weights w_i: the skewness is that of the mean weight.
TEST(Genealogy, SkewnessOfFamiliesIsThatOfIndependentWeights) {
    const std::vector<double> weights{1, 2, 3, 10};
    std::vector<double> shares, log_weights;
    for (const double w : weights) {
        shares.push_back(w / 16);
        log_weights.push_back(std::log(w));
    }
    EXPECT_NEAR(skewness_of_families(families_of(shares), 4), skewness_of_mean(log_weights), 1e-12);
}

// Bridge sampling from families.

/// f(x) = 5 exp(-x^2/2) and q = N(0.5, 1.5^2), with particles of f in families of equal members.
struct Bridge {
    static double log_integral() { return std::log(5) + 0.5 * std::log(2 * std::numbers::pi); }
    static double log_ratio(double x) {
        const double y = (x - 0.5) / 1.5;
        return std::log(5) - 0.5 * x * x + 0.5 * y * y + std::log(1.5) + 0.5 * std::log(2 * std::numbers::pi);
    }

    Bridge(std::uint64_t seed, Index n, Index family) : log_ratios(at(n)), eves(at(n)), of_draws(at(n)) {
        random::Stream stream({{seed}, random::Purpose::test, 0, 0});
        double x = 0;
        for (Index i = 0; i < n; ++i) {
            if (i % family == 0)
                x = stream.normal();
            log_ratios[at(i)] = log_ratio(x);
            eves[at(i)] = i / family;
            of_draws[at(i)] = log_ratio(0.5 + 1.5 * stream.normal());
        }
    }

    std::optional<BridgeEstimate> estimate(bool knows_families, double start = 0) const {
        const parallel::Communicator self = parallel::Communicator::alone();
        const auto n = static_cast<Index>(eves.size());
        const parallel::BlockLayout layout(n, 16, 1, 0);
        auto ids = eves;
        if (!knows_families)
            std::iota(ids.begin(), ids.end(), 0);
        const population::Families families(self, n, ids);
        const std::vector<double> equal(eves.size(), 0.0);
        return bridge_sampling(self, layout, {log_ratios, equal}, families, {of_draws, equal}, start);
    }

    std::vector<double> log_ratios;
    std::vector<std::int64_t> eves;
    std::vector<double> of_draws;
};

/// The root of the mean square of (value - exact)/error over 400 sets.
double spread(Index family, bool knows_families) {
    double squares = 0;
    constexpr int sets = 400;
    for (std::uint64_t seed = 0; seed < sets; ++seed) {
        const auto estimate = Bridge(seed, 320, family).estimate(knows_families);
        squares += std::pow(estimate->log_integral - Bridge::log_integral(), 2) / estimate->variance() / sets;
    }
    return std::sqrt(squares);
}

// The root mean square of 400 z scores is 1 +- 0.035: five errors either way, a false alarm in 2e6.
TEST(BridgeSampling, ErrorsAreTrueForParticlesAloneAndInFamilies) {
    EXPECT_NEAR(spread(1, true), 1, 0.18);
    EXPECT_NEAR(spread(8, true), 1, 0.18);
}

TEST(BridgeSampling, ErrorsWithoutFamiliesAreFoundOut) {
    EXPECT_GT(spread(8, false), 1.6);
}

TEST(BridgeSampling, NeedsNoStartNearTheRootButOverlap) {
    const Bridge bridge(7, 320, 1);
    const double value = bridge.estimate(true)->log_integral;
    for (const double start : {-200.0, 300.0})
        EXPECT_NEAR(bridge.estimate(true, start)->log_integral, value, 1e-9);
    auto apart = bridge;
    for (auto& log_ratio : apart.of_draws)
        log_ratio = log_zero; // no draw of q has a density
    EXPECT_FALSE(apart.estimate(true));
}

// With one distribution on both sides every ratio is Z: no error is left.
TEST(BridgeSampling, IsExactWhereBothSidesAreAlike) {
    Bridge bridge(1, 64, 1);
    std::ranges::fill(bridge.log_ratios, 3.25);
    std::ranges::fill(bridge.of_draws, 3.25);
    const auto estimate = bridge.estimate(true);
    EXPECT_NEAR(estimate->log_integral, 3.25, 1e-12);
    EXPECT_NEAR(estimate->variance(), 0, 1e-20);
    EXPECT_NEAR(estimate->effective_draws, 64, 1e-9);
    EXPECT_NEAR(estimate->effective_families, 64, 1e-9);
}

} // namespace
} // namespace pearlite::estimator
