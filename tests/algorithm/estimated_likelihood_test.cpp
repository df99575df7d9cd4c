#include "algorithm/alone.hpp"
#include "algorithm/densities.hpp"
#include "algorithm/importance_squared/importance_squared.hpp"
#include "algorithm/pseudo_marginal/pseudo_marginal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace pearlite::algorithm {
namespace {

using namespace testing;

/// x ~ N(0, 1), y | x ~ N(x, 1), and a log likelihood with an error z ~ N(-s2/2, s2) per estimate.
struct NoisyGaussian {
    double s2 = 1;
    double y = 1;
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            const double x = points(0, static_cast<Index>(i));
            random::Stream stream(streams.at(model::likelihood_draws, static_cast<Index>(i)));
            log_prior[i] = log_normal(x);
            log_likelihood[i] = log_normal(y - x) - 0.5 * s2 + std::sqrt(s2) * stream.normal();
        }
    }
    double exact_log_ratio() const { return -0.25 * y * y - 0.5 * std::log(4 * std::numbers::pi); }
    static double log_normal(double z) { return -0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi); }
};

Smc run(double s2, random::Seed seed, Index particles, Index steps, const SmcSettings& settings, Index moves = 2,
        double y = 1) {
    const auto path = path_of(NoisyGaussian{s2, y});
    Smc sampler(alone, path, path::linear_schedule(steps, 1),
                kernel::RandomWalk::constant(path, moves, Matrix::Constant(1, 1, 1.5)), {particles, 16, seed},
                settings);
    complete(sampler);
    return sampler;
}

// Z is unbiased with estimated likelihoods; 400 replicates, z below 5 (false alarm 6e-7 each).
TEST(EstimatedLikelihood, ZIsUnbiased) {
    for (const double s2 : {0.5, 2.0})
        for (const double threshold : {0.0, 0.7}) {
            std::vector<double> ratio;
            for (std::uint64_t seed = 0; seed < 400; ++seed)
                ratio.push_back(
                    std::exp(run(s2, seed, 50, 5, {population::Resampling::systematic, threshold}).log_ratio() -
                             NoisyGaussian{}.exact_log_ratio()));
            EXPECT_LT(std::abs(MeanError(ratio).z(1)), 5) << s2 << " " << threshold;
        }
}

/// The wrong twin: the present state's likelihood is estimated afresh before it is compared with a proposal's.
class Reestimating final : public kernel::RandomWalk {
  public:
    Reestimating(const Path& path, Index moves, const Matrix& factor)
        : RandomWalk(constant(path, moves, factor)), path_(path) {}
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<Reestimating>(*this); }
    Index move(Block& block, double b, const model::BlockStreams& streams,
               std::span<double> derivative) const override {
        auto fresh = streams;
        fresh.step += 1000000;
        auto& points = path::points_of(block);
        path_->evaluate(points, points.points, 1, points.log_prior, points.log_likelihood, fresh);
        return RandomWalk::move(block, b, streams, derivative);
    }

  private:
    Path path_;
};

TEST(EstimatedLikelihood, EstimatingThePresentStateAfreshIsFoundOut) {
    std::vector<double> ratio;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto path = path_of(NoisyGaussian{2});
        Smc sampler(alone, path, path::linear_schedule(5, 1), Reestimating(path, 2, Matrix::Constant(1, 1, 1.5)),
                    {50, 16, seed}, {population::Resampling::systematic, 0.7});
        complete(sampler);
        ratio.push_back(std::exp(sampler.log_ratio() - NoisyGaussian{}.exact_log_ratio()));
    }
    EXPECT_LT(MeanError(ratio).z(1), -5);
}

TEST(EstimatedLikelihood, AnEstimateStaysUntilAProposalIsAccepted) {
    const auto path = path_of(NoisyGaussian{2});
    model::DensityBlock block(1, 16);
    path->draw_start(block, {1, 0, 0, 0, 0});
    const Vector before = block.log_likelihood;
    const Matrix points = block.points;
    const auto kernel = kernel::RandomWalk::constant(path, 1, Matrix::Constant(1, 1, 1.5));
    std::vector<double> u(16);
    const Index accepted = kernel.move(block, 1, {1, 1, 0, 0, 0}, u);
    Index changed = 0;
    for (Index i = 0; i < 16; ++i) {
        EXPECT_EQ(block.points(0, i) != points(0, i), block.log_likelihood(i) != before(i));
        changed += block.log_likelihood(i) != before(i) ? 1 : 0;
    }
    EXPECT_EQ(changed, accepted);
    EXPECT_TRUE(accepted > 0 && accepted < 16);
}

// The three evidences of one run agree with the exact one, and their errors are right: 300 replicates, whose spread is
// known to 4 %. Errors by families are conservative by design.
TEST(PowerPosterior, EvidencesAgreeAndTheirErrorsHold) {
    std::vector<std::vector<double>> values(3);
    std::vector<double> claimed(3, 0.0);
    constexpr int replicates = 300;
    for (std::uint64_t seed = 0; seed < replicates; ++seed) {
        const auto all = run(0.5, seed, 400, 8, {population::Resampling::multinomial, 0.8}, 4, 3).outcome().log_ratio;
        ASSERT_EQ(all.size(), 3u);
        EXPECT_EQ(all[1].estimator, "power-posterior");
        EXPECT_EQ(all[2].estimator, "power-posterior-corrected");
        for (std::size_t k = 0; k < 3; ++k) {
            values[k].push_back(all[k].value);
            claimed[k] += std::pow(all[k].standard_error.value(), 2) / replicates;
        }
    }
    const double exact = NoisyGaussian{0.5, 3}.exact_log_ratio();
    EXPECT_LT(std::abs(MeanError(values[2]).z(exact)), 5);
    // the plain trapezoid is off by its curvature: the wrong twin of the corrected one
    EXPECT_GT(std::abs(MeanError(values[1]).mean - exact), 5 * MeanError(values[1]).error);
    for (std::size_t k = 1; k < 3; ++k) {
        const double ratio = claimed[k] / (replicates * std::pow(MeanError(values[k]).error, 2));
        EXPECT_GT(ratio, 0.8) << k;
        EXPECT_LT(ratio, 1.6) << k;
    }
}

TEST(PowerPosterior, ReplicatesAverageIt) {
    auto sampler = piloted_smc(alone, BetaBernoulli{}, 200, 8, 3);
    complete(sampler);
    const auto found = sampler.found();
    double mean = 0;
    for (auto* replicate : found.replicates)
        mean += estimate_of(replicate->outcome(), "power-posterior").value / 8;
    const auto outcome = sampler.outcome();
    EXPECT_NEAR(estimate_of(outcome, "power-posterior").value, mean, 1e-12);
    EXPECT_EQ(estimate_of(outcome, "power-posterior").error_method, "batches");
}

/// Catches an integral along a restricted start that leaves out the share of the start, and an interval of the
/// trapezoid rule, which no error bar of particles covers.
TEST(PowerPosterior, ContainsTheShareOfARestrictedStart) {
    auto sampler = smc_of(alone, path_of(Truncated{}), path::linear_schedule(10, 1), 3, {200, 16, 4});
    complete(sampler);
    const auto outcome = sampler.outcome();
    EXPECT_NEAR(estimate_of(outcome, "power-posterior-corrected").value, estimate_of(outcome, "product").value, 0.02);
    EXPECT_TRUE(estimate_of(outcome, "power-posterior").hides_error);
    EXPECT_FALSE(estimate_of(outcome, "power-posterior-corrected").hides_error);
    EXPECT_TRUE(outcome.warnings.empty());
}

TEST(LikelihoodNoise, IsMeasuredAndSplit) {
    const auto sampler = run(2, 1, 512, 10, {population::Resampling::systematic, 0.7});
    const auto outcome = sampler.outcome();
    const auto value = [&](const std::string& name) {
        for (const auto& d : outcome.diagnostics)
            if (d.name == name)
                return d.value;
        return std::nan("");
    };
    EXPECT_NEAR(value("likelihood_log_variance"), 2, 0.25); // 512 variances of four draws, weighted
    EXPECT_NEAR(value("schedule_tau"), 0.1, 1e-12);
    EXPECT_NEAR(value("ess_factor_of_estimating"), std::exp(-0.1 * value("likelihood_log_variance")), 1e-12);
    const double whole = outcome.log_ratio.front().standard_error.value();
    EXPECT_NEAR(std::hypot(value("annealing_standard_error"), value("likelihood_standard_error")), whole, 1e-12);
}

// At a variance of 10 of the log likelihood estimate the ESS of the weights exceeds 50 but means nothing. At a variance
// of 2 the verdict may use it.
TEST(LikelihoodNoise, KeepsTheEssOfTheWeightsOutOfTheVerdict) {
    const auto noisy = run(10, 1, 512, 10, {population::Resampling::systematic, 0.7}).outcome();
    EXPECT_THAT(noisy.warnings,
                ::testing::Contains(::testing::HasSubstr("the log of the likelihood's estimate has var")));
    EXPECT_EQ(noisy.ess, 0);
    EXPECT_EQ(noisy.diagnostics.back().name, "ess_of_weights");
    EXPECT_GT(noisy.diagnostics.back().value, 50);
    const auto precise = run(2, 1, 512, 10, {population::Resampling::systematic, 0.7}).outcome();
    EXPECT_THAT(precise.warnings, ::testing::Not(::testing::Contains(::testing::HasSubstr("has variance"))));
    EXPECT_GT(precise.ess, 50);
}

/// A first mixture that is far too wide.
random::StudentMixture wide_mixture() {
    return random::StudentMixture({{1, Vector::Zero(1), Matrix::Constant(1, 1, 4.0)}}, 5);
}

ImportanceSquared importance_run(double s2, random::Seed seed, Index particles, Index rounds) {
    ImportanceSquared sampler(alone, path_of(NoisyGaussian{s2}), wide_mixture(), {particles, 16, seed},
                              {particles, rounds});
    complete(sampler);
    return sampler;
}

TEST(ImportanceSquared, ZIsUnbiased) {
    std::vector<double> ratio;
    for (std::uint64_t seed = 0; seed < 400; ++seed)
        ratio.push_back(std::exp(importance_run(0.5, seed, 100, 2).log_ratio() - NoisyGaussian{}.exact_log_ratio()));
    EXPECT_LT(std::abs(MeanError(ratio).z(1)), 5);
}

// Exact posterior N(1/2, 1/2). Noise costs exp(-sigma^2) of the ESS (Tran et al., section 3.3): exp(-1) here.
TEST(ImportanceSquared, AdaptsToThePosteriorAndLosesWhatNoiseCosts) {
    const auto exact = importance_run(0, 1, 8192, 6);
    EXPECT_NEAR(exact.mixture().components()[0].mean(0), 0.5, 0.05);
    EXPECT_GT(exact.outcome().ess / 8192, 0.95);
    EXPECT_LT(importance_run(0, 1, 8192, 0).outcome().ess / 8192, 0.5); // without adaptation
    const double factor = importance_run(1, 1, 8192, 6).outcome().ess / exact.outcome().ess;
    EXPECT_NEAR(factor, std::exp(-1), 0.04);
}

PseudoMarginal chains_of(double s2, Index chains, Index iterations) {
    PseudoMarginal sampler(alone, path_of(NoisyGaussian{s2}), Matrix::Zero(1, chains), Matrix::Constant(1, 1, 0.1),
                           {chains, 2, 5}, {iterations, iterations / 5, 2});
    complete(sampler);
    return sampler;
}

TEST(PseudoMarginal, HasTheExactPosteriorWhateverTheNoise) {
    for (const double s2 : {0.0, 1.0}) {
        const auto sampler = chains_of(s2, 4, 20000);
        const auto summary = estimator::summarise_chains(alone, {"x"}, sampler.draws()).front();
        EXPECT_EQ(sampler.draws().front().rows(), 8000);
        EXPECT_LT(std::abs(summary.posterior.mean - 0.5), 5 * summary.posterior.mcse) << s2;
        EXPECT_NEAR(summary.posterior.sd, std::sqrt(0.5), 0.04) << s2;
        EXPECT_LT(summary.r_hat, 1.02) << s2;
    }
}

// Where steps are small, only the noise rejects: 2 Phi(-sigma/sqrt 2) of the proposals are accepted.
TEST(PseudoMarginal, AcceptsWhatTheNoiseLets) {
    for (const auto& [s2, rate] : {std::pair{1.0, 0.4795}, {3.0, 0.2207}}) {
        PseudoMarginal sampler(alone, path_of(NoisyGaussian{s2}), Matrix::Zero(1, 8), Matrix::Constant(1, 1, 0.01),
                               {8, 8, 5}, {10000, 0, 1});
        complete(sampler);
        const auto acceptance = sampler.chain_outcome().acceptance;
        EXPECT_NEAR(std::accumulate(acceptance.begin(), acceptance.end(), 0.0) / 8, rate, 0.02) << s2;
    }
}

} // namespace
} // namespace pearlite::algorithm
