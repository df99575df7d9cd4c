// Algorithms at the posterior, set up by a configuration, against an exact answer; and the numbers of likelihood
// estimates that runs state, against a count of calls.
#include "app/configured/prepare.hpp"
#include "app/result/parts/evidence.hpp"
#include "app/result/parts/posterior.hpp"
#include "app/result/run.hpp"
#include "pearlite/app/custom_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pearlite::app {
namespace {

using ::testing::HasSubstr;

/// x ~ N(0, 1), 1 | x ~ N(x, 1): posterior N(1/2, 1/2).
struct Normal {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const { return log_density(x[0]); }
    double log_likelihood(std::span<const double> x) const { return log_density(1 - x[0]); }
    static double log_density(double z) { return -0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi); }
};

Index calls = 0; // of estimate(), by point

/// The same with an error of the log likelihood, N(-1/2, 1).
struct NoisyNormal : Normal {
    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            const double x = points(0, static_cast<Index>(i));
            random::Stream stream(streams.at(model::likelihood_draws, static_cast<Index>(i)));
            log_prior[i] = log_density(x);
            log_likelihood[i] = log_density(1 - x) - 0.5 + stream.normal();
            ++calls;
        }
    }
};

std::unique_ptr<Run> finished_run(const std::string& text) {
    const Catalogue models{custom_model<Normal>("normal", "an exact likelihood"),
                           custom_model<NoisyNormal>("noisy", "an estimated one")};
    const auto result = prepare(models, io::Configuration::parse(text, "test.toml", "."));
    auto run = std::make_unique<Run>(parallel::Communicator::alone(), *result.plan, *result.model);
    run->begin();
    while (!run->finished())
        run->step();
    return run;
}

std::string text_of(const std::string& model, const std::string& algorithm, const std::string& rest) {
    return "[model]\nname = '" + model + "'\n" + rest + "[algorithm]\nname = '" + algorithm + "'\n";
}

// Means and evidences below 5 of their standard errors: a false alarm in 1.7 million each.
TEST(PosteriorRuns, ImportanceSquaredHasTheExactEvidence) {
    const double exact = -0.25 - 0.5 * std::log(4 * std::numbers::pi);
    for (const std::string model : {"normal", "noisy"})
        for (const std::string start : {"pilot", "prior"}) {
            const auto run = finished_run(text_of(model, "importance-squared", "") + "start = '" + start + "'\n");
            const auto result = run->result();
            const auto& estimate = result.part<EvidencePart>()->estimates().front();
            EXPECT_LT(std::abs(estimate.value - exact), 5 * estimate.standard_error.value()) << model << start;
            EXPECT_LT(estimate.standard_error.value(), 0.03) << model << start;
            const auto& found = result.part<PosteriorPart>()->posterior();
            const auto& posterior = found.summaries.front();
            EXPECT_LT(std::abs(posterior.mean - 0.5), 5 * posterior.mcse) << model << start;
            EXPECT_NEAR(posterior.sd, std::sqrt(0.5), 0.04) << model << start;
            EXPECT_EQ(found.draws.cols(), 10000);
        }
}

TEST(PosteriorRuns, ChainsHaveTheExactPosteriorAndNoEvidence) {
    for (const std::string model : {"normal", "noisy"})
        for (const std::string start : {"pilot", "prior"}) {
            const auto run = finished_run(text_of(model, "pseudo-marginal", "") + "start = '" + start + "'\n");
            const auto result = run->result();
            EXPECT_EQ(result.part<EvidencePart>(), nullptr);
            const auto& found = result.part<PosteriorPart>()->posterior();
            const auto& posterior = found.summaries.front();
            EXPECT_EQ(found.chains, 4);
            EXPECT_LT(result.part<PosteriorPart>()->convergence().front().r_hat, 1.02) << model << start;
            EXPECT_LT(std::abs(posterior.mean - 0.5), 5 * posterior.mcse) << model << start;
            EXPECT_NEAR(posterior.sd, std::sqrt(0.5), 0.05) << model << start;
            EXPECT_EQ(found.draws.cols(), 4 * 8000);
            EXPECT_EQ(found.draws_of_a_chain, 8000);
        }
}

// 96000 draws of each of four chains are more than 50000.
TEST(PosteriorRuns, OfManyDrawsOfChainsEverySecondIsGathered) {
    const auto run = finished_run(text_of("normal", "pseudo-marginal", "") + "iterations = 120000\n");
    const auto result = run->result();
    const auto& found = result.part<PosteriorPart>()->posterior();
    EXPECT_EQ(found.draws_of_a_chain, 96000);
    EXPECT_EQ(found.draws.cols(), 4 * 48000);
    EXPECT_EQ(found.drawn.at(0), 1);
    EXPECT_EQ(found.drawn.at(48000 + 2), 5);
    const auto& posterior = found.summaries.front();
    EXPECT_LT(std::abs(found.draws.row(0).mean() - posterior.mean), posterior.mcse);
}

double diagnostic(const RunResult& result, const std::string& name) {
    for (const auto& entry : result.part<OutcomePart>()->outcome().diagnostics)
        if (entry.name == name)
            return entry.value;
    return 0;
}

/// Blocks of 16 are full, so that no estimate is wasted.
TEST(PosteriorRuns, LikelihoodEstimatesAreCounted) {
    const std::string pilot = "[schedule]\nkind = 'linear'\nsteps = 10\n[kernel]\nmoves = 2\npilot_particles = 64\n";
    for (const auto& [text, has_pilot] :
         {std::pair{text_of("noisy", "smc", "[kernel]\nmoves = 3\nadapt = 'online'\n") + "particles = 128\n", false},
          std::pair{text_of("noisy", "smc", pilot + "adapt = 'pilot'\n") + "particles = 128\nreplicates = 2\n", true},
          std::pair{text_of("noisy", "annealed-importance", pilot) + "trajectories = 128\n", true},
          std::pair{text_of("noisy", "importance-squared", pilot) + "draws = 1024\ndraws_per_round = 160\n", true},
          std::pair{text_of("noisy", "importance-squared", "") + "draws = 1024\nstart = 'prior'\n", false},
          std::pair{text_of("noisy", "pseudo-marginal", pilot) + "iterations = 300\n", true},
          std::pair{text_of("noisy", "pseudo-marginal", "") + "iterations = 300\nstart = 'prior'\n", false}}) {
        calls = 0;
        const auto run = finished_run(text);
        const auto made = static_cast<double>(calls); // result() estimates the estimates' variance
        const auto result = run->result();
        const double of_pilot = diagnostic(result, "pilot_likelihood_estimates");
        EXPECT_EQ(diagnostic(result, "likelihood_estimates") + of_pilot, made) << text;
        EXPECT_EQ(of_pilot, has_pilot ? 64 * (1 + 10 * 2) : 0) << text;
    }
    const auto exact = finished_run(text_of("normal", "importance-squared", ""))->result();
    EXPECT_EQ(diagnostic(exact, "likelihood_estimates"), 0);
}

TEST(PosteriorRuns, BlocksOfChainsChangeNoChainButForRounding) {
    const auto base = text_of("noisy", "pseudo-marginal", "") + "iterations = 300\n[run]\nblock = ";
    const auto draws_of = [](const std::string& text) {
        return finished_run(text)->result().part<PosteriorPart>()->posterior().draws;
    };
    const Matrix one = draws_of(base + "1\n"), three = draws_of(base + "3\n");
    EXPECT_LT((one - three).cwiseAbs().maxCoeff(), 1e-9);
}

} // namespace
} // namespace pearlite::app
