#include "pearlite/kernel/detail/local_descent.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <numeric>

namespace pearlite::kernel {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The box that the energies of this test are on.
class Boxed {
  public:
    Boxed(Index dimension, double lower, double upper)
        : lower_(static_cast<std::size_t>(dimension), lower), upper_(static_cast<std::size_t>(dimension), upper) {}
    Index dimension() const { return static_cast<Index>(lower_.size()); }
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }
    void fingerprint(model::Fingerprint&) const {}

  private:
    std::vector<double> lower_, upper_;
};

/// An energy without a gradient.
template <class E>
struct WithoutGradient : Boxed {
    explicit WithoutGradient(const E& own) : Boxed(own), own_(own) {}
    double energy(std::span<const double> x) const { return own_.energy(x); }
    E own_;
};
using Point = std::vector<double>;

Vector vector_of(std::span<const double> x) {
    return Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size()));
}

Point chance_point(Index d, double low, double high, std::uint64_t id) {
    random::Stream stream({5, random::Purpose::test, id, 0});
    Point x(static_cast<std::size_t>(d));
    for (double& value : x)
        value = stream.uniform(low, high);
    return x;
}

/// (x - m)' A (x - m) / 2 with A = Q diag(1 .. condition) Q', Q a reflection.
struct Quadratic : Boxed {
    Quadratic(Index d, double condition, double half_width) : Boxed(d, -half_width, half_width) {
        const Vector v = vector_of(chance_point(d, -1, 1, 1)).normalized();
        const Matrix q = Matrix::Identity(d, d) - 2 * v * v.transpose();
        const Vector spectrum =
            d == 1 ? Vector::Ones(1) : Vector(Vector::LinSpaced(d, 0, std::log(condition)).array().exp());
        a = q * spectrum.asDiagonal() * q;
        middle = vector_of(chance_point(d, -2, 2, 2));
    }
    double energy(std::span<const double> x) const {
        const Vector y = vector_of(x) - middle;
        return 0.5 * y.dot(a * y);
    }
    void gradient(std::span<const double> x, std::span<double> g) const {
        Eigen::Map<Vector>(g.data(), dimension()) = a * (vector_of(x) - middle);
    }
    Matrix a;
    Vector middle;
};

/// Pairs of Rosenbrock's: the minimum, 0, is at 1.
struct Rosenbrock : Boxed {
    explicit Rosenbrock(Index d) : Boxed(d, -3, 3) {}
    double energy(std::span<const double> x) const {
        double sum = 0;
        for (std::size_t k = 0; k < x.size(); k += 2)
            sum += 100 * std::pow(x[k + 1] - x[k] * x[k], 2) + std::pow(1 - x[k], 2);
        return sum;
    }
    void gradient(std::span<const double> x, std::span<double> g) const {
        for (std::size_t k = 0; k < x.size(); k += 2) {
            const double gap = x[k + 1] - x[k] * x[k];
            g[k] = -400 * x[k] * gap - 2 * (1 - x[k]);
            g[k + 1] = 200 * gap;
        }
    }
};

TEST(LocalDescent, FindsTheMinimumOfQuadratics) {
    for (const Index d : {1, 2, 7, 16, 33}) {
        const Quadratic quadratic(d, 1e4, infinity);
        const auto start = chance_point(d, -10, 10, 3);
        const auto minimum = descend(quadratic, start);
        EXPECT_NEAR(minimum.energy, 0, 1e-18) << d;
        EXPECT_LT((vector_of(minimum.x) - quadratic.middle).cwiseAbs().maxCoeff(), 1e-9) << d;
        EXPECT_EQ(minimum.energy, quadratic.energy(minimum.x));
        const auto by_differences = descend(WithoutGradient(quadratic), start);
        EXPECT_LT((vector_of(by_differences.x) - quadratic.middle).cwiseAbs().maxCoeff(), 1e-5) << d;
    }
}

TEST(LocalDescent, FindsTheMinimumOfRosenbrock) {
    Point start(10);
    for (std::size_t k = 0; k < start.size(); k += 2)
        start[k] = -1.2, start[k + 1] = 1;
    const auto minimum = descend(Rosenbrock(10), start);
    EXPECT_NEAR(minimum.energy, 0, 1e-20);
    for (const double x : minimum.x)
        EXPECT_NEAR(x, 1, 1e-9);
    EXPECT_LT(descend(WithoutGradient(Rosenbrock(10)), start).energy, 1e-10);
}

/// Convex on a box: the conditions of Karush, Kuhn and Tucker decide. Starts are inside and in corners, from which
/// coordinates must come back.
TEST(LocalDescent, FindsMinimaOnTheBorder) {
    for (const Index d : {1, 3, 8, 20}) {
        const Quadratic quadratic(d, 30, 0.9);
        for (std::uint64_t trial = 0; trial < 8; ++trial) {
            auto start = chance_point(d, -0.9, 0.9, 10 + trial);
            if (trial % 2 == 1)
                for (double& x : start)
                    x = std::copysign(0.9, x);
            const auto minimum = descend(quadratic, start);
            Point slope(start.size());
            quadratic.gradient(minimum.x, slope);
            int on_border = 0;
            for (std::size_t k = 0; k < slope.size(); ++k) {
                ASSERT_LE(std::abs(minimum.x[k]), 0.9);
                const bool low = minimum.x[k] == -0.9, high = minimum.x[k] == 0.9;
                on_border += low || high ? 1 : 0;
                EXPECT_TRUE(std::abs(slope[k]) < 1e-6 || (low && slope[k] > 0) || (high && slope[k] < 0))
                    << "d " << d << " trial " << trial << " coordinate " << k << " at " << minimum.x[k] << " slope "
                    << slope[k];
            }
            EXPECT_TRUE(d < 3 || on_border > 0);
        }
    }
}

/// x - log(x - 0.3) beside a place where there is nothing: the minimum is at 1.3.
struct Edge : Boxed {
    explicit Edge(double outside) : Boxed(1, -5, 50), outside_(outside) {}
    double energy(std::span<const double> x) const { return x[0] > 0.3 ? x[0] - std::log(x[0] - 0.3) : outside_; }
    void gradient(std::span<const double> x, std::span<double> g) const { g[0] = 1 - 1 / (x[0] - 0.3); }
    double outside_;
};

TEST(LocalDescent, StepsBackWhereThereIsNothing) {
    for (const double outside : {infinity, std::numeric_limits<double>::quiet_NaN()})
        for (const double start : {0.3000001, 0.5, 4.0, 49.0}) {
            EXPECT_NEAR(descend(Edge(outside), Point{start}).x[0], 1.3, 1e-6) << start;
            EXPECT_NEAR(descend(WithoutGradient(Edge(outside)), Point{start}).x[0], 1.3, 1e-4) << start;
        }
}

/// Downhill into a wall.
struct Wall : Boxed {
    Wall() : Boxed(2, -10, 10) {}
    double energy(std::span<const double> x) const { return x[0] < 1 ? infinity : x[0] * x[0] + x[1] * x[1]; }
    void gradient(std::span<const double> x, std::span<double> g) const { g[0] = 2 * x[0], g[1] = 2 * x[1]; }
};

TEST(LocalDescent, IsNeverWorseThanItsStart) {
    const Point start{4, 3};
    const auto minimum = descend(Wall(), start);
    EXPECT_LT(minimum.energy, 25);
    EXPECT_GE(minimum.x[0], 1);
    // At a minimum nothing changes, not even bits.
    const Quadratic quadratic(3, 10, infinity);
    const Point middle(quadratic.middle.begin(), quadratic.middle.end());
    EXPECT_EQ(descend(quadratic, middle).x, middle);
    const Point constant_start{0.25, -0.5};
    struct Constant : Boxed {
        Constant() : Boxed(2, -1, 1) {}
        double energy(std::span<const double>) const { return 7; }
    };
    EXPECT_EQ(descend(Constant(), constant_start).x, constant_start);
    EXPECT_EQ(descend(Constant(), constant_start).energy, 7);
}

struct Complaint {
    Index after;
};

/// Throws when it is asked for the n-th time.
struct Throwing : Boxed {
    Throwing(Index energies, Index gradients) : Boxed(2, -1, 1), energies_(energies), gradients_(gradients) {}
    double energy(std::span<const double> x) const {
        if (++asked_ == energies_)
            throw Complaint{energies_};
        return 1 + x[0] * x[0] + 3 * x[1] * x[1];
    }
    void gradient(std::span<const double> x, std::span<double> g) const {
        if (++slopes_ == gradients_)
            throw Complaint{-gradients_};
        g[0] = 2 * x[0], g[1] = 6 * x[1];
    }
    Index energies_, gradients_;
    mutable Index asked_ = 0, slopes_ = 0;
};

TEST(LocalDescent, PassesOnWhatTheEnergyThrows) {
    const Point start{0.5, 0.6};
    for (const Index n : {1, 2, 3}) {
        EXPECT_THROW(descend(Throwing(n, 0), start), Complaint) << n;
        EXPECT_THROW(descend(Throwing(0, n), start), Complaint) << n;
    }
    EXPECT_NO_THROW(descend(Throwing(0, 0), start));
}

TEST(LocalDescent, CountsWhatItAsks) {
    const Throwing counting(0, 0);
    const auto minimum = descend(counting, Point{0.5, 0.6});
    EXPECT_EQ(minimum.energies, counting.asked_);
    EXPECT_EQ(minimum.gradients, counting.slopes_);
    struct Plain : Boxed {
        explicit Plain(Index& asked) : Boxed(2, -1, 1), asked_(asked) {}
        double energy(std::span<const double> x) const { return ++asked_, x[0] * x[0] + 3 * x[1] * x[1]; }
        Index& asked_;
    };
    Index asked = 0;
    const auto by_differences = descend(Plain(asked), Point{0.5, 0.6});
    EXPECT_EQ(by_differences.energies, asked);
    EXPECT_EQ(by_differences.gradients, 0);
}

TEST(LocalDescent, IsDeterministic) {
    const Rosenbrock rosenbrock(10);
    for (std::uint64_t trial = 0; trial < 4; ++trial) {
        const auto start = chance_point(10, -3, 3, 40 + trial);
        const auto one = descend(rosenbrock, start), other = descend(rosenbrock, start);
        EXPECT_EQ(one.x, other.x);
        EXPECT_EQ(one.energy, other.energy);
    }
}

TEST(LimitedDescent, ReachesTheLowestOnItsWayAndTheMinimumAtItsEnd) {
    const Rosenbrock rosenbrock(10);
    const auto start = chance_point(10, -3, 3, 60);
    const auto reached = [&](const auto& energy, Index iterations, double tolerance) {
        return descend(energy, start, {.iterations = iterations, .tolerance = tolerance});
    };
    double last = rosenbrock.energy(start);
    for (const Index n : {1, 2, 5, 20, 100, 2000}) {
        const auto lowest = reached(rosenbrock, n, 1e-10);
        EXPECT_LE(lowest.energy, last) << n;
        EXPECT_EQ(lowest.energy, rosenbrock.energy(lowest.x)) << n;
        last = lowest.energy;
    }
    EXPECT_NEAR(last, descend(rosenbrock, start).energy, 1e-9);
    EXPECT_GT(reached(rosenbrock, 1, 1e-10).energy, last + 1e-3); // the limit is one
    EXPECT_NEAR(reached(WithoutGradient(rosenbrock), 2000, 1e-8).energy, last, 1e-8);
}

TEST(LimitedDescent, EndsAtOnceOutside) {
    const Rosenbrock rosenbrock(4);
    const Point outside{0, 0, 0, 3.1};
    const auto refused = descend(rosenbrock, outside, {.iterations = 10});
    EXPECT_EQ(refused.energy, infinity);
    EXPECT_EQ(refused.x, outside);
    EXPECT_LT(descend(rosenbrock, Point{0, 0, 0, 3}, {.iterations = 10}).energy, infinity);
}

/// U = sum (1 - cos(x_k - 3)) in [-pi, pi], whose minimum is near one end of the box.
struct Waves {
    bool goes_round = true;
    std::vector<double> low{-std::numbers::pi, -std::numbers::pi}, high{std::numbers::pi, std::numbers::pi};

    Index dimension() const { return 2; }
    std::span<const double> lower() const { return low; }
    std::span<const double> upper() const { return high; }
    bool is_periodic() const { return goes_round; }
    double energy(std::span<const double> x) const { return 2 - std::cos(x[0] - 3) - std::cos(x[1] - 3); }
    void gradient(std::span<const double> x, std::span<double> g) const {
        for (std::size_t k = 0; k < 2; ++k)
            g[k] = std::sin(x[k] - 3);
    }
    void fingerprint(model::Fingerprint&) const {}
};

TEST(LocalDescent, GoesRoundInAPeriodicBox) {
    const Point start{-2.5, 1}; // the first coordinate has its minimum, 3, beyond -pi
    const auto found = descend(Waves{}, start), limited = descend(Waves{}, start, {.iterations = 50});
    EXPECT_NEAR(found.energy, 0, 1e-12);
    EXPECT_NEAR(limited.energy, 0, 1e-5);
    for (const double x : found.x)
        EXPECT_NEAR(x, 3, 1e-5);
    EXPECT_NEAR(descend(Waves{false}, start).energy, 1 - std::cos(-std::numbers::pi - 3), 1e-9); // stopped by the end
    // A start outside is one inside.
    EXPECT_NEAR(descend(Waves{}, Point{-2.5 - 2 * std::numbers::pi, 1}, {.iterations = 50}).energy, 0, 1e-5);
}

TEST(DifferenceGradient, IsRightInsideAndOneSidedOnTheBorder) {
    const Rosenbrock rosenbrock(4);
    const model::DescentOf<Rosenbrock> target(rosenbrock);
    Point exact(4), differences(4);
    for (const Point& x : {Point{-1.2, 1, 0.3, 2}, Point{3, -3, 0.5, 3}}) {
        rosenbrock.gradient(x, exact);
        difference_gradient(target, x, differences);
        for (std::size_t k = 0; k < 4; ++k) {
            // A one-sided difference is off by half a step of the second derivative.
            const double allowed = std::abs(x[k]) < 3 ? 1e-6 : 0.2;
            EXPECT_NEAR(differences[k], exact[k], allowed) << k;
        }
    }
}

} // namespace
} // namespace pearlite::kernel
