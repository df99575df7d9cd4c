// Every kernel of densities leaves p_b invariant, and its wrong twins do not. A right kernel fails one of about 700
// expectations and 3000 flows of the reversal with probability 7 %; the seeds are fixed.
#include "kernel/density/draws.hpp"
#include "kernel/density/kernel_mixture.hpp"
#include "kernel/density/random_walk.hpp"
#include "kernel/density/slice.hpp"
#include "kernel/density/student_proposals.hpp"
#include "kernel/invariance_checks.hpp"
#include "kernel/trajectory/hamiltonian.hpp"
#include "kernel/trajectory/split_hamiltonian.hpp"
#include "support/decompositions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pearlite::kernel {
namespace {

using namespace testing;

/// Makes kernels of class K with these settings after the covariance.
template <class K, class... Settings>
Make maker(const Settings&... settings) {
    return [=](const DensityKernel::Path& path, const MoveSettings& moves, const Matrix& learnt) {
        return std::make_unique<K>(path, moves, &learnt, Covariance::full, settings...);
    };
}

constexpr Trajectory langevin{.acceptance = 0.574, .most_steps = 1};
constexpr Brackets hit_and_run{}, coordinate{.direction = Brackets::Direction::coordinate};
constexpr Brackets without_steps{.most_widths = 1}, of_two_widths{.most_widths = 2};

struct Case {
    std::string name;
    Make make;
    std::vector<double> scales;
    std::vector<double> extra = {};
};

std::vector<Case> kernels_with_scales() {
    return {{"random walk", maker<RandomWalk>(), {0.5, 1.5}},
            {"hmc", maker<SplitHamiltonian>(Trajectory{}), {0.3, 0.9, 1.5}},
            {"hmc by leapfrogs", maker<Hamiltonian>(Trajectory{}), {0.3, 0.9}},
            {"mala", maker<Hamiltonian>(langevin), {0.4, 1.0}},
            {"slice", maker<Slice>(hit_and_run), {0.3, 3, 20}},
            {"slice by coordinate", maker<Slice>(coordinate), {0.3, 3, 20}},
            {"slice without stepping out", maker<Slice>(without_steps), {1, 4}},
            {"slice of two widths", maker<Slice>(of_two_widths), {1, 3}}};
}

constexpr StudentProposals::Family family{.components = 3, .degrees_of_freedom = 5};

/// Two components beside the target's mean, of other shapes than the target's; none in the third place.
template <class Target>
std::vector<double> mixture_numbers() {
    const Matrix covariance = Target::covariance();
    const Vector shift = 0.5 * covariance.diagonal().cwiseSqrt();
    const Matrix factor = decompositions::cholesky_factor(covariance),
                 diagonal = covariance.diagonal().cwiseSqrt().asDiagonal();
    const random::StudentMixture mixture(
        {{0.4, Target::mean() + shift, factor}, {0.6, Target::mean() - shift, diagonal}}, 5);
    return StudentProposals::numbers_of(mixture, family);
}

template <class K>
Make student_maker() {
    return [](const DensityKernel::Path& path, const MoveSettings& moves, const Matrix& learnt) {
        return std::make_unique<K>(path, moves, &learnt, family);
    };
}

/// A random walk, HMC, a slice sampler and a Student mixture, whose scales are those of `mixed_numbers`.
std::unique_ptr<Kernel> mixed(const DensityKernel::Path& path, const MoveSettings& moves, const Matrix* learnt) {
    std::vector<KernelMixture::Part> parts;
    parts.push_back({std::make_unique<RandomWalk>(path, moves), 2});
    parts.push_back({std::make_unique<SplitHamiltonian>(path, moves), 1});
    parts.push_back({std::make_unique<Slice>(path, moves), 0.5});
    parts.push_back({std::make_unique<StudentProposals>(path, moves, nullptr, family), 1});
    return std::make_unique<KernelMixture>(path, moves, learnt, Covariance::full, std::move(parts));
}

template <class Target>
std::vector<double> mixed_numbers() {
    std::vector<double> numbers{1.2, 0.6, 2.5, 1};
    const auto of_students = mixture_numbers<Target>();
    numbers.insert(numbers.end(), of_students.begin(), of_students.end());
    return numbers;
}

template <class Target>
std::vector<Case> right_kernels() {
    auto all = kernels_with_scales();
    all.push_back({"student mixture", student_maker<StudentProposals>(), {1}, mixture_numbers<Target>()});
    all.push_back({"mixture",
                   [](const DensityKernel::Path& path, const MoveSettings& moves, const Matrix& learnt) {
                       return mixed(path, moves, &learnt);
                   },
                   {1},
                   mixed_numbers<Target>()});
    return all;
}

template <class Target>
void expect_invariance() {
    for (const auto& each : right_kernels<Target>())
        for (const double scale : each.scales)
            for (const Index moves : {1, 5}) {
                const auto where = each.name + ", scale " + std::to_string(scale) + ", moves " + std::to_string(moves);
                const auto found = deviation<Target>(each.make, moves, scale, each.extra);
                EXPECT_LT(found.largest, largest_z) << where;
                EXPECT_LT(found.reversal, largest_reversal_z) << where;
                EXPECT_GT(found.acceptance, 0.04) << where;
                EXPECT_GT(found.jump, 0.01) << where;
            }
}

TEST(DensityKernels, LeaveAnEllipsoidInvariant) {
    expect_invariance<Ellipsoid>();
}

TEST(DensityKernels, LeaveAQuarticInvariant) {
    expect_invariance<Quartic>();
}

/// The larger |z| of a kernel that is wrong.
template <class Target>
double of_twin(const Make& make, Index moves, double scale, const std::vector<double>& extra = {}) {
    const auto found = deviation<Target>(make, moves, scale, extra);
    return std::max(found.largest, found.reversal);
}

/// Wrong: the slice is that above the density itself, without a random share of it.
class SliceWithoutLevel final : public Slice {
  public:
    using Slice::Slice;
    void open(Search& search, double log_density, double, double place, double division) const override {
        Slice::open(search, log_density, 1, place, division);
    }
};

/// Wrong: the first bracket begins at the point.
class SliceFromPoint final : public Slice {
  public:
    using Slice::Slice;
    void open(Search& search, double log_density, double level, double, double division) const override {
        Slice::open(search, log_density, level, 0, division);
    }
};

/// Wrong: only the lower end steps out.
class SliceWithoutDivision final : public Slice {
  public:
    using Slice::Slice;
    void open(Search& search, double log_density, double level, double place, double division) const override {
        Slice::open(search, log_density, level, place, division);
        search.below += search.above;
        search.above = 0;
    }
};

TEST(DensityKernels, WrongSlicesAreRejected) {
    EXPECT_GT(of_twin<Ellipsoid>(maker<SliceWithoutLevel>(hit_and_run), 3, 3), 2 * largest_z);
    EXPECT_GT(of_twin<Quartic>(maker<SliceWithoutLevel>(hit_and_run), 3, 3), 2 * largest_z);
    EXPECT_GT(of_twin<Ellipsoid>(maker<SliceFromPoint>(coordinate), 3, 1), 2 * largest_z);
    EXPECT_GT(of_twin<Quartic>(maker<SliceFromPoint>(coordinate), 3, 1), 2 * largest_z);
    EXPECT_GT(of_twin<Ellipsoid>(maker<SliceWithoutDivision>(coordinate), 3, 0.7), 2 * largest_z);
    EXPECT_GT(of_twin<Quartic>(maker<SliceWithoutDivision>(coordinate), 3, 0.7), 2 * largest_z);
}

/// Wrong: proposals count as symmetric.
class StudentWithoutRatio final : public StudentProposals {
  public:
    using StudentProposals::StudentProposals;
    void log_proposal(const model::DensityBlock& block, const Matrix&, Vector& out) const override {
        out = Vector::Zero(block.size());
    }
};

TEST(DensityKernels, StudentProposalsWithoutTheirRatioAreRejected) {
    const auto twin = student_maker<StudentWithoutRatio>();
    EXPECT_GT(of_twin<Ellipsoid>(twin, 3, 1, mixture_numbers<Ellipsoid>()), 2 * largest_z);
    EXPECT_GT(of_twin<Quartic>(twin, 3, 1, mixture_numbers<Quartic>()), 2 * largest_z);
}

/// Gives tests access to trajectories.
template <class K>
class Open : public K {
  public:
    using K::begin_trajectory;
    using K::follow_trajectory;
    using K::K;
};

/// Wrong: the acceptance leaves the kinetic energy out.
template <class K>
class WithoutKineticEnergy final : public K {
  public:
    using K::K;
    Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const override {
        draw_normals(block, streams);
        this->begin_trajectory(block);
        this->follow_trajectory(block, b, this->draw_length(streams));
        std::vector<double> uniforms(static_cast<std::size_t>(block.padded_size()));
        draw_uniforms(block, streams, uniforms);
        Index accepted = 0;
        for (Index i = 0; i < block.size(); ++i) {
            const double gain = block.proposed_log_prior(i) - block.log_prior(i) +
                                b * (block.proposed_log_likelihood(i) - block.log_likelihood(i));
            if (!(std::log(uniforms[static_cast<std::size_t>(i)]) < gain))
                continue;
            block.points.col(i) = block.proposals.col(i);
            block.log_prior(i) = block.proposed_log_prior(i);
            block.log_likelihood(i) = block.proposed_log_likelihood(i);
            ++accepted;
        }
        this->begin_block(block, b);
        return accepted;
    }
};

/// Wrong: points turn, velocities do not.
class WithoutTurnOfVelocities final : public SplitHamiltonian {
  public:
    using SplitHamiltonian::SplitHamiltonian;
    void follow_trajectory(model::DensityBlock& block, double b, Index l) const override {
        const Matrix before = block.normals;
        SplitHamiltonian::follow_trajectory(block, b, l);
        block.normals = before;
    }
};

TEST(DensityKernels, TrajectoriesWithoutKineticEnergyAreRejected) {
    EXPECT_GT(of_twin<Ellipsoid>(maker<WithoutKineticEnergy<Hamiltonian>>(Trajectory{}), 3, 0.3), 2 * largest_z);
    EXPECT_GT(of_twin<Quartic>(maker<WithoutKineticEnergy<Hamiltonian>>(Trajectory{}), 3, 0.3), 2 * largest_z);
    EXPECT_GT(of_twin<Ellipsoid>(maker<WithoutKineticEnergy<SplitHamiltonian>>(Trajectory{}), 3, 0.3), 2 * largest_z);
    EXPECT_GT(of_twin<Quartic>(maker<WithoutKineticEnergy<SplitHamiltonian>>(Trajectory{}), 3, 0.3), 2 * largest_z);
}

TEST(DensityKernels, RotationsThatDoNotTurnVelocitiesAreRejected) {
    EXPECT_GT(of_twin<Ellipsoid>(maker<WithoutTurnOfVelocities>(Trajectory{}), 3, 0.3), 2 * largest_z);
    EXPECT_GT(of_twin<Quartic>(maker<WithoutTurnOfVelocities>(Trajectory{}), 3, 0.3), 2 * largest_z);
}

/// Its gradients are those of another temperature.
struct QuarticWithOtherGradient : Quartic {
    void gradient(std::span<const double> x, double, std::span<double> out) const { Quartic::gradient(x, 0.2, out); }
};

TEST(DensityKernels, TrajectoriesOfAnotherGradientAreSlowButRight) {
    const auto right = deviation<Quartic>(maker<SplitHamiltonian>(Trajectory{}), 5, 0.3);
    const auto slow = deviation<QuarticWithOtherGradient>(maker<SplitHamiltonian>(Trajectory{}), 5, 0.3);
    EXPECT_LT(slow.largest, largest_z);
    EXPECT_LT(slow.reversal, largest_reversal_z);
    EXPECT_LT(slow.acceptance, right.acceptance - 0.02);
}

/// Its force, which trajectories follow, is the gradient rounded to quarters.
struct QuarticWithForce : Quartic {
    void force(const Matrix& points, double at, Eigen::Ref<Matrix> force) const {
        for (Index i = 0; i < points.cols(); ++i) {
            gradient({points.col(i).data(), 2}, at, {force.col(i).data(), 2});
            force.col(i) = (4 * force.col(i)).array().round() / 4;
        }
    }
};

TEST(DensityKernels, TrajectoriesOfARoundedGradientAreRight) {
    for (const auto& make : {maker<Hamiltonian>(Trajectory{}), maker<SplitHamiltonian>(Trajectory{})}) {
        const auto found = deviation<QuarticWithForce>(make, 5, 0.3);
        EXPECT_LT(found.largest, largest_z);
        EXPECT_LT(found.reversal, largest_reversal_z);
        EXPECT_GT(found.acceptance, 0.9);
    }
}

/// Wrong: the force with which a trajectory begins is not the one that it would end with there.
class WithAnotherForceAtFirst final : public Hamiltonian {
  public:
    using Hamiltonian::Hamiltonian;
    void begin_trajectory(model::DensityBlock& block) const override {
        Hamiltonian::begin_trajectory(block);
        scratch_.proposed_gradient.array() += 1;
    }
};

TEST(DensityKernels, TrajectoriesWithAnotherForceAtFirstAreRejected) {
    EXPECT_GT(of_twin<Quartic>(maker<WithAnotherForceAtFirst>(Trajectory{}), 3, 0.9), 2 * largest_z);
}

/// 16 exact draws with velocities, and a kernel with this step size at work on them.
template <class K>
struct Flight {
    explicit Flight(double step)
        : path(path::tempered(Quartic{})),
          learnt(learnt_row<Quartic>(1, step)),
          kernel(path, {.number = 1}, &learnt, Covariance::full, Trajectory{}),
          block(2, 16) {
        kernel.adapt(
            parallel::Communicator::alone(),
            population::Generation(parallel::BlockLayout(0, 16, 1, 0), 0, [&](Index n) { return path->make_block(n); }),
            1);
        for (Index i = 0; i < 16; ++i) {
            random::Stream stream({31, random::Purpose::test, static_cast<std::uint64_t>(i), 0});
            Quartic::draw(stream, {block.points.col(i).data(), 2});
        }
        path->evaluate(block, block.points, Quartic::b, block.log_prior, block.log_likelihood, {});
        kernel.begin_block(block, Quartic::b);
        draw_normals(block, {.seed = 3, .step = 1});
        kernel.begin_trajectory(block);
    }
    /// Changes of the energies on l steps.
    Vector fly(Index l) {
        const Vector before = block.normals.colwise().squaredNorm() / 2;
        kernel.follow_trajectory(block, Quartic::b, l);
        const Vector after = block.normals.colwise().squaredNorm() / 2;
        return after - before - (block.proposed_log_prior - block.log_prior) -
               Quartic::b * (block.proposed_log_likelihood - block.log_likelihood);
    }

    std::shared_ptr<const path::DensityPath> path;
    Matrix learnt;
    Open<K> kernel;
    model::DensityBlock block;
};

template <class K>
class Trajectories : public ::testing::Test {};
using Integrators = ::testing::Types<Hamiltonian, SplitHamiltonian>;
TYPED_TEST_SUITE(Trajectories, Integrators);

TYPED_TEST(Trajectories, ConserveEnergyToTheSquareOfTheStep) {
    // One after another: blocks of equal size share their scratch.
    const auto change = [](double step, Index steps) { return Flight<TypeParam>(step).fly(steps).norm(); };
    const double first = change(0.1, 10), second = change(0.05, 20), third = change(0.025, 40);
    EXPECT_LT(first, 0.1);
    EXPECT_NEAR(first / second, 4, 0.4);
    EXPECT_NEAR(second / third, 4, 0.2);
}

TYPED_TEST(Trajectories, ReturnWithTheirVelocitiesTurned) {
    Flight<TypeParam> flight(0.2);
    const Matrix velocities = flight.block.normals;
    flight.fly(25);
    EXPECT_GT((flight.block.proposals - flight.block.points).norm(), 1);
    flight.block.normals *= -1;
    flight.kernel.follow_trajectory(flight.block, Quartic::b, 25);
    EXPECT_LT((flight.block.proposals - flight.block.points).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((flight.block.normals + velocities).cwiseAbs().maxCoeff(), 1e-12);
}

/// Trajectories through a normal distribution whose mean and covariance are known lose nothing, however long the step,
/// and a quarter of a turn takes every point to its velocity.
TEST(SplitHamiltonian, IsExactForItsNormalDistribution) {
    const std::shared_ptr<const path::DensityPath> path = path::tempered(Ellipsoid{});
    Open<SplitHamiltonian> kernel(path, {.number = 1});
    const Matrix factor = decompositions::cholesky_factor(Ellipsoid::covariance());
    kernel.set({Ellipsoid::mean(), factor}, std::numbers::pi / 2, {});
    model::DensityBlock block(3, 16);
    for (Index i = 0; i < 16; ++i) {
        random::Stream stream({31, random::Purpose::test, static_cast<std::uint64_t>(i), 0});
        Ellipsoid::draw(stream, {block.points.col(i).data(), 3});
    }
    path->evaluate(block, block.points, Ellipsoid::b, block.log_prior, block.log_likelihood, {});
    draw_normals(block, {.seed = 3, .step = 1});
    const Matrix end = (factor * block.normals).colwise() + Ellipsoid::mean();
    kernel.begin_block(block, Ellipsoid::b);
    EXPECT_EQ(kernel.transition(block, Ellipsoid::b, {.seed = 3, .step = 1}), 16);
    EXPECT_LT((block.points - end).cwiseAbs().maxCoeff(), 1e-11);
}

/// Correlations of independent coordinates are noise; one among a few strong ones is not.
TEST(Shape, ShrinksCorrelationsAsFarAsTheyAreNoise) {
    const Matrix some{{4, 0.2, 0}, {0.2, 1, -0.1}, {0, -0.1, 9}};
    const Matrix of_few = shrunk_covariance(some, 20);
    EXPECT_EQ(of_few, Matrix(some.diagonal().asDiagonal()));
    const double squares = 0.04 / 4 + 0.01 / 9;
    const double noise = (std::pow(1 - 0.04 / 4, 2) + std::pow(1 - 0.01 / 9, 2) + 1) / 2000;
    const Matrix of_many = shrunk_covariance(some, 2000);
    EXPECT_NEAR(of_many(0, 1), 0.2 * (1 - noise / squares), 1e-15);
    EXPECT_EQ(of_many(2, 2), 9);
    EXPECT_TRUE(shrunk_covariance(Matrix{{1, 0.99}, {0.99, 1}}, 50).isApprox(Matrix{{1, 0.99}, {0.99, 1}}, 1e-4));
    EXPECT_EQ(shrunk_covariance(Matrix{{1, 0}, {0, 0}}, 50), (Matrix{{1, 0}, {0, 0}}));
}

/// Ten nearly dependent coordinates, two of them a millionth of a standard deviation apart, estimated from 500 points:
/// shrunk in units of a fit that is a quarter too wide the shape is that of the points. In those of the coordinates
/// proposals would be a thousand times too wide.
TEST(Shape, IsShrunkInUnitsOfAFit) {
    constexpr Index d = 10, n = 500;
    Matrix mixing = Matrix::Identity(d, d);
    mixing.col(0).setOnes();
    mixing(1, 1) = 1e-6;
    const Matrix truth = mixing * mixing.transpose();
    Matrix points(d, n);
    for (Index i = 0; i < n; ++i) {
        random::Stream stream({33, random::Purpose::test, static_cast<std::uint64_t>(i), 0});
        for (double& value : points.col(i))
            value = stream.normal();
    }
    points = mixing * points;
    const Matrix sample = points * points.transpose() / static_cast<double>(n);
    const Matrix scale = decompositions::cholesky_factor(1.25 * truth);
    const auto largest_in_truth = [&](const Matrix& covariance) {
        const auto lower = mixing.triangularView<Eigen::Lower>();
        const Matrix in_units = lower.solve(Matrix(lower.solve(covariance).transpose()));
        return in_units.diagonal().maxCoeff();
    };
    EXPECT_LT(largest_in_truth(shrunk_covariance(sample, n, &scale)), 1.3);
    EXPECT_GT(largest_in_truth(shrunk_covariance(sample, n)), 1e6);
}

} // namespace
} // namespace pearlite::kernel
