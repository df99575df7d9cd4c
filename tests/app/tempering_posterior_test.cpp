// The posterior of parallel tempering, as a configuration makes it, against exact answers. Means below 5 of their
// standard errors: a false alarm in 1.7 million each.
#include "app/configured/prepare.hpp"
#include "app/result/parts/evidence.hpp"
#include "app/result/parts/posterior.hpp"
#include "app/result/run.hpp"
#include "core/log_space.hpp"
#include "pearlite/app/custom_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace pearlite::app {
namespace {

/// Peaks of one height and width at -5 and 5, under N(0, 5^2): systems in either have the same energies.
struct Twins {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = 5 * stream.normal(); }
    double log_prior(std::span<const double> x) const { return log_density(x[0], 5); }
    double log_likelihood(std::span<const double> x) const {
        return log_sum_exp(std::array{log_density(x[0] - 5, 0.05), log_density(x[0] + 5, 0.05)}) - std::log(2);
    }
    static double log_density(double x, double sd) {
        return -x * x / (2 * sd * sd) - 0.5 * std::log(2 * std::numbers::pi * sd * sd);
    }
};

RunResult result_of_run(const std::string& keys) {
    const Catalogue models{custom_model<Twins>("twins", "two peaks")};
    const auto text = "[algorithm]\nname = 'parallel-tempering'\n" + keys + "[model]\nname = 'twins'\n";
    const auto prepared = prepare(models, io::Configuration::parse(text, "test.toml", "."));
    auto run = std::make_unique<Run>(parallel::Communicator::alone(), *prepared.plan, *prepared.model);
    run->begin();
    while (!run->finished())
        run->step();
    return run->result();
}

bool disagrees(const RunResult& result) {
    return std::ranges::any_of(result.part<OutcomePart>()->outcome().warnings, [](const auto& warning) {
        return warning.find("disagree about the posterior") != std::string::npos;
    });
}

TEST(TemperingPosterior, AllMeasuredScansAreAveraged) {
    const auto result = result_of_run("replicas = 32\nscans = 1000\n[kernel]\nmoves = 5\n");
    const auto& found = result.part<PosteriorPart>()->posterior();
    const auto& x = found.summaries.front();
    EXPECT_EQ(found.samples.parts.front().parameters.cols(), 32 * 800);
    EXPECT_LT(std::abs(x.mean), 5 * x.mcse);
    EXPECT_LT(x.mcse, 0.5);
    EXPECT_NEAR(x.sd, 5, 0.1);
    EXPECT_LT(x.ess, 32 * 800 / 2); // the wrong twin: draws that count as independent
    EXPECT_FALSE(disagrees(result));
}

TEST(TemperingPosterior, SystemsInModesOfTheSameEnergiesAreNamed) {
    const auto result =
        result_of_run("replicas = 32\nscans = 100\n[schedule]\nkind = 'linear'\nsteps = 3\n[kernel]\nmoves = 5\n");
    EXPECT_GT(result.part<PosteriorPart>()->convergence().front().r_hat, 1.05);
    EXPECT_TRUE(disagrees(result));
}

TEST(TemperingPosterior, ReplicatesCountByTheirEvidence) {
    const auto result = result_of_run("replicas = 16\nscans = 500\nreplicates = 8\n[kernel]\nmoves = 5\n");
    const auto& found = result.part<PosteriorPart>()->posterior();
    const auto& x = found.summaries.front();
    EXPECT_EQ(found.samples.parts.size(), 8u);
    EXPECT_LT(std::abs(x.mean), 6 * x.mcse); // Student's t of 7 degrees of freedom: a false alarm in 2000
    EXPECT_NEAR(x.sd, 5, 0.2);
    EXPECT_TRUE(result.part<PosteriorPart>()->convergence().empty());
}

} // namespace
} // namespace pearlite::app
