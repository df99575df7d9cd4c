#include "kernel/density/random_walk.hpp"

#include "kernel/densities.hpp"
#include "pearlite/core/error.hpp"
#include "population/weights.hpp"
#include "random/statistics.hpp"

#include <gtest/gtest.h>

namespace pearlite::kernel {
namespace {

using namespace testing;
using path::points_of;
using random::testing::rejection_level;

constexpr Index n_points = 20000;

model::BlockStreams streams_at(Index first_slot, std::uint32_t step = 1) {
    return {.seed = 17, .step = step, .generation = 0, .first_slot = first_slot, .block = first_slot / 16};
}

/// A kernel of so many moves with steps of the given standard deviation at every temperature.
RandomWalk fixed(const RandomWalk::Path& path, Index moves, double step) {
    return RandomWalk::constant(path, moves, Matrix::Constant(1, 1, step));
}

/// p-value of the hypothesis that exact draws from p_b, moved by the kernel on D, still follow p_b of Exact.
template <class Exact, class D = Exact>
double invariance_p_value(double b, Index moves, double step) {
    const D density;
    const auto path = path::tempered(density);
    const auto kernel = fixed(path, moves, step);
    std::vector<double> sample, derivative(1000);
    Index accepted = 0;
    for (Index first = 0; first < n_points; first += 1000) {
        model::DensityBlock block(1, 1000);
        for (Index i = 0; i < 1000; ++i) {
            random::Stream stream({23, random::Purpose::test, static_cast<std::uint64_t>(first + i), 0});
            block.points(0, i) = Exact::draw(stream, b);
        }
        path->evaluate(block, block.points, 1, block.log_prior, block.log_likelihood, streams_at(first, 0));
        accepted += kernel.move(block, b, streams_at(first), derivative);
        for (Index i = 0; i < 1000; ++i) {
            sample.push_back(block.points(0, i));
            const double x = block.points(0, i);
            EXPECT_EQ(block.log_likelihood(i), density.log_likelihood({&x, 1}));
            EXPECT_EQ(derivative[static_cast<std::size_t>(i)], block.log_likelihood(i));
        }
    }
    const double rate = static_cast<double>(accepted) / static_cast<double>(n_points * moves);
    EXPECT_TRUE(rate > 0.1 && rate < 0.9) << rate;
    return random::testing::kolmogorov_p_value(sample, [&](double x) { return Exact::distribution(x, b); });
}

// Twelve Kolmogorov tests at a level of 1e-6 each.
TEST(RandomWalk, LeavesTheTemperedDistributionInvariant) {
    for (const double b : {0.0, 0.3, 1.0})
        for (const Index moves : {1, 6}) {
            EXPECT_GT(invariance_p_value<Normal>(b, moves, 2.5), rejection_level) << b;
            EXPECT_GT(invariance_p_value<Skewed>(b, moves, 1.5), rejection_level) << b;
        }
}

TEST(RandomWalk, WrongTwinsAreRejected) {
    EXPECT_LT((invariance_p_value<Normal, WithoutPriorRatio<Normal>>(0.3, 6, 2.5)), rejection_level);
    EXPECT_LT((invariance_p_value<Skewed, WithoutPriorRatio<Skewed>>(0.3, 6, 1.5)), rejection_level);
    EXPECT_LT((invariance_p_value<Normal, WithTemperedPrior<Normal>>(0.3, 6, 2.5)), rejection_level);
    EXPECT_LT((invariance_p_value<Skewed, WithTemperedPrior<Skewed>>(1.0, 6, 1.5)), rejection_level);
}

/// A generation of draws from the prior.
population::Generation started(const RandomWalk::Path& path, Index size) {
    population::Generation generation(parallel::BlockLayout(size, 16, 1, 0), 0,
                                      [&](Index n) { return path->make_block(n); });
    for (Index b = 0; b < generation.local_blocks(); ++b)
        path->draw_start(generation.block(b), streams_at(16 * b, 0));
    return generation;
}

TEST(RandomWalk, OnlineScalesComeFromTheWeightedPopulation) {
    const auto path = path::tempered(Correlated{});
    auto generation = started(path, 200);
    for (std::size_t i = 0; i < 200; ++i)
        generation.log_weights()[i] = 0.01 * static_cast<double>(i);
    RandomWalk kernel(path, 2);
    EXPECT_TRUE(kernel.adapts());
    const auto alone = parallel::Communicator::alone();
    kernel.adapt(alone, generation, 1);

    Matrix points(3, 200);
    for (Index b = 0; b < generation.local_blocks(); ++b)
        points.middleCols(16 * b, generation.block(b).size()) =
            points_of(generation.block(b)).points.leftCols(generation.block(b).size());
    const auto moments = population::weighted_moments(alone, generation.layout(), generation.log_weights(), 0, points);
    const double ess = population::summarise(alone, generation.layout(), generation.log_weights()).ess;
    const Matrix expected = 2.38 * 2.38 / 3 * shrunk_covariance(moments.covariance, ess);
    // A row: moves, scale, mean, factor.
    const auto factor_of = [](const Matrix& table, Index step) {
        return Matrix(table(step, 1) * table.row(step).tail(9).reshaped(3, 3));
    };
    const Matrix first = factor_of(kernel.learnt(), 1);
    EXPECT_TRUE((first * first.transpose()).isApprox(expected, 1e-12));

    // A population that has collapsed into one point keeps the last scale; the table has one row a step.
    for (Index b = 0; b < generation.local_blocks(); ++b)
        points_of(generation.block(b)).points.setOnes();
    kernel.adapt(alone, generation, 2);
    kernel.adapt(alone, generation, 3);
    EXPECT_EQ(kernel.learnt().rows(), 4);
    EXPECT_EQ(kernel.learnt().cols(), 2 + 3 + 9);
    EXPECT_EQ(factor_of(kernel.learnt(), 3), first);
    EXPECT_EQ(factor_of(kernel.learnt(), 0), Matrix(Matrix::Zero(3, 3)));
}

TEST(RandomWalk, GivenFactorsMakeTheSameMoves) {
    const auto path = path::tempered(Correlated{});
    auto first = started(path, 40), second = started(path, 40);
    RandomWalk online(path, 3);
    const auto alone = parallel::Communicator::alone();
    online.adapt(alone, first, 1);
    online.adapt(alone, first, 2);
    RandomWalk given(path, 3, online.learnt());
    EXPECT_FALSE(given.adapts());
    EXPECT_EQ(given.learnt(), online.learnt());
    given.adapt(alone, second, 2);
    std::vector<double> derivative(16);
    for (Index b = 0; b < first.local_blocks(); ++b) {
        const auto n = static_cast<std::size_t>(first.block(b).size());
        const Index a = online.move(first.block(b), 0.5, streams_at(16 * b), std::span(derivative).first(n));
        EXPECT_EQ(a, given.move(second.block(b), 0.5, streams_at(16 * b), std::span(derivative).first(n)));
        EXPECT_EQ(points_of(first.block(b)).points, points_of(second.block(b)).points);
    }
    EXPECT_THROW(given.adapt(alone, second, 3), ContractViolation);             // a step that the table does not have
    EXPECT_THROW((RandomWalk(path, 3, Matrix::Zero(4, 9))), ContractViolation); // neither full nor diagonal
    EXPECT_THROW((RandomWalk(path, 0)), ContractViolation);
}

TEST(RandomWalk, AcceptedMovesAreCounted) {
    const auto path = path::tempered(Normal{});
    for (const double step : {1e-9, 1.0, 1e9}) {
        const auto kernel = fixed(path, 1, step);
        auto generation = started(path, 16);
        auto& block = points_of(generation.block(0));
        const Matrix before = block.points;
        std::vector<double> derivative(16);
        const Index accepted = kernel.move(block, 1, streams_at(0), derivative);
        EXPECT_EQ(accepted, (block.points.leftCols(16).array() != before.leftCols(16).array()).count());
        if (step != 1) {
            EXPECT_EQ(accepted, step < 1 ? 16 : 0);
        }
    }
}

// Steps so short that all are accepted: the displacement is the sum of the moves' normals, and move m of step k of a
// kernel with n moves has the address of step n k + m.
TEST(RandomWalk, EveryMoveOfEveryStepHasItsOwnAddress) {
    const auto path = path::tempered(Normal{});
    const auto displacement = [&](Index moves, std::uint32_t step) {
        auto generation = started(path, 16);
        auto& block = points_of(generation.block(0));
        const Matrix before = block.points;
        std::vector<double> derivative(16);
        EXPECT_EQ(fixed(path, moves, 1e-7).move(block, 0.5, streams_at(0, step), derivative), 16 * moves);
        return Matrix((block.points - before).leftCols(16) * 1e7);
    };
    const Matrix first = displacement(1, 2), second = displacement(1, 3), third = displacement(1, 4);
    EXPECT_FALSE(first.isApprox(second, 0.1));
    EXPECT_TRUE(displacement(2, 1).isApprox(first + second, 1e-6));
    EXPECT_TRUE(displacement(2, 2).isApprox(third + displacement(1, 5), 1e-6));
}

/// A prior on (0, 1) whose likelihood is 0 below one half.
struct Half {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double> x) const { return x[0] > 0 && x[0] < 1 ? 0 : log_zero; }
    double log_likelihood(std::span<const double> x) const { return x[0] < 0.5 ? log_zero : 0; }
};

TEST(RandomWalk, MovesNeitherLeaveTheSupportNorStickOutsideIt) {
    const auto path = path::tempered(Half{});
    auto generation = started(path, 320);
    const auto kernel = fixed(path, 200, 0.3);
    std::vector<double> derivative(16);
    Index outside = 0;
    for (Index b = 0; b < generation.local_blocks(); ++b) {
        auto& block = points_of(generation.block(b));
        for (Index i = 0; i < 16; ++i)
            outside += block.points(0, i) < 0.5;
        kernel.move(block, 0.1, streams_at(16 * b), derivative);
        EXPECT_TRUE((block.points.leftCols(16).array() >= 0.5).all() && (block.points.array() < 1).all());
    }
    EXPECT_GT(outside, 100);
    // At b = 0 the likelihood does not matter.
    Index below = 0;
    for (Index b = 0; b < generation.local_blocks(); ++b) {
        kernel.move(generation.block(b), 0, streams_at(16 * b, 2), derivative);
        for (Index i = 0; i < 16; ++i)
            below += points_of(generation.block(b)).points(0, i) < 0.5;
    }
    EXPECT_NEAR(static_cast<double>(below), 160, 45); // 5 standard deviations
}

} // namespace
} // namespace pearlite::kernel
