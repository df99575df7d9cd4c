#include "pearlite/path/tempered.hpp"

#include "pearlite/core/error.hpp"

#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::path {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Prior uniform on (0, 1) in each of two dimensions; the likelihood is what the test says, by the first coordinate.
struct Scalar {
    std::function<double(double)> likelihood;
    std::vector<std::string> parameter_names() const { return {"alpha", "beta"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.uniform();
    }
    double log_prior(std::span<const double> x) const {
        return x[0] > 0 && x[0] < 1 && x[1] > 0 && x[1] < 1 ? 0.0 : -infinity;
    }
    double log_likelihood(std::span<const double> x) const { return likelihood(x[0]); }
};

/// The same for many points at once.
struct Blocked {
    Scalar scalar;
    std::vector<std::string> parameter_names() const { return scalar.parameter_names(); }
    void draw_prior(random::Stream& stream, std::span<double> x) const { scalar.draw_prior(stream, x); }
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
        for (Index i = 0; i < points.cols(); ++i) {
            const std::span<const double> x(points.col(i).data(), 2);
            log_prior[static_cast<std::size_t>(i)] = scalar.log_prior(x);
            log_likelihood[static_cast<std::size_t>(i)] = scalar.log_likelihood(x);
        }
    }
};

constexpr model::BlockStreams streams{.seed = 5, .step = 3, .generation = 0, .first_slot = 32, .block = 2};

model::DensityBlock started(const std::shared_ptr<const Tempered>& path, Index size) {
    const auto block = path->make_block(size);
    path->draw_start(*block, streams);
    return points_of(*block);
}

TEST(Tempered, ScalarAndBlockDensitiesAgree) {
    const Scalar scalar{[](double x) { return -3 * x * x; }};
    const auto one = started(tempered(scalar), 20), many = started(tempered(Blocked{scalar}), 20);
    EXPECT_EQ(one.points, many.points);
    EXPECT_EQ(one.log_likelihood.head(20), many.log_likelihood.head(20));
    for (Index i = 0; i < 20; ++i)
        EXPECT_EQ(one.log_likelihood(i), -3 * one.points(0, i) * one.points(0, i));
}

TEST(Tempered, LogRatiosAddUpAndTheDerivativeIsTheLikelihood) {
    const auto path = tempered(Scalar{[](double x) { return 2 * x; }});
    const auto block = started(path, 5);
    std::vector<double> ratio(5, 1.0), derivative(5);
    path->add_log_ratio(block, 0.25, 0.75, ratio);
    path->path_derivative(block, 0.5, derivative);
    for (std::size_t i = 0; i < 5; ++i) {
        const double u = block.log_likelihood(static_cast<Index>(i));
        EXPECT_DOUBLE_EQ(ratio[i], 1 + 0.5 * u);
        EXPECT_EQ(derivative[i], u);
    }
}

TEST(Tempered, ALikelihoodOfZeroIsLegal) {
    const auto path = tempered(Scalar{[](double x) { return x < 0.5 ? -infinity : 0.0; }});
    const auto block = started(path, 64);
    std::vector<double> ratio(64, 0.0);
    path->add_log_ratio(block, 0.3, 0.3, ratio); // 0 x -inf
    for (const double r : ratio)
        EXPECT_EQ(r, 0);
    path->add_log_ratio(block, 0, 0.1, ratio);
    for (Index i = 0; i < 64; ++i)
        EXPECT_EQ(ratio[static_cast<std::size_t>(i)], block.points(0, i) < 0.5 ? -infinity : 0.0);
}

template <class D>
void expect_named_errors(const std::function<D(std::function<double(double)>)>& make) {
    Index wrong = -1;
    for (const double value : {nan, infinity}) {
        // The likelihood is wrong at one particle of the block only: the one with the first coordinate above 0.9.
        const auto likelihood = [value](double x) { return x > 0.9 ? value : 0.0; };
        auto probe = started(tempered(make([](double) { return 0.0; })), 20);
        for (wrong = 0; !(probe.points(0, wrong) > 0.9); ++wrong)
            ASSERT_LT(wrong, 19);
        EXPECT_THAT([&] { started(tempered(make(likelihood)), 20); },
                    ThrowsMessage<NumericalError>(
                        AllOf(HasSubstr("at step 3, particle " + std::to_string(32 + wrong) + ":"),
                              HasSubstr("alpha = " + std::to_string(probe.points(0, wrong))), HasSubstr("beta = "))));
    }
}

TEST(Tempered, NotANumberAndInfinityAreErrorsThatNameTheParticle) {
    expect_named_errors<Scalar>([](auto likelihood) { return Scalar{likelihood}; });
    expect_named_errors<Blocked>([](auto likelihood) { return Blocked{{likelihood}}; });
}

template <class D>
void expect_no_likelihood_outside(const D& density) {
    const auto path = tempered(density);
    auto block = started(path, 3);
    block.points(0, 1) = 2; // outside the prior's support, where this likelihood is NaN
    path->evaluate(block, block.points, 1, block.log_prior, block.log_likelihood, streams);
    EXPECT_EQ(block.log_prior(1), -infinity);
    EXPECT_EQ(block.log_likelihood(1), -infinity);
    EXPECT_EQ(block.log_likelihood(0), 0);
}

TEST(Tempered, OutsideThePriorTheLikelihoodNeedNotBeDefined) {
    const Scalar scalar{[](double x) { return x > 1 ? nan : 0.0; }};
    expect_no_likelihood_outside(scalar);
    expect_no_likelihood_outside(Blocked{scalar});
}

/// A point of one coordinate that people read as three quantities.
struct Simplex {
    std::vector<std::string> parameter_names() const { return {"logit"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const { return -0.5 * x[0] * x[0]; }
    double log_likelihood(std::span<const double>) const { return 0; }
    std::vector<std::string> quantity_names() const { return {"first", "second", "sum"}; }
    void quantities(std::span<const double> x, std::span<double> out) const {
        ASSERT_EQ(out.size(), 3u);
        out[0] = 1 / (1 + std::exp(-x[0]));
        out[1] = 1 - out[0];
        out[2] = 1;
    }
};

TEST(Tempered, QuantitiesOfAnotherNumberThanTheCoordinatesAreReported) {
    const auto path = tempered(Simplex{});
    const auto block = started(path, 5); // less than its padded size
    const auto* reported = path->offers<model::ReportedParameters>();
    ASSERT_NE(reported, nullptr);
    EXPECT_EQ(path->dimension(), 1);
    EXPECT_EQ(path->coordinate_names(), std::vector<std::string>{"logit"});
    EXPECT_EQ(path->quantity_names(), (std::vector<std::string>{"first", "second", "sum"}));
    EXPECT_EQ(reported->parameter_names(), path->quantity_names());
    const Matrix values = reported->parameters(block);
    ASSERT_TRUE(values.rows() == 3 && values.cols() == 5);
    for (Index i = 0; i < 5; ++i) {
        EXPECT_EQ(values(0, i), 1 / (1 + std::exp(-block.points(0, i))));
        EXPECT_EQ(values(1, i), 1 - values(0, i));
        EXPECT_EQ(values(2, i), 1);
    }
}

TEST(Tempered, WithoutQuantitiesTheCoordinatesAreReported) {
    const auto path = tempered(Scalar{[](double) { return 0; }});
    const auto block = started(path, 3);
    const auto* reported = path->offers<model::ReportedParameters>();
    ASSERT_NE(reported, nullptr);
    EXPECT_EQ(reported->parameter_names(), (std::vector<std::string>{"alpha", "beta"}));
    EXPECT_EQ(reported->parameters(block), block.points.leftCols(3));
}

/// With a gradient and a cost.
struct Rich : Scalar {
    void gradient(std::span<const double> x, double b, std::span<double> out) const {
        out[0] = b * x[1];
        out[1] = -x[0];
    }
    double cost(std::span<const double> x) const { return 1 + x[0]; }
};

TEST(Tempered, OffersWhatItsDensityDoes) {
    const auto plain = tempered(Scalar{[](double) { return 0; }}), rich = tempered(Rich{{[](double) { return 0; }}});
    for (const auto& path : {plain, rich})
        EXPECT_EQ(path->offers<DensityPath>(), path.get());
    EXPECT_EQ(plain->offers<model::DensityGradient>(), nullptr);
    EXPECT_EQ(plain->offers<model::BlockCost>(), nullptr);
    EXPECT_EQ(plain->offers<model::EstimatorSize>(), nullptr);
    EXPECT_EQ(plain->offers<model::Transition>(), nullptr); // kernels propose points
    EXPECT_NE(rich->offers<model::DensityGradient>(), nullptr);
    const auto block = started(rich, 5);
    EXPECT_DOUBLE_EQ(rich->offers<model::BlockCost>()->cost(block), 5 + block.points.row(0).leftCols(5).sum());
}

/// Counts the columns it is shown.
struct Counting : Blocked {
    explicit Counting(Index& n) : Blocked{{[](double) { return 0; }}}, columns(&n) {}
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
        *columns += points.cols();
        Blocked::evaluate(points, log_prior, log_likelihood);
    }
    Index* columns;
};

TEST(Tempered, PaddingIsNeverEvaluated) {
    for (const Index size : {1, 5, 16, 17}) {
        Index columns = 0;
        const auto path = tempered(Counting(columns));
        auto block = started(path, size);
        EXPECT_EQ(columns, size);
        path->recompute(block);
        EXPECT_EQ(columns, 2 * size);
    }
}

} // namespace
} // namespace pearlite::path
