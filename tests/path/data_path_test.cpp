#include "path/data_path.hpp"

#include "path/registry.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/path/tempered.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::path {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Uniform on (0, 1); data point l has the log likelihood -(l + 1) x, or -infinity below `least`.
struct Points {
    Index n = 5;
    double least = 0;
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double> x) const { return x[0] > 0 && x[0] < 1 ? 0.0 : -infinity; }
    double log_likelihood(std::span<const double> x) const { return log_likelihood(x, 0, n); }
    Index data_points() const { return n; }
    double log_likelihood(std::span<const double> x, Index from, Index to) const {
        double sum = 0;
        for (Index l = from; l < to; ++l)
            sum += x[0] < least ? -infinity : -static_cast<double>(l + 1) * x[0];
        return sum;
    }
    double exact_log_ratio() const { return 42; }
};

/// The same for many points at once, of which it counts the columns.
struct Blocked {
    Points points;
    Index* columns = nullptr;
    std::vector<std::string> parameter_names() const { return points.parameter_names(); }
    void draw_prior(random::Stream& stream, std::span<double> x) const { points.draw_prior(stream, x); }
    Index data_points() const { return points.n; }
    void evaluate(const Matrix& x, std::span<double> log_prior, std::span<double> log_likelihood) const {
        evaluate(x, 0, points.n, log_prior, log_likelihood);
    }
    void evaluate(const Matrix& x, Index from, Index to, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        if (columns)
            *columns = std::max(*columns, x.cols());
        for (Index i = 0; i < x.cols(); ++i) {
            log_prior[static_cast<std::size_t>(i)] = points.log_prior({x.col(i).data(), 1});
            log_likelihood[static_cast<std::size_t>(i)] = points.log_likelihood({x.col(i).data(), 1}, from, to);
        }
    }
};

struct Whole {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.uniform(); }
    double log_prior(std::span<const double>) const { return 0; }
    double log_likelihood(std::span<const double>) const { return 0; }
};

constexpr model::BlockStreams streams{.seed = 5, .step = 3, .generation = 0, .first_slot = 32, .block = 2};

template <class D>
std::shared_ptr<const DensityPath> data_path(const D& density) {
    return std::make_shared<const DataPath>(tempered(density));
}

model::DensityBlock started(const std::shared_ptr<const DensityPath>& path, Index size) {
    const auto block = path->make_block(size);
    path->draw_start(*block, streams);
    return points_of(*block);
}

/// sum_l a_l(b) log L_l(x) of five points, by the definition.
double plain(double x, double b) {
    double sum = 0;
    for (int l = 0; l < 5; ++l)
        sum += std::clamp(5 * b - l, 0.0, 1.0) * -(l + 1) * x;
    return sum;
}

TEST(Paths, AModelOffersThoseThatSuitIt) {
    EXPECT_THAT(kinds_of(*tempered(Whole{})), ElementsAre("tempered", "bridge"));
    EXPECT_THAT(kinds_of(*tempered(Points{})), ElementsAre("tempered", "data", "bridge"));
    EXPECT_THAT(kinds_of(*tempered(Points{.n = 0})), ElementsAre("tempered", "bridge"));
    const auto model = tempered(Points{});
    EXPECT_EQ(along("tempered", model), model);
    EXPECT_FALSE(along("data", model)->path_is_linear());
    EXPECT_NE(along("data", model)->offers<DensityPath>(), nullptr);
    EXPECT_NE(along("data", model)->offers<model::ReportedParameters>(), nullptr);
    EXPECT_THROW(along("data", tempered(Whole{})), ContractViolation);
    EXPECT_THROW(along("circular", model), ContractViolation);
}

TEST(DataPath, LogRatiosAreThoseOfThePointsBetween) {
    const auto path = data_path(Points{});
    const auto block = started(path, 20);
    for (const auto& [from, to] : std::vector<std::pair<double, double>>{{0, 1},
                                                                         {0, 0.2},
                                                                         {0.2, 0.6},
                                                                         {0.04, 0.15},
                                                                         {0.15, 0.85},
                                                                         {0.2, 0.3},
                                                                         {0.3, 0.4},
                                                                         {0.9, 0.1},
                                                                         {0.4, 0.4}}) {
        std::vector<double> ratio(20, 1.0);
        path->add_log_ratio(block, from, to, ratio);
        for (Index i = 0; i < 20; ++i)
            EXPECT_NEAR(ratio[static_cast<std::size_t>(i)] - 1,
                        plain(block.points(0, i), to) - plain(block.points(0, i), from), 1e-12)
                << from << " " << to;
    }
}

TEST(DataPath, TheDerivativeIsThatOfTheLogDensity) {
    const auto path = data_path(Points{});
    const auto block = started(path, 20);
    std::vector<double> slope(20);
    for (const double b : {0.0, 0.1, 0.2, 0.55, 1.0}) {
        path->path_derivative(block, b, slope);
        for (Index i = 0; i < 20; ++i) { // at whole points from the left, at 0 from the right
            const double x = block.points(0, i), low = b == 0 ? 0 : b - 1e-6, high = b == 0 ? 1e-6 : b;
            EXPECT_NEAR(slope[static_cast<std::size_t>(i)], (plain(x, high) - plain(x, low)) / 1e-6, 1e-6);
        }
    }
}

TEST(DataPath, LogsAreThoseOfThePointsInUse) {
    const auto path = data_path(Points{});
    auto block = started(path, 20);
    EXPECT_EQ(block.log_likelihood.head(20), Vector::Zero(20));
    EXPECT_EQ(path->power(0.3), 1);
    for (const double b : {0.0, 0.2, 0.3, 1.0}) {
        path->bring_to(block, b, streams);
        for (Index i = 0; i < 20; ++i)
            EXPECT_NEAR(block.log_likelihood(i), plain(block.points(0, i), b), 1e-12);
    }
    const auto whole = tempered(Points{});
    EXPECT_EQ(points_of(*whole->make_block(1)).packed_bytes(), block.packed_bytes());
    EXPECT_EQ(started(whole, 20).log_likelihood.head(20), block.log_likelihood.head(20));
    EXPECT_EQ(path->exact_log_ratio(1), 42);
    EXPECT_FALSE(path->exact_log_ratio(0.5).has_value());
}

// 0.1 + 0.2 and the like come upon a point but for rounding.
TEST(DataPath, WholeNumbersOfPointsAreWholeDespiteRounding) {
    const auto path = data_path(Points{});
    auto a = started(path, 5), b = a;
    path->bring_to(a, 0.6, streams);
    path->bring_to(b, std::nextafter(0.6, 1.0), streams);
    EXPECT_EQ(a.log_likelihood, b.log_likelihood);
}

TEST(DataPath, ScalarAndBlockDensitiesAgreeAndPaddingIsNotEvaluated) {
    Index columns = 0;
    const auto one = data_path(Points{}), many = data_path(Blocked{{}, &columns});
    auto a = started(one, 17), b = started(many, 17);
    one->bring_to(a, 0.33, streams);
    many->bring_to(b, 0.33, streams);
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.log_likelihood.head(17), b.log_likelihood.head(17));
    EXPECT_EQ(columns, 17);
}

TEST(DataPath, ALikelihoodOfZeroIsLegal) {
    const auto path = data_path(Points{.least = 0.5});
    auto block = started(path, 20);
    std::vector<double> ratio(20, 0.0);
    path->add_log_ratio(block, 0, 0.5, ratio);
    path->bring_to(block, 0.5, streams);
    for (Index i = 0; i < 20; ++i) {
        const bool is_possible = block.points(0, i) >= 0.5;
        EXPECT_EQ(std::isfinite(ratio[static_cast<std::size_t>(i)]), is_possible);
        EXPECT_EQ(block.log_likelihood(i) > -infinity, is_possible);
    }
}

TEST(DataPath, OutsideThePriorTheLikelihoodNeedNotBeDefined) {
    struct Careful : Points {
        double log_likelihood(std::span<const double> x) const { return log_likelihood(x, 0, n); }
        double log_likelihood(std::span<const double> x, Index from, Index to) const {
            EXPECT_GT(x[0], 0);
            return Points::log_likelihood(x, from, to);
        }
    };
    const auto path = data_path(Careful{});
    auto block = started(path, 3);
    block.points(0, 1) = -1;
    for (const double b : {0.0, 0.5}) {
        path->bring_to(block, b, streams);
        EXPECT_EQ(block.log_prior(1), -infinity);
        EXPECT_EQ(block.log_likelihood(1), -infinity);
        EXPECT_TRUE(std::isfinite(block.log_likelihood(0)));
    }
}

TEST(DataPath, InfinityIsAnErrorThatNamesTheParticle) {
    struct Infinite : Points {
        double log_likelihood(std::span<const double> x) const { return log_likelihood(x, 0, n); }
        double log_likelihood(std::span<const double>, Index, Index) const { return infinity; }
    };
    const auto path = data_path(Infinite{});
    auto block = started(path, 3);
    EXPECT_THAT([&] { path->bring_to(block, 0.5, streams); },
                ThrowsMessage<NumericalError>(AllOf(HasSubstr("particle 32"), HasSubstr("x = "))));
}

} // namespace
} // namespace pearlite::path
