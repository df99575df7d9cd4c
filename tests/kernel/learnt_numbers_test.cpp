// Numbers that kernels of densities learn beside shape and scale: fitted mixtures, and the scales of a mixture's parts.
#include "kernel/density/kernel_mixture.hpp"
#include "kernel/density/random_walk.hpp"
#include "kernel/density/slice.hpp"
#include "kernel/density/student_proposals.hpp"
#include "kernel/invariance_checks.hpp"
#include "kernel/trajectory/hamiltonian.hpp"
#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

namespace pearlite::kernel {
namespace {

using parallel::Communicator;
using path::points_of;
using testing::Quartic;

/// Two narrow modes at (-5, 0) and (5, 0), the left one with a weight of 0.3.
struct TwoModes {
    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        x[0] = (stream.bernoulli(0.3) ? -5 : 5) + 0.5 * stream.normal();
        x[1] = stream.normal();
    }
    double log_prior(std::span<const double> x) const {
        const double left = std::log(0.3) - 2 * (x[0] + 5) * (x[0] + 5);
        const double right = std::log(0.7) - 2 * (x[0] - 5) * (x[0] - 5);
        return std::max(left, right) + std::log1p(std::exp(-std::abs(left - right))) - 0.5 * x[1] * x[1];
    }
    double log_likelihood(std::span<const double>) const { return 0; }
};

population::Generation started(const DensityKernel::Path& path, Index size) {
    population::Generation generation(parallel::BlockLayout(size, 16, 1, 0), 0,
                                      [&](Index n) { return path->make_block(n); });
    for (Index b = 0; b < generation.local_blocks(); ++b)
        path->draw_start(generation.block(b), {.seed = 5, .first_slot = 16 * b, .block = b});
    return generation;
}

/// The share of accepted proposals in a round of all blocks at b.
double moved(const Kernel& kernel, population::Generation& generation, double b, std::uint32_t step) {
    std::vector<double> derivative(16);
    Index accepted = 0;
    for (Index k = 0; k < generation.local_blocks(); ++k)
        accepted += kernel.move(generation.block(k), b, {.seed = 7, .step = step, .first_slot = 16 * k, .block = k},
                                derivative);
    return static_cast<double>(accepted) / static_cast<double>(generation.size());
}

TEST(StudentProposals, FindTheModesOfThePopulation) {
    const auto path = path::tempered(TwoModes{});
    auto generation = started(path, 800);
    StudentProposals kernel(path, {.number = 1}, nullptr, {.components = 2, .degrees_of_freedom = 5});
    EXPECT_TRUE(kernel.adapts());
    EXPECT_THROW(moved(kernel, generation, 0.5, 1), ContractViolation); // nothing is fitted
    kernel.adapt(Communicator::alone(), generation, 1);
    Matrix before(2, 800);
    for (Index b = 0; b < 50; ++b)
        before.middleCols(16 * b, 16) = points_of(generation.block(b)).points.leftCols(16);
    EXPECT_GT(moved(kernel, generation, 0.5, 1), 0.7);
    Index changes = 0;
    for (Index b = 0; b < 50; ++b)
        changes +=
            (points_of(generation.block(b)).points.row(0).head(16).array() * before.row(0).segment(16 * b, 16).array() <
             0)
                .count();
    EXPECT_GT(changes, 800 * 0.25); // 0.42 of independent draws

    // Five particles for each dimension and component: no more than one component here, padded by zeros.
    StudentProposals of_few(path, {.number = 1}, nullptr, {.components = 2, .degrees_of_freedom = 5});
    of_few.adapt(Communicator::alone(), started(path, 29), 1);
    const Matrix rows = of_few.learnt();
    EXPECT_EQ(rows.cols(), 2 + 6 + 1 + 2 * 7);
    EXPECT_EQ(rows(1, 8), 5);
    EXPECT_EQ(rows(1, 9), 1);
    EXPECT_EQ(rows.row(1).tail(7), Matrix::Zero(1, 7));
}

template <class Make>
void expect_same_moves(const Make& make) {
    const auto path = path::tempered(Quartic{});
    auto first = started(path, 160), second = started(path, 160);
    const auto online = make(path, nullptr);
    for (const Index step : {1, 2}) {
        online->adapt(Communicator::alone(), first, step);
        moved(*online, first, 0.5, static_cast<std::uint32_t>(step));
        online->tune({.mobility = 1, .acceptance = 0.9}, 0.25);
    }
    const Matrix rows = online->learnt();
    const auto given = make(path, &rows);
    EXPECT_FALSE(given->adapts());
    EXPECT_EQ(given->learnt(), rows);
    const auto copy = online->clone();
    auto third = started(path, 160), fourth = started(path, 160);
    given->adapt(Communicator::alone(), third, 2);
    moved(*given, third, 0.5, 3);
    moved(*copy, fourth, 0.5, 3);
    for (Index b = 0; b < third.local_blocks(); ++b)
        EXPECT_EQ(points_of(third.block(b)).points, points_of(fourth.block(b)).points);
    EXPECT_NE(points_of(third.block(0)).points, points_of(second.block(0)).points);
}

std::unique_ptr<KernelMixture> mixed(const DensityKernel::Path& path, const Matrix* rows) {
    const MoveSettings moves{.number = {}, .most = 20};
    std::vector<KernelMixture::Part> parts;
    parts.push_back({std::make_unique<RandomWalk>(path, moves), 1});
    parts.push_back({std::make_unique<Hamiltonian>(path, moves), 1});
    parts.push_back({std::make_unique<Slice>(path, moves), 1});
    parts.push_back({std::make_unique<StudentProposals>(path, moves), 1});
    return std::make_unique<KernelMixture>(path, moves, rows, Covariance::automatic, std::move(parts));
}

TEST(StudentProposals, LearntOnesMakeTheSameMoves) {
    expect_same_moves([](const auto& path, const Matrix* rows) {
        return std::make_unique<StudentProposals>(path, MoveSettings{.number = {}, .most = 20}, rows,
                                                  StudentProposals::Family{});
    });
}

TEST(KernelMixture, LearntOnesMakeTheSameMoves) {
    expect_same_moves(mixed);
}

TEST(KernelMixture, PartsTuneByTheirOwnAcceptance) {
    const auto path = path::tempered(Quartic{});
    auto generation = started(path, 1600);
    const auto kernel = mixed(path, nullptr);
    EXPECT_TRUE(kernel->tunes());
    for (Index step = 1; step <= 40; ++step) {
        kernel->adapt(Communicator::alone(), generation, step);
        moved(*kernel, generation, 0.5, static_cast<std::uint32_t>(step));
        kernel->tune({.mobility = 1, .acceptance = 0}, 0.25); // of all parts together: no part listens to it
    }
    // Each part has the wanted acceptance when it moves alone.
    const auto acceptance = [&](std::size_t k) {
        Index accepted = 0;
        for (Index b = 0; b < generation.local_blocks(); ++b) {
            auto& block = points_of(generation.block(b));
            kernel->part(k).begin_block(block, 0.5);
            accepted +=
                kernel->part(k).transition(block, 0.5, {.seed = 8, .step = 1, .first_slot = 16 * b, .block = b});
        }
        return static_cast<double>(accepted) / 1600;
    };
    EXPECT_NEAR(acceptance(0), 0.234 + 0.206 / 2, 0.06);
    EXPECT_NEAR(acceptance(1), 0.8, 0.06);
    EXPECT_NEAR(acceptance(2), 0.5, 0.06);
}

// Two random walks, one of which makes tiny steps.
TEST(KernelMixture, SharesAreThoseOfTheMoves) {
    const auto path = path::tempered(Quartic{});
    auto generation = started(path, 16);
    auto& block = points_of(generation.block(0));
    std::vector<KernelMixture::Part> parts;
    parts.push_back({std::make_unique<RandomWalk>(path, 1), 1});
    parts.push_back({std::make_unique<RandomWalk>(path, 1), 3});
    const std::vector<double> scales{1e-9, 1};
    const Matrix rows = testing::learnt_row<Quartic>(1, 1, scales);
    KernelMixture kernel(path, {.number = 1}, &rows, Covariance::full, std::move(parts));
    kernel.adapt(Communicator::alone(), generation, 1);
    Index tiny = 0;
    std::vector<double> derivative(16);
    for (std::uint32_t step = 0; step < 2000; ++step) {
        const Matrix before = block.points;
        kernel.move(block, 0.5, {.seed = 9, .step = step}, derivative);
        tiny += (block.points - before).cwiseAbs().maxCoeff() < 1e-6;
    }
    EXPECT_NEAR(static_cast<double>(tiny), 500, 5 * std::sqrt(2000 * 0.25 * 0.75));
    EXPECT_THROW((KernelMixture(path, {.number = 1}, nullptr, Covariance::full, {})), ContractViolation);
}

} // namespace
} // namespace pearlite::kernel
