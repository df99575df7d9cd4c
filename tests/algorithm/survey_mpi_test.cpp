// Surveys on several ranks give the bits of one rank, also after a store and a restore in each of their parts.
#include "algorithm/same_everywhere.hpp"
#include "algorithm/survey_models.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using Holds = SurveySettings::Holds;

const path::Relaxation relaxation = [](double b) { return 0.5 + 5 * b; };

TEST(SurveyMpi, IsTheSameEverywhere) {
    for (const auto holds : {Holds::none, Holds::tau, Holds::mean})
        for (const Index block : {4, 64})          // of the last, fewer than ranks
            for (const int stop : {3, 14, 20, 60}) // in the first pass, at its end, in a hold or in none
                expect_same_everywhere(
                    [=](const Communicator& ranks) {
                        return survey_of(ranks, RelaxingGaussian(relaxation, 2),
                                         {.steps = 60,
                                          .trajectories = 30,
                                          .block = block,
                                          .seed = 3,
                                          .holds = holds,
                                          .knots = 5,
                                          .hold_sweeps = 40});
                    },
                    stop);
}

} // namespace
} // namespace pearlite::algorithm
