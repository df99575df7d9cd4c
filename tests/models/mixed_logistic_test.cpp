#include "models/mixed_logistic/mixed_logistic.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/model/estimated_likelihood.hpp"

#include "models/mixed_logistic_cases.hpp"
#include "models/unbiasedness.hpp"
#include "random/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace pearlite::models {
namespace {

using namespace testing;

/// The limit of z for about twenty comparisons with fixed seeds: a false alarm for about one seed in a hundred.
constexpr double largest_z = 3.5;

/// log estimate - log exact of `replicates` estimates at one point.
std::vector<double> log_errors(const MixedLogistic& model, const std::vector<double>& u, Index replicates,
                               std::uint64_t seed) {
    Matrix points(static_cast<Index>(u.size()), padded(replicates));
    points.colwise() = Eigen::Map<const Vector>(u.data(), points.rows());
    std::vector<double> log_prior(static_cast<std::size_t>(replicates)), log_likelihood(log_prior);
    model.estimate(points, {.seed = seed}, log_prior, log_likelihood);
    const double exact = model.exact_log_likelihood(u);
    for (double& value : log_likelihood)
        value -= exact;
    return log_likelihood;
}

double variance_of(const std::vector<double>& values) {
    const auto m = MeanError(values);
    return m.error * m.error * static_cast<double>(values.size());
}

TEST(MixedLogistic, EstimatesAreUnbiased) {
    struct Case {
        Index subjects, most_rows, q, samples;
        std::vector<double> u;
    };
    const std::vector<Case> cases{
        {1, 5, 1, 4, {-1, -0.3, 0.5, 0.7}},
        {1, 1, 1, 8, {2, 0, 0, 3}},
        {5, 7, 1, 4, {-1, -0.3, 0.5, 0}},
        {20, 7, 1, 16, {-3, -0.5, 1, 1.5}},
        {20, 7, 1, 32, {0, 0, 0, -3}},
        {294, 7, 1, 64, {-1, -0.3, 0.5, 0.7}},
        {294, 7, 1, 128, {-1.6, -0.4, 0.1, 1.4}},
        {6, 6, 2, 8, {-1, -0.3, 0.5, 0.7, -0.7}},
        {100, 7, 2, 64, {-1, -0.3, 0.5, 1, -1}},
        {5, 4, 3, 16, {-1, -0.3, 0.5, 0.7, -0.7, 0.2}},
    };
    std::uint64_t seed = 10;
    for (const auto& c : cases) {
        auto settings = mixed_case(c.subjects, c.most_rows, c.q, ++seed);
        settings.samples = c.samples;
        const auto errors = log_errors(MixedLogistic(settings), c.u, 1000, seed);
        ASSERT_LT(variance_of(errors), 2) << "a mean of exp() would say nothing";
        EXPECT_LT(std::fabs(unbiasedness_z(errors)), largest_z) << "case " << seed - 10;
    }
}

TEST(MixedLogistic, CorrelatedEffectsAreEstimatedWithoutBias) {
    auto settings = mixed_case(12, 6, 2, 31);
    settings.correlation_prior = model::Prior::parse("uniform(-1, 1)");
    const MixedLogistic model(settings);
    const double u = model.parameters().unconstrained(5, -0.8);
    EXPECT_LT(std::fabs(unbiasedness_z(log_errors(model, {-1, -0.3, 0.5, 1, 0, u}, 2000, 32))), largest_z);
}

TEST(MixedLogistic, FourEffectsAreEstimatedWithoutBias) {
    // Their sum is one effect, whose likelihood is cheaper to integrate.
    auto settings = mixed_case(8, 4, 1, 33);
    const MixedLogistic one(settings);
    settings.effects_design = settings.effects_design.replicate(1, 4).eval();
    settings.effect_names.assign(4, "x");
    const MixedLogistic four(settings);
    const double exact = one.exact_log_likelihood(std::array{-1.0, -0.3, 0.5, std::log(2.0)});
    const Vector u{{-1, -0.3, 0.5, 0, 0, 0, 0}};
    std::vector<double> errors;
    for (std::uint64_t id = 0; id < 3000; ++id)
        errors.push_back(four.log_estimates({u.data(), 7}, {34, model::likelihood_draws, id, 0}).sum() - exact);
    EXPECT_LT(std::fabs(unbiasedness_z(errors)), largest_z);
}

/// A plain estimator of a model with one effect, with the mistakes that the test of unbiasedness must notice.
enum class Mistake { none, density_forgotten, mean_of_logs, shared_draws };
std::vector<double> plain_log_errors(const MixedLogisticSettings& settings, Mistake mistake, Index samples) {
    const Vector beta{{-1, -0.3, 0.5}};
    const double deviation = 2;
    const Vector exact =
        MixedLogistic(settings).exact_log_likelihoods(std::array{beta(0), beta(1), beta(2), std::log(deviation)});
    std::vector<double> errors(1000, 0);
    for (Index s = 0; s < exact.size(); ++s) {
        const auto rows = rows_of(settings, s);
        const auto log_f = [&](double v) { return plain_log_integrand(settings, rows, beta, deviation, v); };
        const double mode = plain_mode(log_f), height = log_f(mode), step = 1e-3;
        const double scale = step / std::sqrt(2 * height - log_f(mode + step) - log_f(mode - step));
        const auto subject = static_cast<std::uint64_t>(mistake == Mistake::shared_draws ? 0 : s);
        for (std::size_t i = 0; i < errors.size(); ++i) {
            random::Stream stream({41, random::Purpose::test, i << 20 | subject, 0});
            double sum = 0, sum_of_logs = 0;
            for (Index k = 0; k < samples; ++k) {
                const double t = stream.normal() / std::sqrt(stream.gamma(2) / 2), spread = 1 + t * t / 4;
                double log_weight = log_f(mode + scale * t) + std::log(scale);
                if (mistake != Mistake::density_forgotten)
                    log_weight += std::log(8.0 / 3) + 2.5 * std::log(spread); // density 3/8 spread^(-5/2)
                sum += std::exp(log_weight);
                sum_of_logs += log_weight;
            }
            const auto n = static_cast<double>(samples);
            errors[i] += (mistake == Mistake::mean_of_logs ? sum_of_logs / n : std::log(sum / n)) - exact(s);
        }
    }
    return errors;
}

TEST(MixedLogistic, MistakesAreNoticed) {
    const auto settings = mixed_case(60, 5, 1, 42);
    EXPECT_LT(std::fabs(unbiasedness_z(plain_log_errors(settings, Mistake::none, 16))), largest_z);
    for (const auto mistake : {Mistake::density_forgotten, Mistake::mean_of_logs, Mistake::shared_draws})
        EXPECT_GT(std::fabs(unbiasedness_z(plain_log_errors(settings, mistake, 16))), 2 * largest_z);
}

TEST(MixedLogistic, TheVarianceIsAConstantOverTheNumberOfSamples) {
    for (const Index q : {1, 2}) {
        auto model = MixedLogistic(mixed_case(40, 7, q, 51));
        std::vector<double> u{-1, -0.3, 0.5, 0.7};
        if (q == 2)
            u.push_back(-0.7);
        std::vector<double> constants;
        for (const Index samples : {64, 128, 256}) {
            model.set_particles(samples);
            // Standard error of a variance of 2000 nearly normal numbers: 3 %.
            constants.push_back(variance_of(log_errors(model, u, 2000, 52)) * static_cast<double>(samples));
        }
        EXPECT_NEAR(constants[1] / constants[2], 1, 0.2);
        EXPECT_NEAR(constants[0] / constants[2], 1, 0.25);
    }
}

// A normal proposal of the same curvature has weights of infinite variance where the curvature is 2 or more. The
// weights here are bounded: none exceeds those at a few units of |x|.
TEST(MixedLogistic, WeightsAreBounded) {
    MixedLogisticSettings s;
    const Index n = 40; // curvature 40 at the mode, tails of the prior
    s.design = s.effects_design = Matrix::Ones(n, 1);
    s.response = Vector::NullaryExpr(n, [](Index j) { return j < 20 ? 1.0 : 0.0; });
    s.subject.assign(static_cast<std::size_t>(n), 7);
    s.names = s.effect_names = {"x"};
    s.samples = 4;
    const auto errors = log_errors(MixedLogistic(s), {0, std::log(2.0)}, 100000, 61);
    EXPECT_LT(*std::max_element(errors.begin(), errors.end()), std::log(2.0));
    EXPECT_LT(std::fabs(unbiasedness_z(errors)), largest_z);
}

TEST(MixedLogistic, EstimatesDependOnPointAndAddressAlone) {
    const MixedLogistic model(mixed_case(13, 5, 2, 71));
    Matrix points(5, 32);
    random::Stream stream({72, random::Purpose::test, 0, 0});
    for (Index i = 0; i < 32; ++i)
        model.draw_prior(stream, {points.col(i).data(), 5});
    std::vector<double> prior(20), likelihood(20), one_prior(1), one(1);
    const model::BlockStreams streams{.seed = 3, .step = 9, .generation = 1, .first_slot = 100, .block = 4};
    model.estimate(points, streams, prior, likelihood);
    for (Index i = 0; i < 20; ++i) {
        auto shifted = streams;
        shifted.first_slot += i;
        shifted.block = 77;
        model.estimate(points.middleCols(i, 1), shifted, one_prior, one);
        EXPECT_EQ(one[0], likelihood[static_cast<std::size_t>(i)]);
        EXPECT_EQ(one_prior[0], model.log_prior({points.col(i).data(), 5}));
    }
    auto later = streams;
    later.step = 10;
    model.estimate(points, later, prior, one_prior = std::vector<double>(20));
    for (std::size_t i = 0; i < 20; ++i)
        EXPECT_NE(one_prior[i], likelihood[i]);
}

TEST(MixedLogistic, SubjectsHaveDrawsOfTheirOwn) {
    auto settings = mixed_case(1, 5, 1, 81);
    const auto n = settings.response.size();
    settings.design = settings.design.replicate(30, 1).eval();
    settings.effects_design = settings.effects_design.replicate(30, 1).eval();
    settings.response = settings.response.replicate(30, 1).eval();
    settings.subject.clear();
    for (Index j = 0; j < 30 * n; ++j)
        settings.subject.push_back(j / n);
    const Vector estimates =
        MixedLogistic(settings).log_estimates(std::array{-1.0, 0.0, 0.0, 1.0}, {82, model::likelihood_draws, 0, 0});
    EXPECT_EQ(std::set<double>(estimates.begin(), estimates.end()).size(), 30);
}

TEST(MixedLogistic, RowsOfSubjectsMayStandAnywhere) {
    const auto settings = mixed_case(9, 6, 1, 91);
    auto mixed = settings;
    const Index n = settings.response.size();
    // Turned round by cycles within the file, in the same order within each subject: all first rows, all second rows
    // ...
    std::vector<Index> order;
    for (Index visit = 0; visit < 6; ++visit)
        for (Index s = 0; s < 9; ++s)
            if (const auto rows = rows_of(settings, s); visit < static_cast<Index>(rows.size()))
                order.push_back(rows[static_cast<std::size_t>(visit)]);
    for (Index j = 0; j < n; ++j) {
        const Index from = order[static_cast<std::size_t>(j)];
        mixed.subject[static_cast<std::size_t>(j)] = 1000 - 7 * settings.subject[static_cast<std::size_t>(from)];
        mixed.design.row(j) = settings.design.row(from);
        mixed.effects_design.row(j) = settings.effects_design.row(from);
        mixed.response(j) = settings.response(from);
    }
    const std::array u{-1.0, -0.3, 0.5, 0.7};
    const random::Address address{92, model::likelihood_draws, 5, 0};
    EXPECT_EQ(MixedLogistic(settings).log_estimates(u, address), MixedLogistic(mixed).log_estimates(u, address));
}

TEST(MixedLogistic, ManyRowsDoNotOverflow) {
    MixedLogisticSettings s;
    const Index n = 1200;
    s.design = s.effects_design = Matrix::Ones(n, 1);
    s.response = Vector::NullaryExpr(n, [](Index j) { return j % 2 == 0 ? 1.0 : 0.0; });
    s.subject.assign(static_cast<std::size_t>(n), 0);
    s.names = s.effect_names = {"x"};
    const MixedLogistic model(s);
    const double exact = model.exact_log_likelihood(std::array{0.0, 0.0});
    const double plain = plain_log_integral([](double v) {
        return -600 * (softplus(v) + softplus(-v)) - 0.5 * v * v - 0.5 * std::log(2 * std::numbers::pi);
    });
    EXPECT_NEAR(exact, plain, 1e-9);
    EXPECT_LT(std::fabs(unbiasedness_z(log_errors(model, {0, 0}, 500, 95))), largest_z);
}

TEST(MixedLogistic, ExtremesAreNumbers) {
    auto settings = mixed_case(12, 6, 1, 101);
    settings.response.setOnes(); // no finite maximum
    for (const Index q : {1, 2}) {
        settings.effects_design = settings.design.leftCols(q);
        settings.effect_names.assign(static_cast<std::size_t>(q), "x");
        const MixedLogistic model(settings);
        Matrix points(3 + q, 1);
        for (const double beta : {-1e308, -1e200, -800.0, -30.0, 0.0, 30.0, 1e5, 1e308})
            for (const double log_sd : {-1e308, -800.0, 0.0, 12.0, 230.0, 700.0}) {
                points.setConstant(log_sd);
                points.col(0).head(3) << beta, -0.01 * beta, beta;
                double prior = 0;
                const Vector each = model.log_estimates({points.data(), static_cast<std::size_t>(3 + q)},
                                                        {102, model::likelihood_draws, 0, 0});
                EXPECT_TRUE((each.array() <= 1e-6 || each.array().abs() < 10).all()) << beta << " " << log_sd;
                double likelihood = 0;
                model.estimate(points, {.seed = 102}, {&prior, 1}, {&likelihood, 1});
                EXPECT_FALSE(std::isnan(prior) || std::isnan(likelihood)) << beta << " " << log_sd;
            }
    }
}

// Large deviations make a subject's integrand a normal density cut off near its peak: a proposal as narrow as the
// curvature there would have log estimates of variance 1 to 5 and rare huge ones, of which a z-statistic knows nothing.
TEST(MixedLogistic, SeparatedDataAreEstimatedWithoutBias) {
    for (const Index q : {1, 2}) {
        auto settings = mixed_case(6, 6, q, 111);
        for (Index j = 0; j < settings.response.size(); ++j)
            settings.response(j) = settings.subject[static_cast<std::size_t>(j)] % 2 == 0 ? 1 : 0;
        const MixedLogistic model(settings);
        for (const double log_sd : {2.0, 4.0, 6.0}) {
            std::vector<double> u{-1, 0, 0, log_sd};
            if (q == 2)
                u.push_back(0);
            const auto errors = log_errors(model, u, 2000, 112);
            EXPECT_LT(variance_of(errors), q == 1 ? 0.1 : 0.5) << log_sd;
            EXPECT_LT(std::fabs(unbiasedness_z(errors)), largest_z) << log_sd;
        }
    }
}

TEST(MixedLogistic, DrawsFollowThePrior) {
    auto settings = mixed_case(3, 3, 1, 121);
    settings.coefficient_priors = {model::Prior::parse("normal(1, 3)")};
    settings.deviation_priors = {model::Prior::parse("root-inverse-gamma(2, 3)")};
    const MixedLogistic model(settings);
    EXPECT_EQ(model.parameter_names(), (std::vector<std::string>{"intercept", "time", "treatment", "sd_intercept"}));
    std::vector<double> standardised, precisions;
    for (std::uint64_t i = 0; i < 4000; ++i) {
        random::Stream stream({122, random::Purpose::start, i, 0});
        std::array<double, 4> u{};
        model.draw_prior(stream, u);
        for (std::size_t k = 0; k < 3; ++k)
            standardised.push_back((u[k] - 1) / 3);
        precisions.push_back(std::exp(-2 * u[3])); // Gamma(2, rate 3)
    }
    EXPECT_GT(random::testing::normal_moments_p_value(standardised), random::testing::rejection_level);
    EXPECT_GT(random::testing::p_value_of_z(random::testing::z_of_mean(precisions, 2.0 / 3, 2.0 / 9)),
              random::testing::rejection_level);
}

TEST(MixedLogistic, SamplesComeInFours) {
    auto model = MixedLogistic(mixed_case(3, 3, 1, 131));
    EXPECT_EQ(model.particles(), 32);
    model.set_particles(1);
    EXPECT_EQ(model.particles(), 4);
    model.set_particles(33);
    EXPECT_EQ(model.particles(), 36);
    EXPECT_THROW(model.set_particles(0), ContractViolation);
}

TEST(MixedLogistic, FingerprintKnowsTheData) {
    const auto bytes = [](const MixedLogisticSettings& settings) {
        std::vector<std::byte> all;
        model::Fingerprint sink(
            [&](std::span<const std::byte> part) { all.insert(all.end(), part.begin(), part.end()); });
        MixedLogistic(settings).fingerprint(sink);
        return all;
    };
    const auto settings = mixed_case(5, 4, 1, 141);
    const auto changed = [&](auto change) {
        auto other = settings;
        change(other);
        return bytes(other);
    };
    EXPECT_EQ(bytes(settings), bytes(settings));
    EXPECT_NE(bytes(settings), changed([](auto& s) { s.response(0) = 1 - s.response(0); }));
    EXPECT_NE(bytes(settings), changed([](auto& s) { s.design(1, 1) += 1; }));
    EXPECT_NE(bytes(settings), changed([](auto& s) { s.effects_design(1, 0) = 2; }));
    EXPECT_NE(bytes(settings), changed([](auto& s) { s.samples = 64; }));
    EXPECT_NE(bytes(settings), changed([](auto& s) { s.subject.back() = 0; }));
    EXPECT_NE(bytes(settings), changed([](auto& s) { s.deviation_priors = {model::Prior::parse("half-cauchy(5)")}; }));
}

TEST(MixedLogistic, MistakesInSettingsAreNamed) {
    const auto settings = mixed_case(5, 4, 1, 151);
    const auto refused = [&](auto change) {
        auto other = settings;
        change(other);
        EXPECT_THROW(MixedLogistic{other}, InputError);
    };
    refused([](auto& s) { s.response(0) = 2; });
    refused([](auto& s) { s.subject.pop_back(); });
    refused([](auto& s) { s.names.pop_back(); });
    refused([](auto& s) { s.effect_names.clear(); });
    refused([](auto& s) { s.design(0, 0) = std::nan(""); });
    refused([](auto& s) { s.samples = 0; });
    refused([](auto& s) { s.effects_design = s.design.replicate(1, 2); });
    refused([](auto& s) { s.deviation_priors = {model::Prior::parse("normal(0, 1)")}; });
    refused([](auto& s) { s.coefficient_priors.resize(2, s.coefficient_priors[0]); });
    refused([](auto& s) { s.correlation_prior = model::Prior::parse("uniform(-1, 1)"); });
}

} // namespace
} // namespace pearlite::models
