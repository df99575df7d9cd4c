// The power posterior with its families' shares by owner, against one that holds every family.
#include "estimator/evidence/power_posterior.hpp"
#include "population/weights.hpp"

#include "core/log_space.hpp"
#include "estimator/evidence/genealogy.hpp"
#include "population/memory_fields.hpp"
#include "population/uneven_layouts.hpp"
#include "population/weight_cases.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

using namespace population::testing;
using parallel::BlockLayout;
using parallel::Communicator;

/// One temperature of a synthetic run.
struct Temperature {
    double a = 0, mean_u = 0, variance_u = 0;
    std::vector<double> log_weights, u;
    std::vector<std::int64_t> eves;
};

/// Resampled at every second temperature from few particles or from many.
std::vector<Temperature> made_up_run(Index size, Index parents, int n_temperatures = 7) {
    const auto n = static_cast<std::size_t>(size);
    random::Stream stream({71, random::Purpose::test, static_cast<std::uint64_t>(size), 0});
    std::vector<Temperature> run;
    std::vector<std::int64_t> eves(n);
    for (std::size_t i = 0; i < n; ++i)
        eves[i] = static_cast<std::int64_t>(i);
    for (int t = 0; t < n_temperatures; ++t) {
        Temperature now{t == 0 ? 0 : std::pow(0.5, n_temperatures - 1 - t), 0, 0, {}, {}, {}};
        if (t % 2 == 1) {
            const auto before = eves;
            for (auto& eve : eves)
                eve = before[stream.index(static_cast<std::uint64_t>(std::min(parents, size)))];
        }
        now.eves = eves;
        for (std::size_t i = 0; i < n; ++i) {
            now.log_weights.push_back(t > 0 && stream.bernoulli(0.05) ? log_zero : stream.normal() - 40);
            now.u.push_back(-3 - stream.exponential());
        }
        now.log_weights[0] = -40;
        const double log_sum = log_sum_exp(now.log_weights);
        for (std::size_t i = 0; i < n; ++i)
            now.mean_u += std::exp(now.log_weights[i] - log_sum) * now.u[i];
        for (std::size_t i = 0; i < n; ++i)
            now.variance_u += std::exp(now.log_weights[i] - log_sum) * std::pow(now.u[i] - now.mean_u, 2);
        run.push_back(now);
    }
    return run;
}

/// The squares of both standard errors, by the definition: every Eve's descendants' share in the integral.
std::vector<double> plain_variances(const std::vector<Temperature>& run) {
    const std::size_t n = run.front().u.size();
    std::vector<double> mean(n), variance(n), plain(n), corrected(n);
    for (std::size_t t = 0; t < run.size(); ++t) {
        const auto& now = run[t];
        const auto last_mean = mean, last_variance = variance;
        mean.assign(n, 0);
        variance.assign(n, 0);
        const double log_sum = log_sum_exp(now.log_weights);
        for (std::size_t i = 0; i < n; ++i) {
            const double weight = std::exp(now.log_weights[i] - log_sum), deviation = now.u[i] - now.mean_u;
            mean[static_cast<std::size_t>(now.eves[i])] += weight * deviation;
            variance[static_cast<std::size_t>(now.eves[i])] += weight * (deviation * deviation - now.variance_u);
        }
        if (t == 0)
            continue;
        const double step = now.a - run[t - 1].a;
        for (std::size_t e = 0; e < n; ++e) {
            plain[e] += 0.5 * step * (last_mean[e] + mean[e]);
            corrected[e] += 0.5 * step * (last_mean[e] + mean[e]) - step * step / 12 * (variance[e] - last_variance[e]);
        }
    }
    std::vector<double> sums(2, 0.0);
    for (std::size_t e = 0; e < n; ++e) {
        sums[0] += plain[e] * plain[e];
        sums[1] += corrected[e] * corrected[e];
    }
    return sums;
}

void add(PowerPosterior& integral, const Communicator& ranks, const BlockLayout& layout, const Temperature& now) {
    const population::Families families(ranks, layout.size(), local_part(now.eves, layout));
    const auto log_weights = local_part(now.log_weights, layout);
    integral.add(now.a, now.mean_u, now.variance_u, log_weights,
                 population::summarise(ranks, layout, log_weights).log_sum, local_part(now.u, layout));
    auto magnitudes = integral.magnitudes();
    ranks.max(std::span(magnitudes));
    integral.settle(magnitudes, families);
}

PowerPosterior integral_of(const Communicator& ranks, const BlockLayout& layout, const std::vector<Temperature>& run) {
    PowerPosterior integral(ranks, layout.size());
    for (const auto& now : run)
        add(integral, ranks, layout, now);
    return integral;
}

void expect_equal(const std::vector<Estimate>& a, const std::vector<Estimate>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_EQ(a[k].value, b[k].value);
        EXPECT_EQ(a[k].standard_error, b[k].standard_error);
        EXPECT_EQ(a[k].note, b[k].note);
    }
}

TEST(PowerPosteriorMpi, ErrorsAreThoseOfTheGatheredFamilies) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index size : {30, 400})
        for (const Index parents : {Index{3}, size}) {
            const auto run = made_up_run(size, parents);
            const BlockLayout whole(size, 4, 1, 0);
            const auto one = integral_of(alone, whole, run).estimates(alone, 25);
            ASSERT_EQ(one.size(), 2u);
            const auto variances = plain_variances(run);
            for (std::size_t k = 0; k < 2; ++k)
                EXPECT_NEAR(*one[k].standard_error, std::sqrt(variances[k]), 1e-12 * std::sqrt(variances[k]));
            for (const auto& layout : uneven_layouts(ranks, size, 4))
                expect_equal(one, integral_of(ranks, layout, run).estimates(ranks, 25));
        }
}

/// A state that holds the integral alone.
struct State {
    PowerPosterior integral;
    template <class Fields>
    void fields(Fields& f) {
        integral.fields(f);
    }
    void prepare() {}
};

TEST(PowerPosteriorMpi, ContinuesFromAFileOfOneRank) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    const auto run = made_up_run(100, 60);
    const BlockLayout whole(100, 4, 1, 0), layout(100, 4, ranks.size(), ranks.rank());
    State one{PowerPosterior(alone, 100)}, many{PowerPosterior(ranks, 100)};
    for (std::size_t t = 0; t < 4; ++t)
        add(one.integral, alone, whole, run[t]);
    auto stored = testing_support::store(alone, one);
    testing_support::restore(ranks, stored, many);
    EXPECT_EQ(testing_support::store(ranks, many), stored);
    for (std::size_t t = 4; t < run.size(); ++t)
        add(many.integral, ranks, layout, run[t]);
    expect_equal(many.integral.estimates(ranks, 25), integral_of(alone, whole, run).estimates(alone, 25));
}

TEST(PowerPosteriorMpi, SaysWhyThereIsNoErrorBar) {
    const auto ranks = Communicator::world();
    auto run = made_up_run(40, 40);
    const BlockLayout layout(40, 4, ranks.size(), ranks.rank());
    for (const auto& estimate : integral_of(ranks, layout, run).estimates(ranks, 19)) {
        EXPECT_FALSE(estimate.standard_error);
        EXPECT_THAT(estimate.note, ::testing::HasSubstr("19 families"));
    }
    run[1].variance_u += 1e5;
    for (const auto& estimate : integral_of(ranks, layout, run).estimates(ranks, 40)) {
        EXPECT_THAT(estimate.note, ::testing::HasSubstr("curvature"));
        EXPECT_TRUE(std::isnan(estimate.value)); // refused
        EXPECT_FALSE(estimate.standard_error);
    }
    run[0].variance_u = std::numeric_limits<double>::infinity(); // log likelihoods of -1e180, say
    const auto unbounded = integral_of(ranks, layout, run).estimates(ranks, 40);
    ASSERT_EQ(unbounded.size(), 1u);
    EXPECT_TRUE(std::isnan(unbounded.front().value));
    run[0].u[0] = log_zero; // a start of likelihood 0
    run[0].mean_u = log_zero;
    run[0].variance_u = std::nan("");
    const auto refused = integral_of(ranks, layout, run).estimates(ranks, 40);
    ASSERT_EQ(refused.size(), 1u); // a note, and no value
    EXPECT_TRUE(std::isnan(refused.front().value) && !refused.front().note.empty());
}

} // namespace
} // namespace pearlite::estimator
