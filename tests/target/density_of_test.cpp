// Densities by blocks: which columns are computed, what is offered, and in which form.
#include "pearlite/model/detail/density_of.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace pearlite::model {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double untouched = -7.25;

/// Two coordinates, with prior 0 where the first is negative.
struct Point {
    std::vector<std::string> parameter_names() const { return {"a", "b"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        x[0] = stream.uniform();
        x[1] = stream.uniform();
    }
    double log_prior(std::span<const double> x) const { return x[0] < 0 ? -infinity : -x[0]; }
    double log_likelihood(std::span<const double> x) const { return x[0] < 0 ? std::nan("") : x[0] - 2 * x[1]; }
};

/// Many points at once; notes how many.
struct Many : Point {
    std::vector<Index>* seen = nullptr;
    void evaluate(const Matrix& points, std::span<double> log_prior, std::span<double> log_likelihood) const {
        seen->push_back(points.cols());
        EXPECT_EQ(static_cast<Index>(log_prior.size()), points.cols());
        EXPECT_EQ(static_cast<Index>(log_likelihood.size()), points.cols());
        for (Index i = 0; i < points.cols(); ++i) {
            const std::span<const double> x(points.col(i).data(), 2);
            log_prior[static_cast<std::size_t>(i)] = Point::log_prior(x);
            log_likelihood[static_cast<std::size_t>(i)] = Point::log_likelihood(x);
        }
    }
};
struct WholePackets : Many {
    static constexpr bool evaluates_padding = true;
};
struct Estimated : Point {
    std::vector<Index>* seen = nullptr;
    void estimate(const Matrix& points, const BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        seen->push_back(static_cast<Index>(log_prior.size()));
        EXPECT_EQ(streams.step, 9u);
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            const std::span<const double> x(points.col(static_cast<Index>(i)).data(), 2);
            log_prior[i] = Point::log_prior(x);
            log_likelihood[i] = Point::log_likelihood(x);
        }
    }
};

constexpr BlockStreams streams{.seed = 1, .step = 9, .generation = 0, .first_slot = 0, .block = 0};

/// Points of a block of 16 slots, the second with prior 0. Columns beyond n are NaN, since no result may depend on
/// them.
Matrix points_of(Index n) {
    Matrix points = Matrix::Constant(2, 16, std::nan(""));
    for (Index i = 0; i < n; ++i)
        points.col(i) << (i == 1 ? -1.0 : 0.1 * static_cast<double>(i)), 0.5;
    return points;
}

struct Logs {
    Vector prior = Vector::Constant(16, untouched), likelihood = prior;
};
Logs logs_of(const DensityFunctions& density, Index n) {
    Logs logs;
    density.evaluate(points_of(n), n, streams, logs.prior, logs.likelihood);
    return logs;
}
void expect_right(const Logs& logs, Index n) {
    const Matrix points = points_of(n);
    for (Index i = 0; i < n; ++i) {
        EXPECT_EQ(logs.prior(i), i == 1 ? -infinity : -points(0, i));
        EXPECT_EQ(logs.likelihood(i), i == 1 ? -infinity : points(0, i) - 1);
    }
}

TEST(DensityOf, ComputesTheColumnsInUse) {
    for (const Index n : {1, 5, 15, 16}) {
        const auto by_point = logs_of(DensityOf<Point>(Point{}), n);
        expect_right(by_point, n);
        EXPECT_TRUE((by_point.prior.tail(16 - n).array() == untouched).all());

        std::vector<Index> seen;
        const auto by_block = logs_of(DensityOf<Many>(Many{{}, &seen}), n);
        expect_right(by_block, n);
        EXPECT_EQ(seen, std::vector<Index>{n}); // padding is never computed by a user's evaluate()
        EXPECT_TRUE((by_block.likelihood.tail(16 - n).array() == untouched).all());

        seen.clear();
        expect_right(logs_of(DensityOf<Estimated>(Estimated{{}, &seen}), n), n);
        EXPECT_EQ(seen, std::vector<Index>{n});
    }
}

TEST(DensityOf, WholePacketsAreForThoseThatAskForThem) {
    std::vector<Index> seen;
    expect_right(logs_of(DensityOf<WholePackets>(WholePackets{{{}, &seen}}), 5), 5);
    EXPECT_EQ(seen, std::vector<Index>{16});
}

TEST(DensityOf, SaysWhetherLikelihoodsAreEstimated) {
    EXPECT_FALSE(DensityOf<Point>(Point{}).is_estimated());
    EXPECT_TRUE(DensityOf<Estimated>(Estimated{}).is_estimated());
}

/// log prior + b log likelihood of Point, differentiated.
void gradient_of_point(double b, std::span<double> out) {
    out[0] = b - 1;
    out[1] = -2 * b;
}

/// The gradient of a point; asked for inside the support only.
struct Sloped : Point {
    void gradient(std::span<const double> x, double b, std::span<double> out) const {
        EXPECT_GE(x[0], 0);
        gradient_of_point(b, out);
    }
};

/// The gradients of many points; notes how many.
template <class Base>
struct SlopedBlock : Base {
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
        EXPECT_EQ(gradient.cols(), points.cols());
        EXPECT_EQ(gradient.rows(), points.rows());
        this->evaluate(points, log_prior, log_likelihood);
        for (Index i = 0; i < points.cols(); ++i)
            gradient_of_point(b, {gradient.col(i).data(), 2});
    }
};

/// Every optional member.
struct Full : Sloped {
    Index n = 4;
    static constexpr Index particles_abreast = 8;
    double cost(std::span<const double> x) const { return 3 * x[0]; }
    std::vector<std::string> quantity_names() const { return {"sum", "difference", "product"}; }
    void quantities(std::span<const double> x, std::span<double> out) const {
        out[0] = x[0] + x[1];
        out[1] = x[0] - x[1];
        out[2] = x[0] * x[1];
    }
    DataDescription describe_data() const {
        DataDescription data;
        data.observed.resize(2);
        return data;
    }
    Prediction predict(std::span<const double>, Index samples, const random::Address&) const {
        Prediction prediction;
        prediction.within.resize(static_cast<std::size_t>(samples));
        return prediction;
    }
    void estimate(const Matrix&, const BlockStreams&, std::span<double>, std::span<double>) const {}
    Index particles() const { return n; }
    void set_particles(Index m) { n = m; }
    double log_prior_normaliser() const { return 0.5; }
    double exact_log_ratio() const { return -3; }
};

struct Offered {
    explicit Offered(const DensityFunctions& d)
        : gradient(d.offers<DensityGradient>()),
          cost(d.offers<PointCost>()),
          size(d.offers<EstimatorSize>()),
          quantities(d.offers<ReportedQuantities>()),
          description(d.offers<DescribedData>()),
          predictive(d.offers<Predictive>()) {}
    const DensityGradient* gradient;
    const PointCost* cost;
    const EstimatorSize* size;
    const ReportedQuantities* quantities;
    const DescribedData* description;
    const Predictive* predictive;
};

TEST(DensityOf, OffersNothingForAModelThatHasNothing) {
    const DensityOf<Point> density{Point{}};
    const Offered offered(density);
    EXPECT_TRUE(!offered.gradient && !offered.cost && !offered.size && !offered.quantities && !offered.description &&
                !offered.predictive);
    EXPECT_EQ(density.log_prior_normaliser(), 0.0); // a prior that says nothing is normalised
    EXPECT_FALSE(density.exact_log_ratio().has_value());
    EXPECT_EQ(density.dimension(), 2);
}

TEST(DensityOf, OffersWhatTheModelHas) {
    const DensityOf<Full> density{Full{}};
    const Offered offered(density);
    ASSERT_TRUE(offered.cost && offered.size && offered.quantities && offered.description && offered.predictive);
    EXPECT_EQ(offered.gradient, nullptr); // since the likelihood is estimated
    const std::array x{2.0, 5.0};
    EXPECT_EQ(offered.cost->cost(x), 6);
    EXPECT_EQ(offered.description->describe_data().observed.size(), 2u);
    EXPECT_EQ(offered.predictive->predict(x, 7, {}).within.size(), 7u);
    EXPECT_EQ(density.log_prior_normaliser(), 0.5);
    EXPECT_EQ(density.exact_log_ratio(), -3.0);

    EXPECT_EQ(offered.quantities->quantity_names().size(), 3u); // of two coordinates
    std::array<double, 3> quantities;
    offered.quantities->quantities(x, quantities);
    EXPECT_EQ(quantities, (std::array<double, 3>{7, -3, 10}));
}

TEST(DensityOf, AnotherEstimatorSizeIsAnotherDensity) {
    const DensityOf<Full> density{Full{}};
    const auto& size = *density.offers<EstimatorSize>();
    const auto other = size.with_particles(12);
    EXPECT_EQ(size.particles(), 4);
    EXPECT_EQ(other->offers<EstimatorSize>()->particles(), 12);
    EXPECT_EQ(size.particles_abreast(), 8);
}

/// Logs and gradients of the first n columns; nothing else is touched unless whole packets are computed.
void expect_gradients(const DensityFunctions& density, Index n, bool whole_packets = false) {
    Logs logs;
    Matrix gradient = Matrix::Constant(2, 16, untouched);
    const auto* gradients = density.offers<DensityGradient>();
    ASSERT_NE(gradients, nullptr);
    gradients->evaluate(points_of(n), n, 0.25, logs.prior, logs.likelihood, gradient);
    expect_right(logs, n);
    std::array<double, 2> expected;
    gradient_of_point(0.25, expected);
    for (Index i = 0; i < n; ++i)
        if (i != 1) { // where the prior is 0 it may be anything
            EXPECT_EQ(gradient(0, i), expected[0]);
            EXPECT_EQ(gradient(1, i), expected[1]);
        }
    if (!whole_packets) {
        EXPECT_TRUE((gradient.rightCols(16 - n).array() == untouched).all());
        EXPECT_TRUE((logs.prior.tail(16 - n).array() == untouched).all());
    }
}

TEST(DensityGradient, IsOfTheColumnsInUse) {
    for (const Index n : {1, 5, 15, 16}) {
        expect_gradients(DensityOf<Sloped>(Sloped{}), n);
        std::vector<Index> seen;
        using OfMany = SlopedBlock<Many>;
        expect_gradients(DensityOf<OfMany>(OfMany{{{}, &seen}}), n);
        EXPECT_EQ(seen, std::vector<Index>{n});
    }
}

TEST(DensityGradient, OfWholePacketsIsForThoseThatAskForThem) {
    std::vector<Index> seen;
    using OfPackets = SlopedBlock<WholePackets>;
    expect_gradients(DensityOf<OfPackets>(OfPackets{{{{}, &seen}}}), 5, true);
    EXPECT_EQ(seen, std::vector<Index>{16});
}

/// Samplers move u, people read e^u of the first coordinate.
struct Natural : Point {
    double natural(Index k, double u) const { return k == 0 ? std::exp(u) : u; }
};

TEST(DensityOf, ANaturalScaleIsReported) {
    const DensityOf<Natural> density{Natural{}};
    const auto* quantities = density.offers<ReportedQuantities>();
    ASSERT_NE(quantities, nullptr);
    EXPECT_EQ(quantities->quantity_names(), density.parameter_names());
    std::array<double, 2> out;
    quantities->quantities(std::array{1.5, 1.5}, out);
    EXPECT_EQ(out, (std::array{std::exp(1.5), 1.5}));
}

} // namespace
} // namespace pearlite::model
