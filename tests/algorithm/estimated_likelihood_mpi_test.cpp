// Samplers of estimated likelihoods on several ranks give the bits of one rank, also after a store and a restore:
// estimates depend on particles and their addresses, not on ranks.
#include "algorithm/importance_squared/importance_squared.hpp"
#include "algorithm/pseudo_marginal/pseudo_marginal.hpp"
#include "algorithm/same_everywhere.hpp"
#include "models/gaussian/noisy_likelihood.hpp"

namespace pearlite::algorithm {
namespace {

using namespace testing;
using models::NoisyLikelihood;

NoisyLikelihood noisy() {
    return NoisyLikelihood({.data = (Vector(2) << 0.5, -1).finished(), .noise_variance = 1.5});
}

TEST(EstimatedLikelihoodMpi, Smc) {
    for (const Index block : {4, 64})
        expect_same_everywhere(
            [=](const Communicator& ranks) {
                return smc_of(ranks, path_of(noisy()), path::AdaptiveSchedule{1, 0.8}, 2, {115, block, 6},
                              {population::Resampling::systematic, 0.9});
            },
            2);
}

TEST(EstimatedLikelihoodMpi, Replicates) {
    expect_same_everywhere([](const Communicator& ranks) { return piloted_smc(ranks, noisy(), 115, 3, 7); }, 3);
}

TEST(EstimatedLikelihoodMpi, ImportanceSquared) {
    for (const Index block : {4, 64})
        expect_same_everywhere(
            [=](const Communicator& ranks) {
                const random::StudentMixture first(
                    {{1, Vector::Zero(2), 2 * Matrix::Identity(2, 2)}, {1, Vector::Ones(2), Matrix::Identity(2, 2)}},
                    5);
                return ImportanceSquared(ranks, path_of(noisy()), first, {1900, block, 8}, {700, 2, 0.1});
            },
            3, false); // in the second half of the second round
}

/// Draws about two places, in place of a pilot's particles.
FirstDraws two_places() {
    FirstDraws draws{Matrix(2, 200), std::vector<double>(200, 0.0), std::vector<double>(200, -2.0),
                     std::vector<double>(200, -3.0), 50};
    for (Index i = 0; i < 200; ++i)
        draws.points.col(i) << (i % 5 == 0 ? -9 : 0) + 0.01 * static_cast<double>(i % 19),
            0.01 * static_cast<double>(i % 17);
    return draws;
}

TEST(EstimatedLikelihoodMpi, ImportanceSquaredBesideAPilot) {
    const auto pilot = std::make_shared<const PilotView>(two_places());
    expect_same_everywhere(
        [=](const Communicator& ranks) {
            return ImportanceSquared(ranks, path_of(noisy()), two_places().mixture(3, 5), {1900, 4, 8}, {700, 2, 0.1},
                                     pilot);
        },
        3, false);
}

TEST(EstimatedLikelihoodMpi, ChainsAreComparedWithThePilot) {
    const auto peaks = std::make_shared<const Peaks>(two_places());
    ASSERT_EQ(peaks->size(), 2);
    const auto shares_on = [&](const Communicator& ranks) {
        PseudoMarginal chains(ranks, path_of(noisy()), Matrix::Zero(2, 9), 0.5 * Matrix::Identity(2, 2), {9, 1, 9},
                              {600, 300, 3}, peaks);
        complete(chains);
        std::vector<double> numbers;
        for (const auto& peak : chains.peaks_of_chains())
            numbers.insert(numbers.end(), {peak.share, peak.pilot_share, static_cast<double>(peak.visitors)});
        return numbers;
    };
    const auto numbers = shares_on(Communicator::world());
    EXPECT_EQ(numbers, shares_on(Communicator::alone()));
    EXPECT_EQ(numbers[2], 9);
}

TEST(EstimatedLikelihoodMpi, PseudoMarginalChains) {
    for (const Index block : {1, 4})
        expect_same_everywhere(
            [=](const Communicator& ranks) {
                return PseudoMarginal(ranks, path_of(noisy()), Matrix::Zero(2, 9), 0.5 * Matrix::Identity(2, 2),
                                      {9, block, 9}, {600, 300, 3});
            },
            250);
}

/// Returns NaN for one particle, at a given step.
struct Broken {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    void estimate(const Matrix&, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            const bool fails = streams.step == 5 && streams.first_slot + static_cast<Index>(i) == 7;
            log_prior[i] = 0;
            log_likelihood[i] = fails ? std::nan("") : -1;
        }
    }
};

TEST(EstimatedLikelihoodMpi, AFailureOfOneRankIsOneOfAll) {
    const auto world = Communicator::world();
    const auto smc = failure_of([&] {
        return smc_of(world, path_of(Broken{}), path::linear_schedule(20, 1), 1, {9, 1, 1});
    });
    EXPECT_NE(smc.find("at step 5, particle 7"), std::string::npos) << smc;
    const auto chains = failure_of([&] {
        return PseudoMarginal(world, path_of(Broken{}), Matrix::Zero(1, 9), Matrix::Identity(1, 1), {9, 1, 1},
                              {1000, 100, 1});
    });
    EXPECT_NE(chains.find("at step 5, particle 7"), std::string::npos) << chains;
}

} // namespace
} // namespace pearlite::algorithm
