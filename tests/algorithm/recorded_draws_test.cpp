// Draws of parallel tempering at the end of its path: all measured scans, within a bound of memory. z-scores over 200
// runs are compared with 5 (a false alarm once in 2e6).
#include "algorithm/alone.hpp"
#include "algorithm/common/recorded_draws.hpp"
#include "algorithm/parallel_tempering/parallel_tempering.hpp"

#include "algorithm/densities.hpp"
#include "estimator/plain/chains.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

/// x of mean 0.5 and variance 0.5: N(0, 1) with one observation 1 of variance 1.
struct OneMean {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const { return -x[0] * x[0] / 2 - std::log(2 * std::numbers::pi) / 2; }
    double log_likelihood(std::span<const double> x) const { return -(x[0] - 1) * (x[0] - 1) / 2; }
};

ParallelTempering run(const TemperingSettings& settings) {
    const auto path = path_of(OneMean{});
    ParallelTempering sampler(alone, path, path::linear_schedule(5, 1),
                              kernel::RandomWalk::constant(path, 1, Matrix::Constant(1, 1, 0.1)), settings);
    complete(sampler);
    return sampler;
}

/// The recorded draws, draws x chains.
Matrix draws_of(const RecordedDraws& recorded) {
    const auto path = path_of(OneMean{});
    const auto block = path->make_block(1);
    Matrix draws(recorded.draws_per_chain(), recorded.chains());
    for (Index c = 0; c < draws.cols(); ++c)
        for (Index i = 0; i < draws.rows(); ++i) {
            recorded.unpack(c, i, *block, 0);
            draws(i, c) = path::points_of(*block).points(0, 0);
        }
    return draws;
}

TEST(RecordedDraws, EveryMeasuredScanIsThere) {
    auto sampler = run({5, 30, 9, 1});
    const auto draws = draws_of(*sampler.found().draws);
    ASSERT_EQ(draws.rows(), 21);
    ASSERT_EQ(draws.cols(), 5);
    const auto& states = sampler.population().generation(0);
    for (Index c = 0; c < 5; ++c) // the last draw is the last state at b = 1
        EXPECT_EQ(draws(20, c), path::points_of(states.block(5)).points(0, c));
}

TEST(RecordedDraws, MemoryIsBounded) {
    const auto item = static_cast<Index>(path_of(OneMean{})->particle_bytes());
    const auto draws = [&](Index bytes) {
        return run({5, 120, 20, 1, false, {}, static_cast<std::size_t>(bytes)}).found().draws->draws_per_chain();
    };
    EXPECT_EQ(draws(5 * item * 100), 100);
    EXPECT_EQ(draws(5 * item * 99), 50); // every second
    EXPECT_EQ(draws(5 * item * 30), 25); // every fourth
    EXPECT_EQ(draws(1), 7);              // every 13th, for eight would be more than there are
    EXPECT_EQ(run({5, 20, 14, 1}).found().draws, nullptr);
}

TEST(RecordedDraws, ErrorsOfTheirMeansAreTrue) {
    std::vector<double> squares, twin;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto summary =
            estimator::summarise_chains({"x"}, {draws_of(*run({8, 250, 50, seed}).found().draws)}).front();
        const double z = (summary.posterior.mean - 0.5) / summary.posterior.mcse;
        squares.push_back(z * z);
        // the wrong twin takes every draw for an independent one
        twin.push_back(z * z * 1600 / summary.posterior.ess);
    }
    EXPECT_LT(std::fabs(MeanError(squares).z(1)), 5);
    EXPECT_GT(std::fabs(MeanError(twin).z(1)), 5);
}

} // namespace
} // namespace pearlite::algorithm
