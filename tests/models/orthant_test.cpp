// Orthant probabilities that grow: the precision against an inverse, the sweep of panels against one written plainly
// and against exact draws, weights against quadrature.
#include "models/gaussian_process/orthant/orthant.hpp"

#include "models/gaussian_process/orthant/orthant_kernels.hpp"
#include "models/gaussian_process/orthant/truncated_normal.hpp"
#include "pearlite/core/error.hpp"
#include "random/statistics.hpp"
#include "simd/instructions.hpp"
#include "support/decompositions.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <vector>

namespace pearlite::models {
namespace {

using namespace random::testing;

Matrix some_covariance(Index n, std::uint64_t seed = 1) {
    random::Stream stream({seed, random::Purpose::test, 17, 0});
    const Matrix factor = Matrix::NullaryExpr(n, n, [&](Index, Index) { return stream.normal(); });
    return factor * factor.transpose() + Matrix::Identity(n, n);
}

std::vector<Index> reversed(Index n) {
    std::vector<Index> order(at(n));
    std::iota(order.rbegin(), order.rend(), Index{0});
    return order;
}

TEST(GrowingPrecision, IsTheInverseAtEachSize) {
    constexpr Index n = 40;
    const Matrix covariance = some_covariance(n);
    const auto order = reversed(n);
    GrowingPrecision precision(covariance, order);
    for (Index k = 1;; ++k) {
        ASSERT_EQ(precision.n(), k);
        const std::vector<Index> first(order.begin(), order.begin() + k);
        const Matrix present = covariance(first, first), inverse = decompositions::inverse(present);
        EXPECT_LT((precision.matrix() - inverse).norm(), 1e-10 * inverse.norm());
        if (k == n)
            break;
        const Vector s = covariance(first, order[at(k)]);
        EXPECT_LT((precision.coefficients() - inverse * s).norm(), 1e-10);
        EXPECT_NEAR(precision.next_variance(), covariance(order[at(k)], order[at(k)]) - s.dot(inverse * s), 1e-10);
        precision.grow();
    }
}

TEST(GrowingPrecision, RefusesACovarianceThatIsNotPositiveDefinite) {
    Matrix covariance = Matrix::Ones(3, 3);
    EXPECT_THROW(GrowingPrecision(covariance, {0, 1, 2}), NumericalError);
    covariance(0, 1) = covariance(1, 0) = 0.5;
    GrowingPrecision precision(covariance, {0, 1, 2});
    EXPECT_THROW(precision.grow(), NumericalError);
}

/// A panel with the numbers that a sweep of it takes.
template <class Real>
struct Panel {
    Index n, stride;
    std::vector<Real> precision, signs, z, uniform;
    std::vector<Index> order;

    explicit Panel(Index size)
        : n(size), stride((n + 15) / 16 * 16), precision(at(n * stride)), signs(at(n)), order(reversed(n)) {
        const Matrix inverse = decompositions::inverse(some_covariance(n));
        random::Stream stream({2, random::Purpose::test, 18, 0});
        for (Index i = 0; i < n; ++i) {
            for (Index k = 0; k < n; ++k)
                precision[at(i * stride + k)] = static_cast<Real>(inverse(i, k));
            signs[at(i)] = stream.bernoulli(0.5) ? Real{1} : Real{-1};
        }
        for (Index i = 0; i < n * panel_width; ++i)
            z.push_back(signs[at(i / panel_width)] * static_cast<Real>(std::abs(2 * stream.normal())));
        for (Index i = 0; i < 2 * n * panel_width; ++i)
            uniform.push_back(static_cast<Real>(stream.uniform()));
    }

    template <class Instructions>
    std::vector<Real> swept() const {
        std::vector<Real, Eigen::aligned_allocator<Real>> states(z.begin(), z.end()),
            numbers(uniform.begin(), uniform.end());
        OrthantKernels<Instructions>::sweep(
            OrthantSweep<Real>{precision.data(), stride, signs.data(), order.data(), numbers.data(), states.data(), n});
        return {states.begin(), states.end()};
    }

    /// The definition.
    std::vector<double> swept_plainly() const {
        std::vector<double> states(z.begin(), z.end());
        for (Index k = 0; k < n; ++k) {
            const Index i = order[at(k)];
            const double variance = 1 / static_cast<double>(precision[at(i * stride + i)]);
            for (Index lane = 0; lane < panel_width; ++lane) {
                double& state = states[at(i * panel_width + lane)];
                double product = 0;
                for (Index j = 0; j < n; ++j)
                    product += static_cast<double>(precision[at(i * stride + j)]) * states[at(j * panel_width + lane)];
                const double mu = state - product * variance;
                const auto* u = &uniform[at(k * 2 * panel_width + lane)];
                const double reach =
                    std::sqrt(std::pow(state - mu, 2) - 2 * std::log(static_cast<double>(u[0])) * variance);
                double from = mu - reach, to = mu + reach;
                (signs[at(i)] > 0 ? from : to) = signs[at(i)] > 0 ? std::max(from, 0.0) : std::min(to, 0.0);
                state = from + static_cast<double>(u[panel_width]) * (to - from);
            }
        }
        return states;
    }
};

template <class Real>
class OrthantSweepOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OrthantSweepOf, Precisions);

TYPED_TEST(OrthantSweepOf, IsTheDefinition) {
    for (const Index n : {1, 2, 7, 8, 9, 31, 70}) {
        const Panel<TypeParam> panel(n);
        const auto states = panel.template swept<simd::Baseline>();
        const auto plain = panel.swept_plainly();
        double largest = 0;
        for (std::size_t i = 0; i < states.size(); ++i) {
            ASSERT_GE(states[i] * panel.signs[i / at(panel_width)], 0);
            largest = std::max(largest, std::abs(static_cast<double>(states[i]) - plain[i]));
        }
        EXPECT_LT(largest, (std::is_same_v<TypeParam, double> ? 1e-11 : 2e-3)) << n;
    }
}

TYPED_TEST(OrthantSweepOf, HasTheSameBitsOnWiderRegisters) {
    if (!simd::runs_avx512())
        GTEST_SKIP() << "kernels do not run on AVX-512 here";
    for (const Index n : {1, 8, 13, 70}) {
        const Panel<TypeParam> panel(n);
        EXPECT_EQ(panel.template swept<simd::Avx512>(), panel.template swept<simd::Baseline>()) << n;
    }
}

/// Three variables, two of them strongly correlated.
OrthantSettings three(bool is_double) {
    Matrix covariance(3, 3);
    covariance << 2, 1.6, 0.3, 1.6, 1.5, -0.2, 0.3, -0.2, 1;
    Vector signs(3);
    signs << 1, 1, -1;
    return {covariance, signs, {2, 0, 1}, is_double};
}

/// Exact draws by rejection, in the order of the variables.
Matrix exact_draws(const OrthantSettings& settings, Index size) {
    const Matrix factor = decompositions::cholesky_factor(settings.covariance);
    Matrix draws(3, size);
    random::Stream stream({3, random::Purpose::test, 19, 0});
    for (Index i = 0; i < size;) {
        const Vector z = factor * Vector::NullaryExpr(3, [&](Index) { return stream.normal(); });
        if ((z.array() * settings.signs.array() > 0).all()) {
            for (Index k = 0; k < 3; ++k)
                draws(k, i) = z(settings.order[at(k)]);
            ++i;
        }
    }
    return draws;
}

/// Smallest p-value of the means of z, z^2 and z_0 z_1 before and after.
double difference_p_value(const Matrix& before, const Matrix& after) {
    double smallest = 1;
    const auto compare = [&](const auto& of) {
        const Eigen::ArrayXd a = of(before), b = of(after);
        const auto n = static_cast<double>(a.size());
        const double variance = (a - a.mean()).square().sum() / n + (b - b.mean()).square().sum() / n;
        smallest = std::min(smallest, p_value_of_z((a.mean() - b.mean()) / std::sqrt(variance / n)));
    };
    for (Index k = 0; k < 3; ++k) {
        compare([&](const Matrix& z) { return Eigen::ArrayXd(z.row(k).array()); });
        compare([&](const Matrix& z) { return Eigen::ArrayXd(z.row(k).array().square()); });
    }
    compare([&](const Matrix& z) { return Eigen::ArrayXd(z.row(1).array() * z.row(2).array()); });
    return smallest;
}

std::unique_ptr<Block> block_of(const model::GrowingStage& stage, const Matrix& states, bool is_double) {
    auto block = stage.make_block(states.cols());
    std::vector<std::byte> packed(block->packed_bytes());
    for (Index i = 0; i < states.cols(); ++i) {
        for (Index k = 0; k < states.rows(); ++k)
            if (const auto single = static_cast<float>(states(k, i)); is_double)
                std::memcpy(packed.data() + at(k) * sizeof(double), &states(k, i), sizeof(double));
            else
                std::memcpy(packed.data() + at(k) * sizeof(float), &single, sizeof(float));
        block->unpack(i, packed);
    }
    return block;
}

TEST(Orthant, SweepsLeaveItsDistribution) {
    constexpr Index size = 96'000;
    for (const bool is_double : {false, true}) {
        const auto settings = three(is_double);
        const Orthant orthant(settings);
        const auto stage = orthant.first_stage();
        stage->grow();
        stage->grow();
        const Matrix before = exact_draws(settings, size);
        const auto block = block_of(*stage, before, is_double);
        for (std::uint32_t sweep = 0; sweep < 8; ++sweep)
            stage->sweep(*block, {4, sweep});
        const Matrix after = orthant_states(*block);
        EXPECT_GT((after - before).cwiseAbs().minCoeff(), 0) << "some particle stands still";
        EXPECT_GT(difference_p_value(before, after), rejection_level);
        // Sweeps with another orthant's precision.
        auto other = settings;
        other.covariance(0, 1) = other.covariance(1, 0) = 1.5;
        const auto wrong = Orthant(other).first_stage();
        wrong->grow();
        wrong->grow();
        const auto same = block_of(*stage, before, is_double);
        for (std::uint32_t sweep = 0; sweep < 8; ++sweep)
            wrong->sweep(*same, {4, sweep});
        EXPECT_LT(difference_p_value(before, orthant_states(*same)), rejection_level) << "the test cannot fail";
    }
}

TEST(Orthant, WeightsAndNewVariablesAreThoseOfTheConditionalNormal) {
    const auto settings = three(true);
    const auto stage = Orthant(settings).first_stage();
    stage->grow();
    const Matrix states = exact_draws(settings, 50).topRows(2);
    const auto block = block_of(*stage, states, true);
    std::vector<double> log_weights(50);
    stage->smooth(*block, {5, 0}, log_weights);
    const std::vector<Index> present{2, 0};
    const Matrix inverse = decompositions::inverse(settings.covariance(present, present));
    const Vector s = settings.covariance(present, 1);
    const double sd = std::sqrt(settings.covariance(1, 1) - s.dot(inverse * s));
    for (Index i = 0; i < 50; ++i)
        EXPECT_NEAR(log_weights[at(i)], log_normal_cdf(s.dot(inverse * states.col(i)) / sd), 1e-10);
    stage->augment(*block, {5, 1});
    const Matrix grown = orthant_states(*block);
    EXPECT_EQ(grown.topRows(2), states);
    EXPECT_GT(grown.row(2).minCoeff(), 0);
}

TEST(Orthant, ClosedFormsEqualQuadrature) {
    for (const Index n : {2, 3})
        for (const double rho : {0.0, 0.3, 0.9}) {
            Matrix covariance = Matrix::Constant(n, n, rho);
            covariance.diagonal().setOnes();
            const Orthant orthant({covariance, -Vector::Ones(n), reversed(n)});
            EXPECT_NEAR(*orthant.exact_log_normaliser(), log_equicorrelated_orthant(n, 0, rho), 1e-11);
        }
    // rho = 1/2: 1/(n + 1), whatever n.
    for (const Index n : {1, 5, 20, 300})
        EXPECT_NEAR(log_equicorrelated_orthant(n, 0, 0.5), -std::log(static_cast<double>(n + 1)), 1e-11);
    // The signs of three variables: all alike, or one of three differs.
    EXPECT_NEAR(std::exp(log_equicorrelated_orthant(3, 0, 0.7)) + 3 * std::exp(log_equicorrelated_orthant(2, 1, 0.7)),
                0.5, 1e-11);
    EXPECT_FALSE(Orthant({some_covariance(4), Vector::Ones(4), {0, 1, 2, 3}}).exact_log_normaliser());
}

} // namespace
} // namespace pearlite::models
