// Likelihood-constrained SMC against exact evidences: limits of z are 4 (a false alarm once in 16 000) on fixed seeds.
#include "algorithm/likelihood_constrained/likelihood_constrained.hpp"

#include "algorithm/alone.hpp"
#include "algorithm/densities.hpp"
#include "estimator/evidence/genealogy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

/// Uniform on [-10, 10]^3 with a likelihood that has a wide peak, and a narrow one of equal mass inside.
struct NestedPeaks {
    static constexpr double narrow = 0.1;
    std::vector<std::string> parameter_names() const { return {"x", "y", "z"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.uniform(-10, 10);
    }
    double log_prior(std::span<const double> x) const {
        for (const double value : x)
            if (std::abs(value) > 10)
                return log_zero;
        return -3 * std::log(20.0);
    }
    double log_likelihood(std::span<const double> x) const {
        const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        return log_add(-square / 2, -square / (2 * narrow * narrow) - 3 * std::log(narrow)) - std::log(2.0) -
               1.5 * std::log(2 * M_PI);
    }
    double exact_log_ratio() const { return -3 * std::log(20.0); }
};

/// Uniform on (0, 1), with plateaus of likelihood 1, e^2, e^5 and e^12.
struct Plateaus {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double> x) const { return x[0] > 0 && x[0] < 1 ? 0 : log_zero; }
    double log_likelihood(std::span<const double> x) const {
        return x[0] < 0.9 ? 0 : x[0] < 0.99 ? 2 : x[0] < 0.999 ? 5 : 12;
    }
    double exact_log_ratio() const {
        return std::log(0.9 + 0.09 * std::exp(2.0) + 0.009 * std::exp(5.0) + 0.001 * std::exp(12.0));
    }
};

/// Uniform on (0, 1) with a likelihood of 0 below 0.999, and 1000 times larger at the end than above that.
struct Speck {
    static constexpr double width = 1e-3;
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double> x) const { return x[0] > 0 && x[0] < 1 ? 0 : log_zero; }
    double log_likelihood(std::span<const double> x) const {
        return x[0] < 1 - width ? log_zero : std::log(1000.0) * (x[0] - 1 + width) / width;
    }
    double exact_log_ratio() const { return std::log(width * 999 / std::log(1000.0)); }
};

using Density = std::shared_ptr<const path::DensityPath>;
using MakeKernel = LikelihoodConstrained::MakeKernel;

/// Random walks that learn, or have learnt; with as many moves as their mobility takes.
MakeKernel random_walks(const Matrix* learnt) {
    return [=](const Density& prior) {
        return std::make_unique<kernel::RandomWalk>(prior, kernel::MoveSettings{.number = {}, .mobility = 0.9}, learnt);
    };
}
/// Moves of the prior that do not see the level.
MakeKernel unconstrained(const Density& path) {
    return [=](const Density&) { return std::make_unique<kernel::RandomWalk>(path, 20); };
}

LikelihoodConstrained pilot_of(const Density& path, const MakeKernel& make_kernel = random_walks(nullptr)) {
    LikelihoodConstrained pilot(alone, path, std::nullopt, make_kernel, {256, 16, 1000}, {.keeps_draws = false});
    complete(pilot);
    return pilot;
}

/// z of the mean evidence of runs after one pilot, and the mean square of the z of their logarithms by their own
/// errors.
struct Calibration {
    double z = 0, mean_square = 0;
};
template <class D>
Calibration calibration(const D& density, int runs) {
    const auto path = path_of(density);
    auto pilot = pilot_of(path);
    const auto tuning = tuning_of(alone, pilot, PilotReference::unwanted);
    std::vector<double> log_ratios;
    Calibration result;
    for (int seed = 1; seed <= runs; ++seed) {
        LikelihoodConstrained run(alone, path, levels_of(tuning.levels), random_walks(&tuning.kernel),
                                  {256, 16, static_cast<std::uint64_t>(seed)}, {});
        complete(run);
        log_ratios.push_back(run.log_ratio());
        const double z = z_score(run.outcome(), density.exact_log_ratio());
        result.mean_square += z * z / runs;
    }
    const auto mean = estimator::batch_estimate(log_ratios);
    result.z = (mean.value - density.exact_log_ratio()) / *mean.standard_error;
    return result;
}

// A narrow peak inside a wide one, which tempering misses; that errors are true.
TEST(LikelihoodConstrained, FindsAPeakInsideAPeak) {
    const auto found = calibration(NestedPeaks{}, 24);
    EXPECT_LT(std::abs(found.z), 4);
    EXPECT_THAT(found.mean_square, ::testing::AllOf(::testing::Gt(0.4), ::testing::Lt(1.8)));
}

// Particles of equal likelihood, of which a level divides many.
TEST(LikelihoodConstrained, DividesPlateaus) {
    EXPECT_LT(std::abs(calibration(Plateaus{}, 24).z), 4);
}

TEST(LikelihoodConstrained, StartsWhereTheLikelihoodIsPositive) {
    EXPECT_LT(std::abs(calibration(Speck{}, 8).z), 4);
}

// The wrong twin: particles that leave the region above their level make the evidence several nats wrong.
TEST(LikelihoodConstrained, WrongMovesThatDoNotSeeTheLevelAreRejected) {
    const auto path = path_of(NestedPeaks{});
    auto pilot = pilot_of(path);
    std::vector<double> log_ratios;
    for (int seed = 1; seed <= 8; ++seed) {
        LikelihoodConstrained run(alone, path, levels_of(pilot.found().levels->topRows(8)), unconstrained(path),
                                  {256, 16, static_cast<std::uint64_t>(seed)}, {});
        complete(run);
        log_ratios.push_back(run.log_ratio());
    }
    const auto mean = estimator::batch_estimate(log_ratios);
    EXPECT_GT(std::abs(mean.value - NestedPeaks{}.exact_log_ratio()), 4 * *mean.standard_error);
}

// Weights of the draws: the share of the narrow peak, from all levels.
TEST(LikelihoodConstrained, DrawsAreOfThePosterior) {
    const auto path = path_of(NestedPeaks{});
    auto pilot = pilot_of(path);
    const auto tuning = tuning_of(alone, pilot, PilotReference::unwanted);
    std::vector<double> shares;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        LikelihoodConstrained run(alone, path, levels_of(tuning.levels), random_walks(&tuning.kernel), {256, 16, seed},
                                  {});
        complete(run);
        const auto& draws = run.population().generation(0);
        double near = 0, all = 0;
        for (Index b = 0; b < draws.local_blocks(); ++b)
            for (Index i = 0; i < draws.block_size(b); ++i) {
                const double weight =
                    std::exp(draws.of_block(draws.log_weights(), b)[static_cast<std::size_t>(i)] - run.log_ratio());
                all += weight;
                near += path::points_of(draws.block(b)).points.col(i).norm() < 0.4 ? weight : 0;
            }
        EXPECT_NEAR(all, 1, 1e-9);
        // Weighted by Z, means over runs are those of the posterior.
        shares.push_back(near * std::exp(run.log_ratio() - NestedPeaks{}.exact_log_ratio()));
    }
    constexpr double of_narrow = 0.998866, of_wide = 0.016227; // chi of three degrees within 4, and within 0.4
    EXPECT_LT(std::abs(MeanError(shares).z((of_narrow + of_wide) / 2)), 4);
}

TEST(LikelihoodConstrained, AFlatLikelihoodNeedsNoLevel) {
    struct Flat : Plateaus {
        double log_likelihood(std::span<const double>) const { return 1.5; }
    };
    auto pilot = pilot_of(path_of(Flat{}));
    EXPECT_EQ(pilot.found().levels->rows(), 0);
    EXPECT_NEAR(pilot.log_ratio(), 1.5, 1e-9);
    LikelihoodConstrained run(alone, path_of(Flat{}), Levels{}, random_walks(nullptr), {256, 16, 1}, {});
    complete(run);
    EXPECT_EQ(run.outcome().log_ratio.front().standard_error, 0.0);
}

// A pilot has found what the run does not find.
TEST(LikelihoodConstrained, HasNoErrorBarWhereItDiesOut) {
    LikelihoodConstrained run(alone, path_of(NestedPeaks{}), Levels{{-50, 0}, {1e3, 0}}, random_walks(nullptr),
                              {256, 16, 1}, {});
    complete(run);
    const auto estimate = run.outcome().log_ratio.front();
    EXPECT_FALSE(estimate.standard_error);
    EXPECT_THAT(estimate.note, ::testing::HasSubstr("no particle was above level 2"));
    EXPECT_TRUE(std::isfinite(estimate.value));
}

// Levels end where particles weigh nearly the same, or little, and not before: a late level of large share counts.
TEST(LikelihoodConstrained, NeedsTheLevelsThatMatter) {
    const auto needed = [](const std::vector<double>& likelihoods) { // at a level each, which halves what is left
        LevelRecord record;
        double log_mass = 0;
        for (const double& log_likelihood : likelihoods) {
            const bool is_last = &log_likelihood == &likelihoods.back();
            const double log_excluded = log_mass - (is_last ? 0 : std::log(2.0));
            record.log_excluded.push_back(log_excluded + log_likelihood);
            record.log_excluded_squares.push_back(log_excluded + 2 * log_likelihood);
            if (is_last)
                break;
            log_mass -= std::log(2.0);
            record.log_likelihood.push_back(log_likelihood);
            record.share.push_back(0);
            record.log_mass.push_back(log_mass);
        }
        return needed_levels(record, 0).rows();
    };
    EXPECT_EQ(needed({0, 0, 0, 0}), 0);
    EXPECT_EQ(needed({-9, -9, 0, 0, 0}), 2);
    EXPECT_EQ(needed({-9, 0, 0.1, 0.1, 20, 20}), 4);
}

} // namespace
} // namespace pearlite::algorithm
