// The peaks that a pilot has found; draws and chains that lack one.
#include "algorithm/pilot/peaks.hpp"

#include "algorithm/alone.hpp"
#include "algorithm/densities.hpp"
#include "algorithm/importance_squared/importance_squared.hpp"
#include "algorithm/pseudo_marginal/pseudo_marginal.hpp"
#include "algorithm/spot_check/spot_check.hpp"
#include "models/gaussian/gaussian.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Uniform on [-20, 20]^2; 0.1 N((-5, -5), I) + 0.9 N((5, 5), I) as likelihood, Z = 1/1600 but for the tails.
struct TwoPeaks {
    static constexpr double half = 20;
    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = half * (2 * stream.uniform() - 1);
    }
    double log_prior(std::span<const double> x) const {
        return std::max(std::abs(x[0]), std::abs(x[1])) < half ? -2 * std::log(2 * half) : log_zero;
    }
    double log_likelihood(std::span<const double> x) const {
        const auto square = [&](double centre) {
            return (x[0] - centre) * (x[0] - centre) + (x[1] - centre) * (x[1] - centre);
        };
        return std::log(0.9 * std::exp(-0.5 * square(5)) + 0.1 * std::exp(-0.5 * square(-5))) -
               std::log(2 * std::numbers::pi);
    }
};

/// Draws of that posterior, in place of a pilot's particles.
FirstDraws pilot_of(Index n, random::Seed seed, double small = 0.1) {
    random::Stream stream({seed, random::Purpose::test, 0, 0});
    FirstDraws draws{Matrix(2, n), std::vector<double>(static_cast<std::size_t>(n), 0.0)};
    for (Index i = 0; i < n; ++i) {
        const double centre = stream.bernoulli(small) ? -5 : 5;
        for (double& value : draws.points.col(i))
            value = centre + stream.normal();
        draws.log_priors.push_back(TwoPeaks{}.log_prior({draws.points.col(i).data(), 2}));
        draws.log_likelihoods.push_back(TwoPeaks{}.log_likelihood({draws.points.col(i).data(), 2}));
    }
    draws.families = static_cast<double>(n);
    return draws;
}

TEST(Peaks, AreFoundWithTheirShares) {
    const Peaks peaks(pilot_of(256, 1));
    ASSERT_EQ(peaks.size(), 2);
    EXPECT_GT(peaks.share(0), 0.8);
    EXPECT_NEAR(peaks.share(0) + peaks.share(1), 1, 1e-12);
    EXPECT_NEAR(peaks.place(1)(0), -5, 1);
    EXPECT_NEAR(peaks.share_error(1), std::sqrt(peaks.share(0) * peaks.share(1) / 256), 1e-12);
    EXPECT_EQ(peaks.of(std::vector<double>{4, 7}), 0);
    EXPECT_EQ(peaks.of(std::vector<double>{-7, -4}), 1);
    EXPECT_THAT(peaks.describe(1, *path_of(TwoPeaks{})), HasSubstr("the peak at x = -"));
}

// Eight components of one cloud, normal, with long tails or bent, are one peak; at most one of 30 clouds is cut.
TEST(Peaks, OneCloudIsOnePeak) {
    int cut = 0;
    for (const Index d : {1, 4, 10})
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            random::Stream stream({seed, random::Purpose::test, static_cast<std::uint64_t>(d), 0});
            FirstDraws draws{Matrix(d, 1024), std::vector<double>(1024, 0.0)};
            draws.log_priors = draws.log_likelihoods = std::vector<double>(1024, 0.0);
            for (Index i = 0; i < 1024; ++i) {
                const double scale = seed % 3 == 1 ? 1 / std::sqrt(2 * stream.gamma(2.5) / 5) : 1;
                for (double& value : draws.points.col(i))
                    value = scale * stream.normal();
                if (d > 1 && seed % 3 == 2)
                    draws.points(1, i) += 0.5 * draws.points(0, i) * draws.points(0, i);
            }
            cut += Peaks(draws).size() > 1 ? 1 : 0;
        }
    EXPECT_LE(cut, 1);
}

/// From a first mixture with this share in the small peak; rounds of 112 draws.
ImportanceSquared importance_of(double small, Index rounds, std::shared_ptr<const PilotView> pilot, random::Seed seed) {
    std::vector<random::StudentMixture::Component> first{{1 - small, Vector::Constant(2, 5), Matrix::Identity(2, 2)}};
    if (small > 0)
        first.push_back({small, Vector::Constant(2, -5), Matrix::Identity(2, 2)});
    ImportanceSquared sampler(parallel::Communicator::alone(), path_of(TwoPeaks{}), {first, 100}, {4000, 16, seed},
                              {112, rounds, 0}, std::move(pilot));
    complete(sampler);
    return sampler;
}

TEST(PilotView, ALostPeakIsNamedAndTheErrorWithheld) {
    const auto pilot = std::make_shared<const PilotView>(pilot_of(512, 2));
    const auto outcome = importance_of(0, 0, pilot, 1).outcome();
    EXPECT_THAT(outcome.warnings, Contains(HasSubstr("the proposal has lost the peak at x = -")));
    EXPECT_FALSE(outcome.log_ratio.front().standard_error);
    EXPECT_THAT(outcome.log_ratio.front().note, HasSubstr("lost a peak"));
    EXPECT_THAT(importance_of(0, 0, nullptr, 1).outcome().warnings, IsEmpty()); // without a pilot nothing shows
}

/// Catches draws and chains that support a number although their pilot's particles descend from a handful.
TEST(PilotView, FewFamiliesOfThePilotWarnAndVeryFewWithhold) {
    for (const double families : {200.0, 12.0, 3.0}) {
        auto pilot = pilot_of(512, 3);
        pilot.families = families;
        const auto outcome = importance_of(0.1, 2, std::make_shared<const PilotView>(pilot), 1).outcome();
        EXPECT_EQ(outcome.warnings.empty(), families > 20);
        EXPECT_EQ(outcome.log_ratio.front().standard_error.has_value(), families > 5);
        // Replicates share the pilot, whose loss their spread does not show.
        const std::vector<double> log_ratios{-10, -10.1};
        const auto replicates =
            outcome_of_replicates({SingleOutcome(outcome), SingleOutcome(outcome)}, log_ratios, true);
        EXPECT_EQ(replicates.log_ratio.front().standard_error.has_value(), families > 5);
        const auto peaks = std::make_shared<const Peaks>(pilot);
        PseudoMarginal chains(parallel::Communicator::alone(), path_of(TwoPeaks{}), pilot.points.leftCols(4),
                              Matrix::Identity(2, 2), {4, 1, 1}, {400, 40, 1}, peaks);
        complete(chains);
        const auto judged = chains.outcome();
        EXPECT_EQ(judged.has_no_error_bar, families < 5);
        const auto warns = Contains(HasSubstr("effective families"));
        if (families < 20)
            EXPECT_THAT(judged.warnings, warns);
        else
            EXPECT_THAT(judged.warnings, ::testing::Not(warns));
    }
}

// A component of 0.001 gets a draw in few rounds.
TEST(PilotView, RoundsOfAdaptationKeepThePilotsPeaks) {
    const auto pilot = std::make_shared<const PilotView>(pilot_of(512, 3));
    const double exact = -2 * std::log(2 * TwoPeaks::half);
    int lost_without = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const auto sampler = importance_of(0.001, 4, pilot, seed);
        const auto outcome = sampler.outcome();
        EXPECT_THAT(outcome.warnings, IsEmpty()) << seed;
        EXPECT_LT(std::abs(z_score(outcome, exact)), 5) << seed;
        ASSERT_EQ(sampler.mixture().components().size(), 2u);
        EXPECT_NEAR(sampler.mixture().components()[1].weight, 0.1, 0.04) << seed;
        lost_without += importance_of(0.001, 4, nullptr, seed).log_ratio() < exact - 0.08 ? 1 : 0;
    }
    EXPECT_GE(lost_without, 5);
}

Outcome chains_of(const std::shared_ptr<const Peaks>& peaks, const Matrix& starts) {
    PseudoMarginal chains(parallel::Communicator::alone(), path_of(TwoPeaks{}), starts, Matrix::Identity(2, 2),
                          {starts.cols(), 1, 1}, {4000, 400, 1}, peaks);
    complete(chains);
    return chains.outcome();
}

TEST(PeaksOfChains, APeakThatNoChainVisitsIsNamed) {
    const auto peaks = std::make_shared<const Peaks>(pilot_of(512, 4));
    const Matrix all_in_large = Matrix::Constant(2, 4, 5.0);
    EXPECT_THAT(chains_of(peaks, all_in_large).warnings, Contains(HasSubstr("has visited the peak at x = -")));
    EXPECT_THAT(chains_of(nullptr, all_in_large).verdict, HasSubstr("the chains agree"));
    const auto one = std::make_shared<const Peaks>(pilot_of(512, 4, 0));
    EXPECT_THAT(chains_of(one, all_in_large).warnings, IsEmpty());
    Matrix starts = all_in_large;
    starts.col(2) *= -1;
    EXPECT_THAT(chains_of(peaks, starts).warnings, Not(Contains(HasSubstr("has visited"))));
}

/// The check of a finished run, with so many densities.
SpotCheck checked(Sampler& run, const model::Target& target, Index densities = 2000) {
    run.begin();
    while (!run.finished())
        run.step();
    EXPECT_EQ(objection_to_spot_check(target, run.found(), 1), "");
    return spot_check(alone, target, run.found(), run.outcome(), {densities, 3});
}

/// The check of a default run of smc.
template <class D>
SpotCheck checked(const D& density, Index densities = 2000) {
    const auto path = path_of(density);
    auto run = smc_of(alone, path, path::AdaptiveSchedule{1, 0.9}, 5, {1024, 16, 11});
    return checked(run, *path, densities);
}

// Catches a check that does not see what the particles have missed, with gradients and by differences.
TEST(SpotCheck, FindsANarrowPeakThatNoParticleIsIn) {
    for (const auto& check : {checked(SlopedPedestal{}), checked(Pedestal{}, 12000)}) {
        ASSERT_TRUE(check.contradicts());
        const auto* spot = check.worst().spot;
        EXPECT_THAT(spot->place, HasSubstr("x1 = "));
        EXPECT_LT(spot->comparison.share, 0.05);
        EXPECT_GT(spot->comparison.wanted, 0.2); // a quarter of Z; the run's Z is too small
    }
    EXPECT_LE(checked(SlopedPedestal{}).densities, 2500);
}

// Catches families that are taken from resampling alone: independent trajectories are families of one.
TEST(SpotCheck, FindsItWhereParticlesAreIndependent) {
    const auto path = path_of(SlopedPedestal{});
    auto run = ais_of(alone, path, path::linear_schedule(200, 1), 2, {1024, 16, 11});
    const auto check = checked(run, *path);
    EXPECT_TRUE(check.contradicts() || run.outcome().log_ratio.front().standard_error > 0.5);
}

// Catches false alarms: shares of right runs agree.
TEST(SpotCheck, AgreesWithRightRuns) {
    const auto one = checked(models::Gaussian({.dimension = 3}));
    EXPECT_EQ(one.silence, "");
    EXPECT_FALSE(one.doubts());
    EXPECT_NEAR(one.held(), 0.5, 0.1);
    EXPECT_FALSE(checked(TwoPeaks{}, 4000).doubts());
}

// Catches a check that speaks where there is no maximum with a curvature, or where too few densities are allowed.
TEST(SpotCheck, SaysWhyItSaysNothing) {
    EXPECT_THAT(checked(Truncated{}).silence, Not(IsEmpty()));
    EXPECT_THAT(checked(Pedestal{.d = 20}, 200).silence, HasSubstr("without a gradient"));
}

} // namespace
} // namespace pearlite::algorithm
