// Riemannian Hamiltonian Monte Carlo: the map of a step, the invariant distribution of transitions, and their
// rejections.
#include "kernel/trajectory/riemannian.hpp"

#include "kernel/curved_densities.hpp"
#include "pearlite/core/error.hpp"
#include "support/decompositions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace pearlite::kernel {
namespace {

using namespace testing;

model::BlockStreams streams_at(Index first_slot, std::uint32_t step = 1) {
    return {.seed = 17, .step = step, .generation = 0, .first_slot = first_slot, .block = first_slot / 1000};
}

/// A kernel of so many moves with steps of size eps, a trajectory of at most `steps` of them, at every temperature.
class Fixed final : public Riemannian {
  public:
    Fixed(const Path& path, Index moves, double eps, double steps)
        : Riemannian(path, {.number = moves}, &table(eps), Covariance::full, {.length = eps * steps}) {
        const population::Generation empty(parallel::BlockLayout(0, 16, 1, 0), 0,
                                           [&](Index size) { return path->make_block(size); });
        adapt(parallel::Communicator::alone(), empty, 1);
    }
    using Hamiltonian::add_densities;
    using Hamiltonian::begin;
    using Hamiltonian::begin_block;
    using Hamiltonian::return_to_start;
    using Hamiltonian::trajectories_;
    using Riemannian::integrate;
    using Riemannian::make_momenta;

  private:
    static const Matrix& table(double eps) {
        static Matrix rows(2, 8);
        rows.row(1) << 1, eps, 0, 0, 1, 0, 0, 1;
        return rows;
    }
};

/// n exact draws from p_b of D, with the logs of D's twin.
template <class D>
model::DensityBlock drawn(const path::DensityPath& twin, Index n, double b, Index first_slot) {
    model::DensityBlock block(2, n);
    for (Index i = 0; i < n; ++i) {
        random::Stream stream({23, random::Purpose::test, static_cast<std::uint64_t>(first_slot + i), 0});
        const auto point = D::from_standard({stream.normal(), stream.normal()}, b);
        block.points.col(i) << point[0], point[1];
    }
    twin.evaluate(block, block.points, b, block.log_prior, block.log_likelihood, streams_at(first_slot, 0));
    return block;
}

struct Finding {
    double largest_z = 0, acceptance = 0;
};

/// 8000 exact draws of D, moved by the kernel on Twin: the largest deviation of the first and second moments of their
/// standard coordinates from 0 and 1, in standard errors.
template <class D, class Twin = D>
Finding invariance(double b, Index moves, double eps, double steps) {
    constexpr Index n = 8000, at_once = 1000;
    const auto path = path::tempered(Twin{});
    const Fixed kernel(path, moves, eps, steps);
    std::vector<double> derivative(at_once);
    Vector sums = Vector::Zero(5);
    Index accepted = 0;
    for (Index first = 0; first < n; first += at_once) {
        auto block = drawn<D>(*path, at_once, b, first);
        accepted += kernel.move(block, b, streams_at(first), derivative);
        for (Index i = 0; i < at_once; ++i) {
            const auto z = D::to_standard({block.points(0, i), block.points(1, i)}, b);
            sums +=
                Vector{{z[0], z[1], z[0] * z[1], (z[0] * z[0] - 1) / std::sqrt(2), (z[1] * z[1] - 1) / std::sqrt(2)}};
        }
    }
    return {(sums / std::sqrt(static_cast<double>(n))).cwiseAbs().maxCoeff(),
            static_cast<double>(accepted) / static_cast<double>(n * moves)};
}

constexpr double rejected_beyond = 3.9; // 1e-4 for each of five moments

TEST(Riemannian, LeavesTheTemperedDistributionInvariant) {
    std::vector<Finding> findings{invariance<Flat>(0.3, 3, 1.2, 3)};
    for (const double b : {0.0, 0.3, 1.0}) {
        findings.push_back(invariance<Banana>(b, 3, 0.5, 3));
        findings.push_back(invariance<Funnel>(b, 3, 0.7, 3));
    }
    // Long steps: half of the trajectories cannot be followed.
    findings.push_back(invariance<Banana>(1, 3, 0.8, 1));
    for (const auto& found : findings) {
        EXPECT_LT(found.largest_z, rejected_beyond);
        EXPECT_GT(found.acceptance, 0.3);
        EXPECT_LT(found.acceptance, 0.98);
    }
}

// The funnel's volume is kept without the metric's derivatives, the banana's is not.
TEST(Riemannian, WrongTwinsAreRejected) {
    for (const double b : {0.0, 1.0}) {
        EXPECT_GT((invariance<Funnel, FunnelWithoutVolume>(b, 3, 0.7, 3).largest_z), 3 * rejected_beyond);
        EXPECT_GT((invariance<Banana, WithoutMetricDerivative<Banana>>(b, 3, 0.5, 3).largest_z), 3 * rejected_beyond);
    }
}

/// The mean of |H' - H| over 200 exact draws after a trajectory of length 1 at b = 1, in steps of size eps.
template <class D>
double energy_error(double eps) {
    const auto path = path::tempered(D{});
    const Fixed kernel(path, 1, eps, 1);
    auto block = drawn<D>(*path, 200, 1, 0);
    kernel.begin_block(block, 1);
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream({29, random::Purpose::test, static_cast<std::uint64_t>(i), 0});
        block.normals.col(i) << stream.normal(), stream.normal();
    }
    kernel.begin(block);
    auto& t = kernel.trajectories_;
    kernel.return_to_start(t);
    kernel.make_momenta(t, 1);
    kernel.integrate(t, 1, static_cast<Index>(std::round(1 / eps)), eps);
    kernel.add_densities(t, 1);
    EXPECT_TRUE(t.log_ratios.head(200).allFinite());
    return t.log_ratios.head(200).cwiseAbs().mean();
}

TEST(Riemannian, EnergyIsConservedToTheSecondOrderOfTheStep) {
    for (const auto& error : {energy_error<Banana>, energy_error<Funnel>})
        for (const double eps : {0.05, 0.025})
            EXPECT_NEAR(error(2 * eps) / error(eps), 4, 0.4) << eps;
    EXPECT_LT(energy_error<Funnel>(0.0125), 1e-3);
    // Without the derivatives of the metric the equations describe another system.
    for (const auto& error :
         {energy_error<WithoutMetricDerivative<Banana>>, energy_error<WithoutMetricDerivative<Funnel>>})
        EXPECT_GT(error(0.0125), 0.1);
}

/// Steps of size eps at b = 1, a point at a time.
template <class D>
class Stepper {
  public:
    enum class End { there, no_way, no_way_back };

    /// From (x, p); the new (x, p) in its place.
    End step(Eigen::Vector4d& at, double eps) {
        const Vector start = at.head(2);
        Vector x = start, p = at.tail(2);
        if (!leapfrog_.move_to(x, 1) || !leapfrog_.leave(x, p, slope(x), eps))
            return End::no_way;
        if (!leapfrog_.move_to(x, 1) || !leapfrog_.arrive(start, x, p, slope(x), eps))
            return End::no_way_back;
        at << x, p;
        return End::there;
    }

  private:
    static Vector slope(const Vector& x) {
        Vector gradient(2);
        D{}.gradient({x.data(), 2}, 1, {gradient.data(), 2});
        return gradient;
    }

    std::shared_ptr<const path::DensityPath> path_ = path::tempered(D{});
    GeneralisedLeapfrog leapfrog_{*path_->template offers<model::DensityMetric>(), 2};
};

/// |det d(x', p')/d(x, p)| by central differences.
template <class D>
double volume_factor(const Eigen::Vector4d& at, double eps) {
    constexpr double h = 1e-4;
    Stepper<D> stepper;
    Eigen::Matrix4d jacobian;
    for (Index k = 0; k < 4; ++k) {
        Eigen::Vector4d above = at + h * Eigen::Vector4d::Unit(k), below = at - h * Eigen::Vector4d::Unit(k);
        EXPECT_EQ(stepper.step(above, eps), Stepper<D>::End::there);
        EXPECT_EQ(stepper.step(below, eps), Stepper<D>::End::there);
        jacobian.col(k) = (above - below) / (2 * h);
    }
    return std::abs(decompositions::determinant(jacobian));
}

/// How far a step, with the momentum turned round, and another step are from where they began.
template <class D>
double way_back_error(const Eigen::Vector4d& start, double eps) {
    Stepper<D> stepper;
    Eigen::Vector4d at = start;
    EXPECT_EQ(stepper.step(at, eps), Stepper<D>::End::there);
    at.tail(2) *= -1;
    EXPECT_EQ(stepper.step(at, eps), Stepper<D>::End::there);
    at.tail(2) *= -1;
    return (at - start).norm();
}

TEST(Riemannian, AStepKeepsVolumeAndRunsBackwards) {
    const Eigen::Vector4d at{0.4, -0.7, 0.8, 1.1};
    for (const double eps : {0.1, 0.4}) {
        EXPECT_NEAR(volume_factor<Funnel>(at, eps), 1, 1e-6);
        EXPECT_NEAR(volume_factor<Banana>(at, eps), 1, 1e-6);
        EXPECT_LT(way_back_error<Funnel>(at, eps), 1e-8);
        EXPECT_LT(way_back_error<Banana>(at, eps), 1e-8);
    }
    EXPECT_GT(std::abs(volume_factor<WithoutMetricDerivative<Banana>>(at, 0.4) - 1), 1e-2);
}

/// A standard normal distribution with the metric I + b J' diag(w) J, w_n = exp(-(J x)_n^2/2).
struct Ridges : Plane {
    static const Matrix& ridges() {
        static const Matrix j{{1, 2}, {-0.5, 1}, {2, 0.3}};
        return j;
    }
    static void weigh(std::span<const double> x, double b, Vector& weights, Vector& slopes) {
        const Eigen::ArrayXd along = ridges() * Eigen::Map<const Vector>(x.data(), 2);
        weights = b * (-0.5 * along.square()).exp();
        slopes = -weights.array() * along;
    }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& coordinate : x)
            coordinate = stream.normal();
    }
    double log_prior(std::span<const double> x) const { return -0.5 * (x[0] * x[0] + x[1] * x[1]); }
    double log_likelihood(std::span<const double>) const { return 0; }
    void gradient(std::span<const double> x, double, std::span<double> gradient) const {
        gradient[0] = -x[0];
        gradient[1] = -x[1];
    }
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> g) const {
        Vector weights, slopes;
        weigh(x, b, weights, slopes);
        g = ridges().transpose() * weights.asDiagonal() * ridges();
        g.diagonal().array() += 1;
    }
};
struct RidgesByDerivatives : Ridges {
    void metric_derivative(std::span<const double> x, double b, Index k, Eigen::Ref<Matrix> g) const {
        Vector weights, slopes;
        weigh(x, b, weights, slopes);
        g = ridges().transpose() * slopes.cwiseProduct(ridges().col(k)).asDiagonal() * ridges();
    }
};
struct RidgesByPredictors : Ridges {
    const Matrix& predictors() const { return ridges(); }
    void metric_weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const {
        weigh(x, b, weights, slopes);
    }
};
/// Slopes of the wrong sign.
struct WrongRidges : RidgesByPredictors {
    void metric_weights(std::span<const double> x, double b, Vector& weights, Vector& slopes) const {
        weigh(x, b, weights, slopes);
        slopes = -slopes;
    }
};

TEST(Riemannian, PredictorsMakeTheStepsOfAllDerivatives) {
    const Eigen::Vector4d start{0.4, -0.7, 0.8, 1.1};
    Eigen::Vector4d one = start, other = start, wrong = start;
    Stepper<RidgesByDerivatives> by_derivatives;
    Stepper<RidgesByPredictors> by_predictors;
    Stepper<WrongRidges> by_wrong_ones;
    for (int step = 0; step < 5; ++step) {
        EXPECT_EQ(by_derivatives.step(one, 0.3), Stepper<RidgesByDerivatives>::End::there);
        EXPECT_EQ(by_predictors.step(other, 0.3), Stepper<RidgesByPredictors>::End::there);
        by_wrong_ones.step(wrong, 0.3);
    }
    EXPECT_LT((one - other).norm(), 1e-9);
    EXPECT_GT((one - wrong).norm(), 1e-2);
    EXPECT_NEAR(volume_factor<RidgesByPredictors>(start, 0.3), 1, 1e-6);
    EXPECT_LT(way_back_error<RidgesByPredictors>(start, 0.3), 1e-8);
}

TEST(Riemannian, LongStepsAreTriedForTheirWayBack) {
    Stepper<Banana> stepper;
    Index no_way = 0, no_way_back = 0;
    for (Index i = 0; i < 2000; ++i) {
        random::Stream stream({31, random::Purpose::test, static_cast<std::uint64_t>(i), 0});
        const auto point = Banana::from_standard({stream.normal(), stream.normal()}, 1);
        Eigen::Vector4d at{point[0], point[1], 3 * stream.normal(), 3 * stream.normal()};
        const auto end = stepper.step(at, 1);
        no_way += end == Stepper<Banana>::End::no_way;
        no_way_back += end == Stepper<Banana>::End::no_way_back;
    }
    EXPECT_GT(no_way, 20);
    EXPECT_GT(no_way_back, 5);
    EXPECT_LT(no_way + no_way_back, 1900);
}

/// A metric that is not positive definite where y > -0.2, and no number where y > -0.1.
struct Half : Flat {
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> g) const {
        Flat::metric(x, b, g);
        if (x[1] > -0.2)
            g(0, 0) *= x[1] > -0.1 ? std::nan("") : -1;
    }
};

TEST(Riemannian, TrajectoriesThatCannotBeFollowedAreRejected) {
    // Points beyond the edge stay, and other points do not move there.
    const auto path = path::tempered(Half{});
    const Fixed kernel(path, 20, 0.2, 1);
    auto block = drawn<Flat>(*path, 1000, 1, 0);
    const Matrix before = block.points;
    std::vector<double> derivative(1000);
    kernel.move(block, 1, streams_at(0), derivative);
    Index beyond = 0, stayed = 0;
    for (Index i = 0; i < 1000; ++i) {
        EXPECT_EQ(before(1, i) > -0.2, block.points(1, i) > -0.2);
        beyond += before(1, i) > -0.2;
        stayed += before.col(i) == block.points.col(i);
    }
    EXPECT_GT(beyond, 400);
    EXPECT_NEAR(static_cast<double>(stayed), static_cast<double>(beyond), 5);
    // Steps of any length end with finite numbers.
    for (const double eps : {5.0, 1e3, 1e100, 1e300}) {
        const auto funnel = path::tempered(Funnel{});
        auto points = drawn<Funnel>(*funnel, 160, 1, 0);
        Fixed(funnel, 2, eps, 3).move(points, 1, streams_at(0), std::span(derivative).first(160));
        EXPECT_TRUE(points.points.allFinite()) << eps;
    }
}

/// A gradient and no metric.
struct Bare : Plane {
    void draw_prior(random::Stream& stream, std::span<double> x) const { Flat{}.draw_prior(stream, x); }
    double log_prior(std::span<const double> x) const { return Flat{}.log_prior(x); }
    double log_likelihood(std::span<const double> x) const { return Flat{}.log_likelihood(x); }
    void gradient(std::span<const double> x, double b, std::span<double> g) const { Flat{}.gradient(x, b, g); }
};

TEST(Riemannian, NeedsAMetric) {
    EXPECT_THROW(Riemannian(path::tempered(Bare{}), {.number = 1}), ContractViolation);
}

} // namespace
} // namespace pearlite::kernel
