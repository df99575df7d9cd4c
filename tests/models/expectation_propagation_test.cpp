// Expectation propagation against exact orthant probabilities, before and after
// its correction, and on digits.
#include "models/gaussian_process/expectation_propagation.hpp"

#include "models/gaussian_process/classification_data.hpp"
#include "models/gaussian_process/gp_classification.hpp"
#include "models/gaussian_process/orthant/orthant.hpp"
#include "models/gaussian_process/orthant/truncated_normal.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"
#include "support/decompositions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <numbers>
#include <numeric>
#include <vector>

namespace pearlite::models {
namespace {

/// A classification with an exact answer.
struct Case {
    Matrix covariance; ///< K
    Vector signs;
    double exact; ///< log Z
};

Matrix with_noise(Matrix covariance) {
    covariance.diagonal().array() += 1;
    return covariance;
}

/// Two or three points on a line, whose orthants have closed forms.
Case on_a_line(Index n, double variance, double distance, bool alternates) {
    Matrix inputs(1, n);
    Vector signs(n);
    std::vector<Index> order(at(n));
    std::iota(order.begin(), order.end(), Index{0});
    for (Index i = 0; i < n; ++i) {
        inputs(0, i) = distance * static_cast<double>(i);
        signs(i) = alternates && i % 2 == 1 ? -1 : 1;
    }
    const Covariance kernel{Covariance::Kind::squared_exponential, 1, std::sqrt(variance)};
    const Matrix covariance = kernel.between(inputs, inputs);
    const Orthant orthant({with_noise(covariance), signs, order});
    return {covariance, signs, orthant.exact_log_normaliser().value()};
}

/// Each two variables have the same correlation, so that the orthant is an
/// integral over one.
Case equicorrelated(Index n, Index n_negative, double variance, double correlation) {
    Matrix covariance = Matrix::Constant(n, n, variance * correlation);
    covariance.diagonal().setConstant(variance);
    Vector signs = Vector::Ones(n);
    signs.head(n_negative).setConstant(-1);
    return {covariance, signs,
            log_equicorrelated_orthant(n - n_negative, n_negative, variance * correlation / (1 + variance))};
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const double variance : {1.0, 20.0, 400.0})
        for (const bool alternates : {false, true}) {
            for (const Index n : {2, 3})
                all.push_back(on_a_line(n, variance, 1.0, alternates));
            for (const Index n : {4, 5})
                all.push_back(equicorrelated(n, alternates ? n / 2 : 0, variance, 0.5));
        }
    return all;
}

TEST(ExpectationPropagation, ComesNearToOrthantsAndItsCorrectionNearer) {
    double largest = 0, largest_corrected = 0, least_gain = infinity;
    for (const auto& [covariance, signs, exact] : cases()) {
        const auto q = expectation_propagation(covariance, signs);
        EXPECT_TRUE(q.has_converged);
        const double error = std::abs(q.log_evidence - exact),
                     corrected = std::abs(q.log_evidence + q.correction - exact);
        largest = std::max(largest, error);
        largest_corrected = std::max(largest_corrected, corrected);
        least_gain = std::min(least_gain, error / corrected);
        // The correction of the other sign is one that does not help.
        EXPECT_GT(std::abs(q.log_evidence - q.correction - exact), 1.5 * error) << "the test cannot fail";
    }
    EXPECT_GT(largest, 5e-3) << "the cases are too easy";
    EXPECT_LT(largest, 2e-2);
    EXPECT_LT(largest_corrected, 1e-3);
    EXPECT_GT(least_gain, 18);
}

TEST(ExpectationPropagation, RefusesTheEvidenceOfAnotherModel) {
    // The model without noise, Sigma = K, which the same formulas nearly have.
    const auto right = on_a_line(3, 20, 1, true);
    const Orthant wrong({right.covariance, right.signs, {0, 1, 2}});
    const auto q = expectation_propagation(right.covariance, right.signs);
    const double corrected = q.log_evidence + q.correction;
    EXPECT_LT(std::abs(corrected - right.exact), 1e-3);
    EXPECT_GT(std::abs(corrected - *wrong.exact_log_normaliser()), 0.1) << "the test cannot fail";
}

TEST(ExpectationPropagation, IsExactForIndependentVariables) {
    constexpr Index n = 6;
    Vector signs = Vector::Ones(n);
    signs(2) = signs(5) = -1;
    const Vector variances = Vector::LinSpaced(n, 0.01, 500);
    const auto q = expectation_propagation(variances.asDiagonal(), signs);
    EXPECT_NEAR(q.log_evidence, -static_cast<double>(n) * std::numbers::ln2, 1e-12);
    EXPECT_EQ(q.correction, 0);
    // The moments of N(x; 0, v) Phi(y x)/(1/2).
    for (Index i = 0; i < n; ++i) {
        const double slope = variances(i) / std::sqrt(1 + variances(i)), mean = slope * std::sqrt(2 / std::numbers::pi);
        EXPECT_NEAR(q.mean(i), signs(i) * mean, 1e-10 * mean);
        EXPECT_NEAR(q.covariance(i, i), variances(i) - mean * mean, 1e-10 * variances(i));
    }
}

TEST(ExpectationPropagation, DoesNotSeeTheScaleOfOrthants) {
    const auto [covariance, signs, exact] = equicorrelated(5, 2, 50, 0.4);
    const auto q = expectation_propagation(covariance, signs);
    for (const double jitter : {1e-6, 1e-3, 1.0}) {
        // (1 + e)(K + I) = K' + I.
        Matrix scaled = (1 + jitter) * covariance;
        scaled.diagonal().array() += jitter;
        const auto same = expectation_propagation(scaled, signs);
        EXPECT_NEAR(same.log_evidence, q.log_evidence, 1e-9) << jitter;
        EXPECT_NEAR(same.correction, q.correction, 1e-8) << jitter;
        // K + e I alone is another model.
        if (jitter == 1) {
            const Matrix other = covariance + Matrix::Identity(5, 5);
            EXPECT_GT(std::abs(expectation_propagation(other, signs).log_evidence - q.log_evidence), 1e-3)
                << "the test cannot fail";
        }
    }
}

TEST(ExpectationPropagation, MatchesTheMomentsOfTiltedDistributions) {
    const auto [covariance, signs, exact] = on_a_line(3, 30, 0.7, true);
    const auto q = expectation_propagation(covariance, signs);
    const Matrix precision = decompositions::inverse(covariance) + Matrix(q.site_precisions.asDiagonal());
    EXPECT_LT((q.covariance - decompositions::inverse(precision)).norm(), 1e-8 * q.covariance.norm());
    EXPECT_LT((q.mean - decompositions::inverse(precision) * q.site_shifts).norm(), 1e-8 * q.mean.norm());
    for (Index i = 0; i < signs.size(); ++i) {
        const double v = 1 / (1 / q.covariance(i, i) - q.site_precisions(i)),
                     m = v * (q.mean(i) / q.covariance(i, i) - q.site_shifts(i));
        // Moments of N(x; m, v) Phi(y x), by sums.
        double mass = 0, first = 0, second = 0;
        constexpr double reach = 12, step = 1e-3;
        for (double t = -reach; t <= reach; t += step) {
            const double x = m + std::sqrt(v) * t, weight = std::exp(-0.5 * t * t + log_normal_cdf(signs(i) * x));
            mass += weight;
            first += weight * x;
            second += weight * x * x;
        }
        const double mean = first / mass;
        EXPECT_NEAR(q.mean(i), mean, 1e-4 * std::sqrt(v));
        EXPECT_NEAR(q.covariance(i, i), second / mass - mean * mean, 1e-4 * v);
        EXPECT_GT(std::abs(m - mean), 1e-2 * std::sqrt(v)) << "the cavity itself would do: the test cannot fail";
    }
}

TEST(ExpectationPropagation, PredictsItsOwnMarginalsAndTheConditionalNormal) {
    const auto [covariance, signs, exact] = on_a_line(3, 9, 0.8, true);
    const auto q = expectation_propagation(covariance, signs);
    const auto same = predict(q, covariance, covariance, covariance.diagonal());
    EXPECT_LT((same.means - q.mean).norm(), 1e-9);
    EXPECT_LT((same.variances - q.covariance.diagonal()).norm(), 1e-9);
    // x_* given x is normal with mean k'K^-1 x; over q.
    const Matrix cross =
        Matrix::NullaryExpr(3, 2, [](Index i, Index j) { return 1.0 + 0.5 * static_cast<double>(i - j); });
    const Vector own = Vector::Constant(2, 9);
    const auto other = predict(q, covariance, cross, own);
    const Matrix weights = decompositions::inverse(covariance) * cross;
    EXPECT_LT((other.means - weights.transpose() * q.mean).norm(), 1e-9);
    const Vector variances =
        own - (cross.transpose() * weights).diagonal() + (weights.transpose() * q.covariance * weights).diagonal();
    EXPECT_LT((other.variances - variances).norm(), 1e-8);
}

TEST(ExpectationPropagation, RefusesWhatIsNoCovariance) {
    Matrix covariance(2, 2);
    covariance << 1, 9, 9, 1;
    EXPECT_THROW(expectation_propagation(covariance, Vector::Ones(2)), NumericalError);
}

/// 767 of the threes and fives, at the hardest covariance of Fraccaro, Paquet &
/// Winther (2016).
TEST(ExpectationPropagation, IsStableOnDigits) {
    const char* directory = std::getenv("PEARLITE_DATA_DIR");
    if (directory == nullptr)
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set: published data are not read";
    ClassificationSettings settings;
    settings.file = std::filesystem::path(directory) / "usps/usps.h5";
    settings.classes = {3, 5};
    settings.training_rows = 767;
    settings.scaling = InputScaling::symmetric;
    const auto training = read_classification(settings).training;
    const Covariance kernel{Covariance::Kind::squared_exponential, std::exp(4.85), std::exp(5.1)};
    const Matrix covariance = kernel.between(training.inputs, training.inputs);
    const auto q = expectation_propagation(covariance, training.classes);
    EXPECT_TRUE(q.has_converged);
    EXPECT_LE(q.sweeps, 20);
    // -104.89 and 0.271 here; -112.25 and 0.275 on another split of the same
    // size.
    EXPECT_GT(q.log_evidence, -135);
    EXPECT_LT(q.log_evidence, -90);
    EXPECT_GT(q.correction, 0.1);
    EXPECT_LT(q.correction, 0.6);
    EXPECT_GE(q.site_precisions.minCoeff(), 0);
    constexpr double jitter = 1e-3;
    Matrix scaled = (1 + jitter) * covariance;
    scaled.diagonal().array() += jitter;
    const auto same = expectation_propagation(scaled, training.classes);
    EXPECT_NEAR(same.log_evidence, q.log_evidence, 1e-6);
    EXPECT_NEAR(same.correction, q.correction, 1e-6);
    const auto again = predict(q, covariance, covariance, covariance.diagonal());
    EXPECT_LT((again.means - q.mean).norm(), 1e-6 * q.mean.norm());
}

} // namespace
} // namespace pearlite::models
