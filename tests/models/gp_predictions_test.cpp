// Predictions of held-out points from weighted particles against ratios of orthants, and from expectation propagation;
// and how the points are read.
#include "models/gaussian_process/gp_predictions.hpp"

#include "io/input_files.hpp"
#include "models/gaussian_process/orthant/orthant.hpp"
#include "models/gaussian_process/orthant/truncated_normal.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/path/tempered.hpp"
#include "random/statistics.hpp"
#include "support/decompositions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace pearlite::models {
namespace {

using random::testing::p_value_of_z;
using random::testing::rejection_level;

/// Two points to learn from and two held out, on a line.
GpClassificationSettings four_points() {
    GpClassificationSettings settings;
    settings.covariance = {Covariance::Kind::squared_exponential, 1.2, 3};
    settings.is_double = true;
    settings.data.training = {Matrix(1, 2), Vector(2), {0, 2}};
    settings.data.training.inputs << 0, 1;
    settings.data.training.classes << 1, -1;
    settings.data.test = {Matrix(1, 2), Vector(2), {1, 3}};
    settings.data.test.inputs << 0.4, 2.5;
    settings.data.test.classes << 1, 1;
    return settings;
}

Matrix sigma_of(const Covariance& kernel, const Matrix& inputs) {
    Matrix sigma = kernel.between(inputs, inputs);
    sigma.diagonal().array() += 1;
    return sigma;
}

/// P(y_* | y), a ratio of orthants in closed form.
double exact_probability(const GpClassificationSettings& settings, Index k) {
    const auto& [training, test, observed] = settings.data;
    Matrix inputs(1, 3);
    inputs << training.inputs, test.inputs.col(k);
    Vector signs(3);
    signs << training.classes, test.classes(k);
    const Orthant all({sigma_of(settings.covariance, inputs), signs, {0, 1, 2}}),
        learnt({sigma_of(settings.covariance, training.inputs), training.classes, {0, 1}});
    return std::exp(*all.exact_log_normaliser() - *learnt.exact_log_normaliser());
}

/// Particles of both observations with exact weights, grown in this order.
struct Particles {
    std::unique_ptr<Block> block;
    std::vector<double> weights;
};

Particles grown(const GpClassificationSettings& settings, const std::vector<Index>& order, Index size) {
    const Orthant orthant({sigma_of(settings.covariance, settings.data.training.inputs), settings.data.training.classes,
                           order, settings.is_double});
    const auto stage = orthant.first_stage();
    Particles particles{stage->make_block(size), std::vector<double>(at(size))};
    stage->draw_first(*particles.block, {11, 0});
    stage->smooth(*particles.block, {11, 1}, particles.weights);
    stage->augment(*particles.block, {11, 2});
    for (double& weight : particles.weights)
        weight = std::exp(weight);
    return particles;
}

/// z of the weighted mean of the probabilities.
double z_score(const Particles& particles, const Matrix& probabilities, Index k, double exact) {
    double sum = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < particles.weights.size(); ++i) {
        sum += particles.weights[i];
        first += particles.weights[i] * probabilities(k, static_cast<Index>(i));
    }
    for (std::size_t i = 0; i < particles.weights.size(); ++i)
        second += std::pow(particles.weights[i] * (probabilities(k, static_cast<Index>(i)) - first / sum), 2);
    return (first / sum - exact) / (std::sqrt(second) / sum);
}

TEST(GpPredictions, OfGrownParticlesAreRatiosOfOrthants) {
    const auto settings = std::make_shared<const GpClassificationSettings>(four_points());
    for (const auto& order : {std::vector<Index>{0, 1}, std::vector<Index>{1, 0}}) {
        const auto particles = grown(*settings, order, 48'000);
        const auto predictions = orthant_predictions(settings, order);
        ASSERT_EQ(predictions->held_out().rows, (std::vector<Index>{1, 3}));
        const Matrix p = predictions->probabilities(*particles.block);
        const auto other_way = orthant_predictions(settings, {order[1], order[0]});
        const Matrix mistaken = other_way->probabilities(*particles.block);
        for (const Index k : {0, 1}) {
            const double exact = exact_probability(*settings, k);
            EXPECT_GT(p_value_of_z(z_score(particles, p, k, exact)), rejection_level) << k;
            // Without weights, and with observations in the wrong order.
            Particles unweighted{nullptr, std::vector<double>(particles.weights.size(), 1.0)};
            EXPECT_LT(p_value_of_z(z_score(unweighted, p, k, exact)), rejection_level) << "the test cannot fail";
            EXPECT_LT(p_value_of_z(z_score(particles, mistaken, k, exact)), rejection_level) << "the test cannot fail";
        }
    }
}

// Draws of the prior of latent values weighted by their likelihood.
TEST(GpPredictions, OfLatentValuesAreRatiosOfOrthants) {
    const auto settings = std::make_shared<const GpClassificationSettings>(four_points());
    const auto& training = settings->data.training;
    for (const auto coordinates : {LatentCoordinates::prior, LatentCoordinates::posterior}) {
        const GpLatent density(settings->covariance.between(training.inputs, training.inputs), training.classes,
                               coordinates);
        const auto path = path::tempered(density);
        Particles particles{path->make_block(48'000), std::vector<double>(48'000, 0.0)};
        path->draw_start(*particles.block, {13, 0});
        path->add_log_ratio(*particles.block, 0, 1, particles.weights);
        for (double& weight : particles.weights)
            weight = std::exp(weight);
        const Matrix p = latent_predictions(settings, density)->probabilities(*particles.block);
        const Particles unweighted{nullptr, std::vector<double>(particles.weights.size(), 1.0)};
        for (const Index k : {0, 1}) {
            const double exact = exact_probability(*settings, k);
            EXPECT_GT(p_value_of_z(z_score(particles, p, k, exact)), rejection_level) << k;
            EXPECT_LT(p_value_of_z(z_score(unweighted, p, k, exact)), rejection_level) << "the test cannot fail";
        }
    }
}

TEST(GpPredictions, OfExpectationPropagationComeNear) {
    const auto settings = std::make_shared<const GpClassificationSettings>(four_points());
    const auto found = gp_approximation(settings)->approximations();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].name, "expectation-propagation");
    const Orthant learnt(
        {sigma_of(settings->covariance, settings->data.training.inputs), settings->data.training.classes, {0, 1}});
    EXPECT_NEAR(found[0].log_evidence + *found[0].correction, *learnt.exact_log_normaliser(), 1e-4);
    for (const Index k : {0, 1}) {
        EXPECT_NEAR(found[0].probabilities(k), exact_probability(*settings, k), 0.01);
        EXPECT_GT(std::abs(found[0].probabilities(k) - 0.5), 0.03) << "the test cannot fail";
    }
}

TEST(SignPredictor, IsTheConditionalNormal) {
    random::Stream stream({12, random::Purpose::test, 24, 0});
    const Matrix root = Matrix::NullaryExpr(7, 7, [&](Index, Index) { return stream.normal(); });
    const Matrix all = root * root.transpose() + Matrix::Identity(7, 7), sigma = all.topLeftCorner(5, 5),
                 cross = all.topRightCorner(5, 2);
    const Vector variances = all.diagonal().tail(2);
    Vector signs(2);
    signs << 1, -1;
    const Matrix states = Matrix::NullaryExpr(5, 3, [&](Index, Index) { return stream.normal(); });
    const Matrix p = SignPredictor(sigma, cross, variances, signs).probabilities(states),
                 weights = decompositions::inverse(sigma) * cross;
    for (const Index k : {0, 1}) {
        const double sd = std::sqrt(variances(k) - cross.col(k).dot(weights.col(k)));
        for (Index i = 0; i < 3; ++i)
            EXPECT_NEAR(p(k, i), std::exp(log_normal_cdf(signs(k) * weights.col(k).dot(states.col(i)) / sd)), 1e-12);
    }
    EXPECT_THROW(SignPredictor(sigma, cross, 0.01 * variances, signs), NumericalError);
}

class ClassificationFiles : public ::testing::Test {
  protected:
    ClassificationFiles() {
        settings_.file = directory_.write("train.csv", "a,kind,b\n1,0,10\n2,1,20\n3,7,30\n4,0,40\n");
        settings_.label = "kind";
        settings_.classes = {0, 1};
        settings_.scaling = InputScaling::none;
    }

    io::testing::TemporaryDirectory directory_;
    ClassificationSettings settings_;
};

TEST_F(ClassificationFiles, RowsOfAnotherTableAreHeldOut) {
    EXPECT_EQ(read_classification(settings_).test.size(), 0);
    settings_.test_file = directory_.write("test.csv", "a,kind,b\n5,1,50\n6,7,60\n7,0,70\n");
    const auto data = read_classification(settings_);
    Matrix training(2, 3), test(2, 2);
    training << 1, 2, 4, 10, 20, 40;
    test << 5, 7, 50, 70;
    EXPECT_EQ(data.training.inputs, training);
    EXPECT_EQ(data.training.rows, (std::vector<Index>{0, 1, 3}));
    EXPECT_EQ(data.test.inputs, test);
    EXPECT_EQ(data.test.rows, (std::vector<Index>{0, 2}));
    EXPECT_EQ(data.test.classes, (Vector(2) << 1, -1).finished());
    // Scaled by what is learnt from.
    settings_.scaling = InputScaling::standardise;
    const auto scaled = read_classification(settings_);
    EXPECT_NEAR(scaled.training.inputs.row(0).mean(), 0, 1e-15);
    EXPECT_NEAR(scaled.test.inputs(0, 0), (5 - 7.0 / 3) / std::sqrt(14.0 / 9), 1e-14);
}

TEST_F(ClassificationFiles, OtherColumnsAreRefused) {
    settings_.test_file = directory_.write("other.csv", "b,kind,a\n5,1,50\n");
    EXPECT_THROW(read_classification(settings_), InputError);
    settings_.test_file.reset();
    settings_.classes.clear();
    EXPECT_THROW(read_classification(settings_), InputError) << "three classes";
}

TEST_F(ClassificationFiles, RowsAreDealtBySeed) {
    settings_.training_rows = 2;
    const auto one = read_classification(settings_);
    EXPECT_EQ(one.training.size(), 2);
    EXPECT_EQ(one.test.size(), 1);
    std::vector<Index> rows(one.training.rows);
    rows.insert(rows.end(), one.test.rows.begin(), one.test.rows.end());
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, (std::vector<Index>{0, 1, 3}));
}

TEST(ClassificationData, TheTestPartOfDigitsIsHeldOut) {
    const char* directory = std::getenv("PEARLITE_DATA_DIR");
    if (directory == nullptr)
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set: published data are not read";
    ClassificationSettings settings;
    settings.file = std::filesystem::path(directory) / "usps/usps.h5";
    settings.classes = {3, 5};
    const auto given = read_classification(settings);
    EXPECT_EQ(given.training.size(), 658 + 556);
    EXPECT_EQ(given.test.size(), 166 + 160);
    settings.training_rows = 767;
    EXPECT_EQ(read_classification(settings).test.size(), 773);
    settings.test_file = settings.file;
    EXPECT_THROW(read_classification(settings), InputError);
}

} // namespace
} // namespace pearlite::models
