#include "pearlite/path/geometric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::path {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

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

template <class D>
model::DensityBlock started(const GeometricPath<D>& path, Index size) {
    auto block = path.make_block(size);
    path.draw_start(block, streams);
    return block;
}

TEST(GeometricPath, ScalarAndBlockDensitiesAgree) {
    const Scalar scalar{[](double x) { return -3 * x * x; }};
    const auto one = started(GeometricPath(scalar), 20), many = started(GeometricPath(Blocked{scalar}), 20);
    EXPECT_EQ(one.points, many.points);
    EXPECT_EQ(one.log_likelihood.head(20), many.log_likelihood.head(20));
    for (Index i = 0; i < 20; ++i)
        EXPECT_EQ(one.log_likelihood(i), -3 * one.points(0, i) * one.points(0, i));
}

TEST(GeometricPath, LogRatiosAddUpAndTheDerivativeIsTheLikelihood) {
    const GeometricPath path(Scalar{[](double x) { return 2 * x; }});
    const auto block = started(path, 5);
    std::vector<double> ratio(5, 1.0), derivative(5);
    path.add_log_ratio(block, 0.25, 0.75, ratio);
    path.path_derivative(block, 0.5, derivative);
    for (std::size_t i = 0; i < 5; ++i) {
        const double u = block.log_likelihood(static_cast<Index>(i));
        EXPECT_DOUBLE_EQ(ratio[i], 1 + 0.5 * u);
        EXPECT_EQ(derivative[i], u);
    }
}

TEST(GeometricPath, ALikelihoodOfZeroIsLegal) {
    const GeometricPath path(Scalar{[](double x) { return x < 0.5 ? -infinity : 0.0; }});
    const auto block = started(path, 64);
    std::vector<double> ratio(64, 0.0);
    path.add_log_ratio(block, 0.3, 0.3, ratio); // 0 x -inf
    for (const double r : ratio)
        EXPECT_EQ(r, 0);
    path.add_log_ratio(block, 0, 0.1, ratio);
    for (Index i = 0; i < 64; ++i)
        EXPECT_EQ(ratio[static_cast<std::size_t>(i)], block.points(0, i) < 0.5 ? -infinity : 0.0);
}

template <class D>
void expect_named_errors(const std::function<D(std::function<double(double)>)>& make) {
    Index wrong = -1;
    for (const double value : {nan, infinity}) {
        // The likelihood is wrong at one particle of the block only: the one with the first coordinate above 0.9.
        const auto likelihood = [value](double x) { return x > 0.9 ? value : 0.0; };
        auto probe = started(GeometricPath(make([](double) { return 0.0; })), 20);
        for (wrong = 0; !(probe.points(0, wrong) > 0.9); ++wrong)
            ASSERT_LT(wrong, 19);
        EXPECT_THAT([&] { started(GeometricPath(make(likelihood)), 20); },
                    ThrowsMessage<NumericalError>(
                        AllOf(HasSubstr("at step 3, particle " + std::to_string(32 + wrong) + ":"),
                              HasSubstr("alpha = " + std::to_string(probe.points(0, wrong))), HasSubstr("beta = "))));
    }
}

TEST(GeometricPath, NotANumberAndInfinityAreErrorsThatNameTheParticle) {
    expect_named_errors<Scalar>([](auto likelihood) { return Scalar{likelihood}; });
    expect_named_errors<Blocked>([](auto likelihood) { return Blocked{{likelihood}}; });
}

template <class D>
void expect_no_likelihood_outside(const D& density) {
    const GeometricPath path(density);
    auto block = started(path, 3);
    block.points(0, 1) = 2; // outside the prior's support, where this likelihood is NaN
    path.evaluate(block, block.points, block.log_prior, block.log_likelihood, streams);
    EXPECT_EQ(block.log_prior(1), -infinity);
    EXPECT_EQ(block.log_likelihood(1), -infinity);
    EXPECT_EQ(block.log_likelihood(0), 0);
}

TEST(GeometricPath, OutsideThePriorTheLikelihoodNeedNotBeDefined) {
    const Scalar scalar{[](double x) { return x > 1 ? nan : 0.0; }};
    expect_no_likelihood_outside(scalar);
    expect_no_likelihood_outside(Blocked{scalar});
}

} // namespace
} // namespace pearlite::path
