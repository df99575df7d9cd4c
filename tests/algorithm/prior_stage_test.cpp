// Likelihoods that are zero nearly everywhere: draws from the prior are repeated until all particles have a positive
// one. Limits of z are 5 (a false alarm once in 2e6) on fixed seeds.
#include "algorithm/common/prior_stage.hpp"

#include "algorithm/alone.hpp"
#include "algorithm/common/streams.hpp"
#include "algorithm/densities.hpp"
#include "algorithm/nonequilibrium/nonequilibrium.hpp"
#include "algorithm/parallel_tempering/parallel_tempering.hpp"
#include "algorithm/pseudo_marginal/pseudo_marginal.hpp"
#include "algorithm/smc/waste_free.hpp"
#include "population/memory_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using testing_support::restore;
using testing_support::store;

/// Uniform on (0, 1)^2 with a likelihood e^{-2 x/width} below `width` in both coordinates, and 0 beyond.
struct Slice {
    double width = 0.1;
    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.uniform();
    }
    double log_prior(std::span<const double> x) const {
        return x[0] > 0 && x[0] < 1 && x[1] > 0 && x[1] < 1 ? 0 : log_zero;
    }
    double log_likelihood(std::span<const double> x) const {
        return x[0] < width && x[1] < width ? -2 * x[0] / width : log_zero;
    }
    double share() const { return width * width; }
    double exact_log_ratio() const { return std::log(share() * -std::expm1(-2.0) / 2); }
};

/// N particles with their first draws, and their stage.
struct Starts {
    std::shared_ptr<const path::Tempered> path;
    population::Population population;
    PriorStage stage;

    Starts(double width, Index n, random::Seed seed, Index most = 0)
        : path(path_of(Slice{width})), population(population_of(alone, path)), stage(alone, path, seed, most) {
        auto& particles = population.append(n, 4);
        std::vector<double> derivatives(static_cast<std::size_t>(n));
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            path->draw_start(particles.block(b), block_streams(particles, b, seed, 0));
            path->path_derivative(particles.block(b), 0, particles.of_block(derivatives, b));
        }
        stage.begin(particles, derivatives);
    }
    population::Generation& particles() { return population.generation(0); }
};

/// Catches a biased first factor of Z: (N - 1)/(M - 1) has the mean p, and its wrong twin N/M has not.
TEST(PriorStage, ItsShareIsUnbiasedAndTheNaiveOneIsRejected) {
    constexpr Index n = 4;
    const double p = Slice{0.6}.share();
    std::vector<double> unbiased, naive;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Starts starts(0.6, n, seed);
        starts.stage.complete(starts.particles());
        unbiased.push_back(std::exp(starts.stage.log_share()));
        naive.push_back(static_cast<double>(n) / static_cast<double>(starts.stage.draws()));
    }
    EXPECT_LT(std::fabs(MeanError(unbiased).z(p)), 5);
    EXPECT_GT(std::fabs(MeanError(naive).z(p)), 10);
}

/// Catches an error that is not that of the share.
TEST(PriorStage, ItsErrorIsThatOfTheShare) {
    std::vector<double> scores;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Starts starts(0.3, 64, seed);
        starts.stage.complete(starts.particles());
        scores.push_back(std::pow(starts.stage.log_share() - std::log(Slice{0.3}.share()), 2) /
                         starts.stage.variance());
    }
    EXPECT_NEAR(MeanError(scores).mean, 1, 5 * std::sqrt(2.0 / 400));
}

/// Catches draws that are kept for another reason than a positive likelihood, and states that depend on M.
TEST(PriorStage, KeepsDrawsOfThePriorWithPositiveLikelihood) {
    double first = 0, second = 0, with_draws = 0;
    constexpr int runs = 200;
    constexpr Index n = 50;
    const Slice slice{0.2};
    const double expected = static_cast<double>(n) / slice.share();
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
        Starts starts(slice.width, n, seed);
        starts.stage.complete(starts.particles());
        double sum = 0;
        for (Index b = 0; b < starts.particles().local_blocks(); ++b) {
            const auto& block = path::points_of(starts.particles().block(b));
            for (Index i = 0; i < block.size(); ++i) {
                EXPECT_GT(block.log_likelihood(i), log_zero);
                EXPECT_EQ(block.log_likelihood(i), -2 * block.points(0, i) / slice.width);
                const double u = block.points(0, i) / slice.width - 0.5;
                sum += u;
                second += u * u;
            }
        }
        first += sum;
        with_draws += sum * (static_cast<double>(starts.stage.draws()) - expected);
    }
    constexpr double all = n * runs;
    EXPECT_LT(std::fabs(first / std::sqrt(all / 12)), 5);
    EXPECT_LT(std::fabs(second / all - 1.0 / 12), 5 * std::sqrt(1.0 / 180 / all));
    const double sd_of_draws = std::sqrt(static_cast<double>(n) * (1 - slice.share())) / slice.share();
    EXPECT_LT(std::fabs(with_draws / (std::sqrt(n / 12.0) * sd_of_draws * std::sqrt(double{runs}))), 5);
}

/// Catches a stage without end, and a message that does not say how many draws it made.
TEST(PriorStage, EndsWithTheNumberOfItsDraws) {
    const auto message = [](double width, Index most) {
        try {
            Starts starts(width, 16, 3, most);
            starts.stage.complete(starts.particles());
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(message(0, 2000), ::testing::StartsWith("all 2"));
    EXPECT_THAT(message(0, 2000), ::testing::HasSubstr("algorithm.most_prior_draws = 2000"));
    EXPECT_THAT(message(0, 0), ::testing::HasSubstr("algorithm.most_prior_draws = 160000"));
    EXPECT_THAT(message(0.02, 2000), ::testing::HasSubstr("have a positive likelihood, and 16 are needed"));
    EXPECT_EQ(message(0.02, 1'000'000), "");
}

/// Catches a stage that draws other numbers after a checkpoint.
TEST(PriorStage, ContinuesFromItsMiddle) {
    Starts whole(0.05, 40, 9), stopped(0.05, 40, 9), resumed(0.05, 40, 9);
    whole.stage.complete(whole.particles());
    stopped.stage.step(stopped.particles());
    ASSERT_TRUE(stopped.stage.is_looking());
    struct State {
        Starts& starts;
        void fields(Fields& f) {
            starts.population.fields(f);
            starts.stage.fields(f, starts.particles());
        }
    };
    State from{stopped}, to{resumed}, end{whole};
    auto saved = store(alone, from);
    resumed.stage.complete(resumed.particles());
    restore(alone, saved, to);
    EXPECT_EQ(store(alone, to), saved);
    resumed.stage.complete(resumed.particles());
    EXPECT_EQ(store(alone, to), store(alone, end));
    EXPECT_EQ(resumed.stage.draws(), whole.stage.draws());
}

using MakeSampler = std::function<std::unique_ptr<Sampler>(random::Seed seed)>;

/// The samplers along the path of a slice, and whether exp of their estimate is unbiased.
std::vector<MakeSampler> samplers(const std::shared_ptr<const path::Tempered>& path) {
    const auto schedule = path::linear_schedule(4, 1);
    const Matrix factor = 0.05 * Matrix::Identity(2, 2);
    const auto kernel = [=](Index moves) { return kernel::RandomWalk::constant(path, moves, factor); };
    return {[=](random::Seed seed) {
                return std::make_unique<Smc>(alone, path, schedule, kernel::RandomWalk(path, 2),
                                             PopulationSettings{100, 16, seed}, SmcSettings{});
            },
            [=](random::Seed seed) {
                return std::make_unique<WasteFree>(alone, path, schedule, kernel::RandomWalk(path, 4),
                                                   PopulationSettings{400, 4, seed}, WasteFreeSettings{80});
            },
            [=](random::Seed seed) {
                return std::make_unique<AnnealedImportance>(alone, path, schedule, kernel::RandomWalk(path, 2),
                                                            PopulationSettings{100, 16, seed});
            },
            [=](random::Seed seed) {
                return std::make_unique<Nonequilibrium>(
                    alone, path, schedule, kernel(2),
                    NonequilibriumSettings{100, 100, 16, seed, ReverseStart::weighted, 20});
            },
            [=](random::Seed seed) {
                return std::make_unique<ParallelTempering>(alone, path, schedule, kernel(2),
                                                           TemperingSettings{16, 100, 20, seed});
            }};
}

/// Catches a factor of Z that a sampler leaves out, counts twice or gives to one direction alone, and errors without
/// it.
TEST(PriorStage, EntersTheEstimatesOfAllSamplers) {
    const Slice slice;
    const auto all = samplers(path_of(slice));
    for (std::size_t k = 0; k < all.size(); ++k) {
        std::vector<double> differences, scores;
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            const auto sampler = all[k](seed);
            complete(*sampler);
            sampler->flush();
            const auto outcome = sampler->outcome();
            const auto& first = outcome.log_ratio.front();
            differences.push_back(first.value - slice.exact_log_ratio());
            if (first.standard_error)
                scores.push_back(std::pow(differences.back() / *first.standard_error, 2));
            EXPECT_LT(std::fabs(differences.back()), 0.6) << k;
        }
        EXPECT_LT(std::fabs(MeanError(differences).z(0)), 6) << k; // Student's t of 11 degrees of freedom
        ASSERT_GE(scores.size(), 6u) << k;
        EXPECT_LT(MeanError(scores).mean, 4) << k;
    }
}

/// Catches other numbers after a checkpoint within the stage, at its end and later.
TEST(PriorStage, SamplersResumeWithinIt) {
    for (const auto& make : samplers(path_of(Slice{0.03})))
        for (const int steps : {0, 1, 3, 9}) {
            const auto whole = make(5), stopped = make(5), resumed = make(5);
            complete(*whole);
            whole->flush();
            stopped->begin();
            for (int step = 0; step < steps; ++step)
                stopped->step();
            stopped->flush();
            auto saved = store(alone, *stopped);
            restore(alone, saved, *resumed);
            EXPECT_EQ(store(alone, *resumed), saved);
            finish(*resumed);
            resumed->flush();
            EXPECT_EQ(store(alone, *resumed), store(alone, *whole));
        }
}

/// Catches chains that begin, and stay, where the likelihood is zero.
TEST(PriorStage, ChainsFromThePriorStartWhereTheLikelihoodIsPositive) {
    const auto path = path_of(Slice{});
    PseudoMarginal chains(alone, path, Matrix::Constant(2, 3, 0.9), 0.05 * Matrix::Identity(2, 2), {3, 1, 2},
                          {200, 40, 1});
    complete(chains);
    EXPECT_LT(chains.points().maxCoeff(), 0.1);
}

/// A likelihood that is the same everywhere, and one that is so on a part of the prior.
struct Flat : Slice {
    double log_likelihood(std::span<const double> x) const { return x[0] < width ? 1.5 : log_zero; }
};

/// Catches several voices about equal weights: the error is 0, or that of the prior stage.
TEST(PriorStage, EqualWeightsHaveNoOtherError) {
    for (const double width : {1.0, 0.5}) {
        Flat flat;
        flat.width = width;
        const auto all = samplers(path_of(flat));
        for (const std::size_t k : {0u, 1u, 2u}) {
            const auto sampler = all[k](4);
            complete(*sampler);
            sampler->flush();
            const auto outcome = sampler->outcome();
            const auto& first = outcome.log_ratio.front();
            ASSERT_TRUE(first.standard_error) << k;
            EXPECT_TRUE(outcome.warnings.empty()) << k;
            if (width == 1)
                EXPECT_EQ(*first.standard_error, 0) << k;
            else
                EXPECT_NEAR(*first.standard_error, std::sqrt(0.5 / (k == 1 ? 400 : 100)), 0.02) << k;
            EXPECT_NEAR(first.value, 1.5 + std::log(width), width == 1 ? 1e-12 : 0.4) << k;
        }
    }
}

} // namespace
} // namespace pearlite::algorithm
