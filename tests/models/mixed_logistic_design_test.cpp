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
