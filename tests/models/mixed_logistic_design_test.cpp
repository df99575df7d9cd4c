#include "models/mixed_logistic/mixed_logistic_design.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::models {
namespace {

using Names = std::vector<std::string>;

RepeatedResponses small() {
    return {Vector{{1, 1, 2, 2, 2}},
            Vector{{0, 1, 1, 0, 1}},
            {{"dose", Vector{{0.5, 1, 2, 4, 8}}},
             {"race", Vector{{0, 1, 2, 1, 0}}, {"white", "black", "other"}},
             {"sex", Vector{{1, 0, 1, 0, 1}}, {"f", "m"}}}};
}

TEST(MixedLogisticDesign, FactorsAndProductsAsColumns) {
    const auto design = mixed_logistic_design(small(), {"dose", "race", "sex", "race:dose", "race:sex"}).settings;
    EXPECT_EQ(design.names, (Names{"intercept", "dose", "race[black]", "race[other]", "sex[m]", "race[black]:dose",
                                   "race[other]:dose", "race[black]:sex[m]", "race[other]:sex[m]"}));
    const Matrix expected{{1, 0.5, 0, 0, 1, 0, 0, 0, 0},
                          {1, 1, 1, 0, 0, 1, 0, 0, 0},
                          {1, 2, 0, 1, 1, 0, 2, 0, 1},
                          {1, 4, 1, 0, 0, 4, 0, 0, 0},
                          {1, 8, 0, 0, 1, 0, 0, 0, 0}};
    EXPECT_EQ(design.design, expected);
    EXPECT_EQ(design.effects_design, Matrix::Ones(5, 1));
    EXPECT_EQ(design.effect_names, Names{"intercept"});
    EXPECT_EQ(design.subject, (std::vector<Index>{1, 1, 2, 2, 2}));
    EXPECT_EQ(design.response, small().response);
    EXPECT_EQ(MixedLogistic(design).n_subjects(), 2);
}

TEST(MixedLogisticDesign, RowsThatLackAValueInUseAreLeftOut) {
    auto data = small();
    data.covariates[0].values(1) = std::nan("");
    data.covariates[1].values(3) = -2147483649.0;
    const auto both = mixed_logistic_design(data, {"dose", "race"});
    EXPECT_EQ(both.n_left_out, 2);
    EXPECT_EQ(both.settings.subject, (std::vector<Index>{1, 2, 2}));
    EXPECT_EQ(both.settings.design.col(1), (Vector{{0.5, 2, 8}}));
    EXPECT_EQ(mixed_logistic_design(data, {"sex"}).n_left_out, 0);
    EXPECT_EQ(mixed_logistic_design(data, {"sex"}, {"intercept", "dose"}).n_left_out, 1);
}

TEST(MixedLogisticDesign, RandomSlopes) {
    const auto design = mixed_logistic_design(small(), {"dose"}, {"intercept", "dose", "sex"}).settings;
    EXPECT_EQ(design.effect_names, (Names{"intercept", "dose", "sex[m]"}));
    EXPECT_EQ(design.effects_design.col(1), small().covariates[0].values);
}

TEST(MixedLogisticDesign, SimulatedResponsesAreThoseOfTheModel) {
    const SimulatedSubjects settings{
        .subjects = 20000, .responses_each = 3, .coefficients = {-0.5, 1.5, 0.7}, .deviation = 1.3};
    random::Stream stream({7, random::Purpose::synthetic_data, 0, 0});
    const auto data = simulate_responses(settings, stream);
    ASSERT_EQ(data.response.size(), 60000);
    ASSERT_EQ(data.covariates.size(), 2U);
    EXPECT_EQ(data.covariates[1].name, "x2");
    EXPECT_EQ(data.subject(5), 1);
    EXPECT_NEAR(data.covariates[0].values.mean(), 0.5, 0.006);

    // The score is 0 at the true parameters, within the root of the information, and nowhere else.
    const MixedLogistic model(mixed_logistic_design(data, {"x1", "x2"}).settings);
    const Vector truth{{-0.5, 1.5, 0.7, std::log(1.3)}};
    const auto score = [&](const Vector& at, Index k) {
        Vector gradient(4);
        model.exact_log_likelihood({at.data(), 4}, {gradient.data(), 4});
        return gradient(k);
    };
    for (Index k = 0; k < 4; ++k) {
        Vector above = truth, below = truth;
        above(k) += 0.01;
        below(k) -= 0.01;
        const double information = (score(below, k) - score(above, k)) / 0.02;
        EXPECT_LT(std::fabs(score(truth, k)), 3.5 * std::sqrt(information)) << k;
        Vector wrong = truth;
        wrong(k) += 0.3;
        EXPECT_GT(std::fabs(score(wrong, k)), 5 * std::sqrt(information)) << k;
    }
}

TEST(MixedLogisticDesign, MistakesAreNamed) {
    EXPECT_THROW(mixed_logistic_design(small(), {"height"}), InputError);
    EXPECT_THROW(mixed_logistic_design(small(), {"dose:"}), InputError);
    EXPECT_THROW(mixed_logistic_design(small(), {}, {"race"}), InputError);
    EXPECT_THROW(mixed_logistic_design(small(), {}, {}), InputError);
    const auto refused = [](auto change) {
        auto data = small();
        change(data);
        EXPECT_THROW(mixed_logistic_design(data, {"dose", "race"}), InputError);
    };
    refused([](auto& d) { d.covariates[1].values(0) = 3; });
    refused([](auto& d) { d.covariates[1].values(0) = 0.5; });
    refused([](auto& d) { d.covariates[0].values.conservativeResize(4); });
    refused([](auto& d) { d.subject(0) = 0.5; });
    refused([](auto& d) { d.subject.conservativeResize(4); });
    refused([](auto& d) { d.response(0) = 2; });
    refused([](auto& d) { d.response.setConstant(std::nan("")); });
}

TEST(MixedLogisticDesign, ClassicDataSets) {
    const Vector subject{{1, 1, 2}}, response{{0, 1, 1}}, one{{0, 0, 1}}, other{{0, 2.5, 3}};
    const auto nail = toenail(subject, response, one, other).settings;
    EXPECT_EQ(nail.names, (Names{"intercept", "terbinafine", "month", "terbinafine:month"}));
    EXPECT_EQ(nail.design, (Matrix{{1, 0, 0, 0}, {1, 0, 2.5, 0}, {1, 1, 3, 3}}));
    EXPECT_EQ(ohio_wheeze(subject, response, other, one).settings.names,
              (Names{"intercept", "age", "smoke", "age:smoke"}));
    EXPECT_EQ(ohio_wheeze(subject, response, other, one, false).settings.design.cols(), 3);

    PolypharmacyColumns c{.id = subject,
                          .polypharmacy = response,
                          .mhv4 = Vector{{0, 3, 1}},
                          .inptmhv3 = Vector{{2, 0, 0}},
                          .group = one,
                          .urban = Vector{{0, -1, 1}},
                          .comorbid = one,
                          .anyprim = one,
                          .numprim = one,
                          .gender = Vector{{1, 1, 0}},
                          .race = Vector{{0, 0, 2}},
                          .ethnic = one,
                          .year = other,
                          .age = other};
    const auto pills = polypharmacy(c);
    EXPECT_EQ(pills.n_left_out, 0);
    EXPECT_EQ(pills.settings.names, (Names{"intercept", "gender[Male]", "race[Black]", "race[Other]", "age",
                                           "mhv4[1-5]", "mhv4[6-14]", "mhv4[>14]", "inptmhv3[1]", "inptmhv3[>1]"}));
    EXPECT_EQ(pills.settings.design.row(0), (Eigen::RowVectorXd{{1, 1, 0, 0, 0, 0, 0, 0, 0, 1}}));
    EXPECT_EQ(polypharmacy(c, {"urban"}).n_left_out, 1);
    EXPECT_THROW(polypharmacy_levels("age"), InputError);
}

} // namespace
} // namespace pearlite::models
