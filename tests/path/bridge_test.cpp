#include "path/bridge/bridged_density.hpp"
#include "path/bridge/joint_density.hpp"
#include "path/bridge/reference_fits.hpp"
#include "path/bridge_cases.hpp"
#include "path/registry.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/path/tempered.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::path {
namespace {

using namespace testing;
using random::StudentMixture;

template <class D>
std::shared_ptr<const model::DensityFunctions> density_of(const D& density) {
    return std::make_shared<const model::DensityOf<D>>(density);
}

std::shared_ptr<const StudentMixture> reference_of(Index d, double df) {
    return std::make_shared<const StudentMixture>(
        std::vector<StudentMixture::Component>{{1, Vector::Constant(d, 0.5), 2 * Matrix::Identity(d, d)}}, df);
}

TEST(BridgedDensity, IsThePathFromTheReferenceToTheDensity) {
    const auto density = density_of(TwoPeaks{});
    const auto reference = reference_of(2, 7);
    const BridgedDensity bridge(density, reference);
    Matrix points = Matrix::Zero(2, block_padding);
    points.col(0) << 7.5, 0.1;
    points.col(1) << 25, 0; // the prior gives it no mass
    Vector log_prior(block_padding), log_likelihood(block_padding), prior(log_prior), likelihood(log_prior);
    bridge.evaluate(points, 2, {}, log_prior, log_likelihood);
    density->evaluate(points, 2, {}, prior, likelihood);
    for (Index i = 0; i < 2; ++i)
        EXPECT_EQ(log_prior(i), reference->log_density({points.col(i).data(), 2}));
    EXPECT_NEAR(log_prior(0) + log_likelihood(0), prior(0) + likelihood(0), 1e-13);
    EXPECT_EQ(log_likelihood(1), log_zero);
    Vector own(block_padding); // as people read it
    bridge.offers<model::ReadablePrior>()->log_prior(points, 2, own);
    EXPECT_EQ(own.head(2), prior.head(2));
    // The integral of the density, whatever constant its prior leaves out.
    EXPECT_NEAR(bridge.exact_log_ratio().value(), std::log(4), 1e-12);
    EXPECT_EQ(bridge.log_prior_normaliser(), 0.0);
    EXPECT_THROW(BridgedDensity(density, reference_of(3, 7)), ContractViolation);
}

TEST(BridgedDensity, DrawsFromTheReference) {
    const auto reference = reference_of(2, 7);
    const BridgedDensity bridge(density_of(TwoPeaks{}), reference);
    random::Stream one({1, random::Purpose::test, 0, 0}), other({1, random::Purpose::test, 0, 0});
    std::vector<double> x(2), y(2);
    bridge.draw_prior(one, x);
    reference->draw(other, y);
    EXPECT_EQ(x, y);
}

/// An estimated likelihood that says how many particles it has.
struct Estimated {
    Index n = 4;
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    void estimate(const Matrix& points, const model::BlockStreams&, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            log_prior[i] = log_normal(points(0, static_cast<Index>(i)), 0, 1);
            log_likelihood[i] = static_cast<double>(n);
        }
    }
    Index particles() const { return n; }
    void set_particles(Index to) { n = to; }
};

TEST(BridgedDensity, AnotherEstimatorSizeIsBridgedFromTheSameReference) {
    const BridgedDensity bridge(density_of(Estimated{}), reference_of(1, 7));
    ASSERT_TRUE(bridge.is_estimated());
    const auto other = bridge.offers<model::EstimatorSize>()->with_particles(12);
    const Matrix points = Matrix::Constant(1, block_padding, 0.3);
    Vector prior(block_padding), few(block_padding), many(block_padding);
    bridge.evaluate(points, 1, {}, prior, few);
    other->evaluate(points, 1, {}, prior, many);
    EXPECT_NEAR(many(0) - few(0), 8, 1e-12);
    EXPECT_EQ(prior(0), bridge.reference().log_density({points.data(), 1}));
}

// At several b, against differences of log q + b (log p - log q); the twin takes b times the gradient of p alone.
TEST(BridgedDensity, HasTheGradientOfThePath) {
    EXPECT_EQ(BridgedDensity(density_of(KnownRegression(3)), reference_of(3, 7)).offers<model::DensityGradient>(),
              nullptr);
    const BridgedDensity bridge(density_of(SlopedRegression(3)), reference_of(3, 7));
    const auto* gradients = bridge.offers<model::DensityGradient>();
    ASSERT_NE(gradients, nullptr);
    random::Stream stream({1, random::Purpose::test, 0, 0});
    const Matrix points = Matrix::NullaryExpr(3, block_padding, [&](Index, Index) { return stream.normal(); });
    Vector prior(block_padding), likelihood(block_padding), log_q(block_padding), u(block_padding);
    Matrix slopes(3, block_padding);
    for (const double b : {0.0, 0.3, 1.0}) {
        gradients->evaluate(points, 5, b, prior, likelihood, slopes);
        bridge.evaluate(points, 5, {}, log_q, u);
        for (Index i = 0; i < 5; ++i) {
            EXPECT_NEAR(prior(i), log_q(i), 1e-12);
            EXPECT_NEAR(likelihood(i), u(i), 1e-9);
        }
        const auto at_height = [&](Index k, double step) -> Vector {
            Matrix moved = points;
            moved.row(k).array() += step;
            bridge.evaluate(moved, 5, {}, log_q, u);
            return log_q + b * u;
        };
        for (Index k = 0; k < 3; ++k) {
            const Vector slope = (at_height(k, 1e-5) - at_height(k, -1e-5)) / 2e-5;
            EXPECT_LT((slope - slopes.row(k).transpose()).head(5).norm(), 1e-5) << b;
        }
        gradients->evaluate(points, 5, 1, prior, likelihood, slopes);
        const Vector twin = b * slopes.row(0);
        EXPECT_TRUE(b == 1 || ((at_height(0, 1e-5) - at_height(0, -1e-5)) / 2e-5 - twin).head(5).norm() > 0.01);
    }
}

/// The regression with a metric that differs from place to place.
struct CurvedRegression : SlopedRegression {
    using SlopedRegression::SlopedRegression;
    void metric(std::span<const double> x, double b, Eigen::Ref<Matrix> metric) const {
        metric = b * precision();
        metric(1, 1) += std::exp(x[0]);
    }
    void metric_derivative(std::span<const double> x, double, Index k, Eigen::Ref<Matrix> derivative) const {
        derivative.setZero();
        if (k == 0)
            derivative(1, 1) = std::exp(x[0]);
    }
};

// From the precision of q at b = 0 to the metric of p at b = 1; the twin takes the metric of p at b.
TEST(BridgedDensity, HasTheMetricOfThePath) {
    const CurvedRegression regression(3);
    const BridgedDensity bridge(density_of(regression), reference_of(3, infinity));
    const auto* metrics = bridge.offers<model::DensityMetric>();
    ASSERT_NE(metrics, nullptr);
    const std::vector<double> x{0.3, -0.2, 0.9};
    Matrix own(3, 3), found(3, 3), lower(3, 3), upper(3, 3), slope(3, 3);
    regression.metric(x, 1, own);
    metrics->metric(x, 0, found);
    EXPECT_LT((found - 0.25 * Matrix::Identity(3, 3)).norm(), 1e-14);
    metrics->metric(x, 1, found);
    EXPECT_LT((found - own).norm(), 1e-12);
    constexpr double b = 0.3;
    metrics->metric(x, b, found);
    EXPECT_LT((found - b * own - 0.25 * (1 - b) * Matrix::Identity(3, 3)).norm(), 1e-12);
    regression.metric(x, b, own);
    EXPECT_GT((found - own).norm(), 0.1);
    for (Index k = 0; k < 3; ++k) {
        auto moved = x;
        moved[at(k)] += 1e-5;
        metrics->metric(moved, b, upper);
        moved[at(k)] -= 2e-5;
        metrics->metric(moved, b, lower);
        metrics->derivative(x, b, k, slope);
        EXPECT_LT(((upper - lower) / 2e-5 - slope).norm(), 1e-8) << k;
    }
}

TEST(BridgedDensity, IsAPathOfDensitiesAlone) {
    const auto target = tempered(TwoPeaks{});
    EXPECT_THAT(kinds_of(*target), ::testing::ElementsAre("tempered", "bridge"));
    EXPECT_EQ(along("bridge", target), target); // a run fits the reference
}

// A normal posterior: the fit is the posterior itself, so log p - log q is the log evidence everywhere.
TEST(Laplace, IsExactForNormalPosteriors) {
    for (const Index d : {1, 10, 100}) {
        const KnownRegression regression(d);
        const auto density = density_of(regression);
        const auto found = fit_by_laplace(*density, {.starts = 3, .seed = 5, .df = infinity});
        ASSERT_EQ(found.mixture.components().size(), 1u) << "descents from everywhere end at the one mode";
        const Matrix covariance = found.mixture.covariance();
        EXPECT_LT((covariance * regression.precision() - Matrix::Identity(d, d)).norm(), 1e-4) << d;
        const JointDensity joint(*density);
        random::Stream stream({3, random::Purpose::test, 0, 0});
        Vector x(d);
        for (int k = 0; k < 5; ++k) {
            found.mixture.draw(stream, {x.data(), at(d)});
            const std::span<const double> point(x.data(), at(d));
            EXPECT_NEAR(joint(point) - found.mixture.log_density(point), regression.exact_log_ratio(), 1e-3) << d;
        }
        EXPECT_GT(found.evaluations, 0);
        const auto own = fit_by_laplace(*density_of(SlopedRegression(d)), {.starts = 3, .seed = 5, .df = infinity});
        EXPECT_LT((own.mixture.covariance() * regression.precision() - Matrix::Identity(d, d)).norm(), 1e-6) << d;
    }
}

/// SlopedRegression in the units of a table as users bring it: coefficient k is unit(k) times the coordinate.
struct RawRegression : SlopedRegression {
    using SlopedRegression::SlopedRegression;
    static double unit(std::size_t k) { return std::pow(10, static_cast<double>(k % 5) * 2 - 4); }
    static std::vector<double> scaled(std::span<const double> u) {
        std::vector<double> beta(u.begin(), u.end());
        for (std::size_t k = 0; k < beta.size(); ++k)
            beta[k] *= unit(k);
        return beta;
    }
    void draw_prior(random::Stream& stream, std::span<double> u) const {
        SlopedRegression::draw_prior(stream, u);
        for (std::size_t k = 0; k < u.size(); ++k)
            u[k] /= unit(k);
    }
    double log_prior(std::span<const double> u) const {
        double log_jacobian = 0;
        for (std::size_t k = 0; k < u.size(); ++k)
            log_jacobian += std::log(unit(k));
        return SlopedRegression::log_prior(scaled(u)) + log_jacobian;
    }
    double log_likelihood(std::span<const double> u) const { return SlopedRegression::log_likelihood(scaled(u)); }
    void gradient(std::span<const double> u, double b, std::span<double> gradient) const {
        SlopedRegression::gradient(scaled(u), b, gradient);
        for (std::size_t k = 0; k < u.size(); ++k)
            gradient[k] *= unit(k);
    }
};

/// A floor on eigenvalues in the user's units, or a descent that stops before the mode, would make it too narrow or put
/// it elsewhere.
TEST(Laplace, DoesNotDependOnUnits) {
    const RawRegression regression(10);
    const auto density = density_of(regression);
    const auto found = fit_by_laplace(*density, {.starts = 3, .seed = 5, .df = infinity});
    ASSERT_EQ(found.mixture.components().size(), 1u);
    const JointDensity joint(*density);
    random::Stream stream({3, random::Purpose::test, 0, 0});
    Vector u(10);
    for (int k = 0; k < 20; ++k) {
        found.mixture.draw(stream, {u.data(), at(u.size())});
        const std::span<const double> point(u.data(), at(u.size()));
        EXPECT_NEAR(joint(point) - found.mixture.log_density(point), regression.exact_log_ratio(), 1e-2);
    }
}

TEST(Fits, TakeTheDensitysOwnGradient) {
    for (const auto fit : {fit_by_laplace, fit_by_pathfinder}) {
        const FitSettings settings{.starts = 3, .seed = 5, .df = 7};
        const auto differences = fit(*density_of(KnownRegression(10)), settings);
        const auto own = fit(*density_of(SlopedRegression(10)), settings);
        const Matrix precision = KnownRegression(10).precision();
        const Vector shift = own.mixture.mean() - differences.mixture.mean();
        EXPECT_LT(shift.dot(precision * shift), 1);
        EXPECT_LT(own.evaluations, differences.evaluations);
    }
}

TEST(Laplace, SeveralModesMakeAMixtureByTheirMasses) {
    const auto found = fit_by_laplace(*density_of(TwoPeaks{}), {.starts = 12, .seed = 2, .df = 7});
    ASSERT_EQ(found.mixture.components().size(), 2u);
    for (const auto& component : found.mixture.components()) {
        const bool is_wide = component.mean(0) < 0;
        EXPECT_NEAR(component.weight, is_wide ? 0.25 : 0.75, 1e-3);
        EXPECT_NEAR(component.mean(0), is_wide ? -8 : 8, 1e-5);
        EXPECT_NEAR(component.factor(1, 1), is_wide ? 1 : 0.5, 1e-3);
    }
}

TEST(Laplace, IsTheSameForTheSameSeed) {
    const auto density = density_of(TwoPeaks{});
    const auto values = [&](std::uint64_t seed) {
        return fit_by_laplace(*density, {.starts = 4, .seed = seed, .df = 7}).mixture.values();
    };
    EXPECT_EQ(values(1), values(1));
}

/// No likelihood anywhere.
struct Impossible : TwoPeaks {
    double log_likelihood(std::span<const double>) const { return log_zero; }
};

TEST(Fits, SayWhyThereIsNone) {
    for (const auto fit : {fit_by_laplace, fit_by_pathfinder})
        EXPECT_THAT([&] { fit(*density_of(Impossible{}), {}); },
                    ::testing::ThrowsMessage<NumericalError>(::testing::HasSubstr("none of 1000 draws")));
}

/// Mean over draws from q of p/q, in units of its standard error away from the evidence.
double z_of_importance(const JointDensity& joint, const StudentMixture& q, double log_evidence) {
    constexpr Index n = 16000;
    random::Stream stream({4, random::Purpose::test, 0, 0});
    Matrix points(q.dimension(), n);
    for (Index i = 0; i < n; ++i)
        q.draw(stream, {points.col(i).data(), at(points.rows())});
    Vector ratio = joint(points);
    for (Index i = 0; i < n; ++i)
        ratio(i) = std::exp(ratio(i) - q.log_density({points.col(i).data(), at(points.rows())}) - log_evidence);
    const double mean = ratio.mean();
    return (mean - 1) / std::sqrt((ratio.array() - mean).square().mean() / n);
}

// E_q[p/q] is the evidence: z below 4.5 (a false alarm in 1e5), and a normaliser of q that is wrong by a fifth must be
// seen.
TEST(Pathfinder, ItsNormalDistributionsFitAndAreNormalised) {
    for (const Index d : {1, 10}) {
        const KnownRegression regression(d);
        const auto density = density_of(regression);
        const auto found = fit_by_pathfinder(*density, {.starts = 4, .seed = 5, .df = infinity});
        const JointDensity joint(*density);
        EXPECT_LT(std::fabs(z_of_importance(joint, found.mixture, regression.exact_log_ratio())), 4.5) << d;
        EXPECT_GT(std::fabs(z_of_importance(joint, found.mixture, regression.exact_log_ratio() + 0.1)), 4.5)
            << d << ": of the wrong twin";
        const Matrix precision = regression.precision();
        const Vector shift = found.mixture.mean() - fit_by_laplace(*density, {.starts = 1}).mixture.mean();
        EXPECT_LT(shift.dot(precision * shift), 0.5 * static_cast<double>(d));
    }
}

TEST(Pathfinder, FindsBothPeaksWithTheirMasses) {
    const auto found = fit_by_pathfinder(*density_of(TwoPeaks{}), {.starts = 12, .seed = 2, .df = 7});
    double wide = 0;
    for (const auto& component : found.mixture.components())
        wide += component.mean(0) < 0 ? component.weight : 0;
    EXPECT_NEAR(wide, 0.25, 0.08);
    EXPECT_LT(std::fabs(z_of_importance(JointDensity(*density_of(TwoPeaks{})), found.mixture, std::log(4))), 4.5);
}

} // namespace
} // namespace pearlite::path
