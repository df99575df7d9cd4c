// Runs along a bridge on several ranks give the bits of one rank, also after a store and a restore in the leg from the
// prior, in the pilot or in the main run.
#include "algorithm/bridge_runs.hpp"
#include "algorithm/same_everywhere.hpp"
#include "models/gaussian/noisy_likelihood.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using parallel::Communicator;
using path::testing::KnownRegression;
using Fit = BridgeSettings::Fit;
using Reference = BridgeSettings::Reference;

TEST(BridgedMpi, FitsByTheModes) {
    for (const auto fit : {Fit::laplace, Fit::pathfinder})
        for (const bool prior_leg : {false, true})
            for (const int steps : {2, 30})
                expect_same_everywhere(
                    [=](const Communicator& ranks) {
                        auto settings = bridge(fit, Reference::mixture, prior_leg);
                        settings.starts = 3;
                        settings.fit_particles = 320;
                        return bridged_smc(ranks, KnownRegression(2), settings, 50, 3, 5);
                    },
                    steps);
}

// A likelihood that is cut off at its mode has no fit there.
TEST(BridgedMpi, GivesWayFromAutomaticFits) {
    for (const auto& [may_stay, has_prior] : {std::pair(false, true), std::pair(true, true), std::pair(false, false)})
        for (const int steps : {0, 2, 12})
            expect_same_everywhere(
                [may_stay = may_stay, has_prior = has_prior](const Communicator& ranks) {
                    auto settings = bridge(Fit::automatic, Reference::student, false);
                    settings.may_stay = may_stay;
                    settings.has_prior = has_prior;
                    settings.fit_particles = 320;
                    return bridged_smc(ranks, Truncated{}, settings, 50, 3, 5);
                },
                steps);
}

TEST(BridgedMpi, FitsByPopulations) {
    const models::NoisyLikelihood density({.data = Vector::Constant(2, 1.5), .data_sd = 0.4});
    for (const int steps : {0, 2, 12, 20})
        expect_same_everywhere(
            [=](const Communicator& ranks) {
                auto settings = bridge(Fit::smc, Reference::student, false);
                settings.fit_particles = 320;
                return bridged_smc(ranks, density, settings, 50, 3, 5);
            },
            steps);
}

} // namespace
} // namespace pearlite::algorithm
