/// Log densities of test images, by the definition, for each form that grey levels are given.

#include "models/rbm_oracle.hpp"
#include "pearlite/random/stream.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::models {
namespace {

using Form = RbmTestImages::Form;

Rbm machine_with_images(Form form, std::uint64_t seed = 1) {
    auto parameters = rbm_oracle::asymmetric_rbm(23, 9, 0.8, 4);
    parameters.test.images.resize(23, 700);
    random::Stream stream({5, random::Purpose::test, 0, 0});
    for (Index k = 0; k < parameters.test.images.size(); ++k)
        parameters.test.images.data()[k] = static_cast<std::uint8_t>(stream.index(256));
    parameters.test.form = form;
    parameters.test.seed = seed;
    return Rbm(std::move(parameters));
}

TEST(RbmTestData, IsThatOfTheUnits) {
    const Rbm grey = machine_with_images(Form::grey), threshold = machine_with_images(Form::threshold);
    const auto of_grey = grey.test_data(), of_threshold = threshold.test_data();
    EXPECT_EQ(of_grey.form, "grey");
    EXPECT_EQ(of_threshold.form, "threshold");
    EXPECT_FALSE(of_grey.seed);
    ASSERT_EQ(of_grey.log_densities.size(), 700u);
    for (Index image = 0; image < 700; ++image) {
        const Vector v = grey.parameters().test.images.col(image).cast<double>() / 255;
        EXPECT_NEAR(of_grey.log_densities[at(image)], rbm_oracle::log_density(grey.parameters(), v, 1), 1e-10);
        const Vector on = v.unaryExpr([](double x) { return x > 0.5 ? 1.0 : 0.0; });
        EXPECT_NEAR(of_threshold.log_densities[at(image)], rbm_oracle::log_density(grey.parameters(), on, 1), 1e-10);
    }
}

TEST(RbmTestData, IsDrawnByASeed) {
    const auto first = machine_with_images(Form::stochastic, 3).test_data();
    EXPECT_EQ(first.form, "stochastic");
    EXPECT_EQ(first.seed, 3u);
    EXPECT_EQ(machine_with_images(Form::stochastic, 3).test_data().log_densities, first.log_densities);
    EXPECT_NE(machine_with_images(Form::stochastic, 4).test_data().log_densities, first.log_densities);
}

/// The linear part of many draws of one image has the mean that its grey levels give it.
TEST(RbmTestData, PixelsAreOnWithTheProbabilityOfTheirGreyLevels) {
    RbmParameters parameters{Matrix::Zero(3, 1), Vector(3), Vector::Zero(1), Vector::Zero(3), {}};
    parameters.visible_bias << 1, 10, 100;
    parameters.test.images.resize(3, 20000);
    parameters.test.images.colwise() = Eigen::Matrix<std::uint8_t, 3, 1>(51, 204, 255);
    const Rbm machine(std::move(parameters));
    double mean = 0;
    for (const double log_density : machine.test_data().log_densities)
        mean += (log_density - std::log(2)) / 20000;
    const double expected = 0.2 + 8 + 100, variance = 0.16 + 16;
    EXPECT_NEAR(mean, expected, 4.5 * std::sqrt(variance / 20000));
}

} // namespace
} // namespace pearlite::models
