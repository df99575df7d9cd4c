// Work estimators on works with known log Z. z-scores are compared with 5 (a false alarm once in 2e6); about 30 on
// fixed seeds.
#include "estimator/plain/work.hpp"

#include "core/log_space.hpp"
#include "estimator/shards_of.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"
#include "random/fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pearlite::estimator {
namespace {

using testing::whole;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct DrawnWorks {
    std::vector<double> forward, reverse;
};

/// Normal works: p_f = N(mu, s^2), p_r = N(mu - s^2, s^2), log Z = s^2/2 - mu.
DrawnWorks normal_works(double mu, double s, std::size_t n_f, std::size_t n_r, std::uint64_t seed) {
    random::Stream stream({seed, random::Purpose::test, 1, 0});
    DrawnWorks works;
    for (std::size_t i = 0; i < n_f; ++i)
        works.forward.push_back(mu + s * stream.normal());
    for (std::size_t i = 0; i < n_r; ++i)
        works.reverse.push_back(mu - s * s + s * stream.normal());
    return works;
}
double exact(double mu, double s) {
    return s * s / 2 - mu;
}

/// Skewed works: W of one Metropolis-free step from precision 1 to `precision`: W = (precision - 1) x^2/2, x ~ N(0, 1)
/// forward, N(0, 1/precision) reverse; log Z = -log(precision)/2.
DrawnWorks drawn_quench_works(double precision, std::size_t n_f, std::size_t n_r, std::uint64_t seed) {
    random::Stream stream({seed, random::Purpose::test, 2, 0});
    DrawnWorks works;
    for (std::size_t i = 0; i < n_f; ++i)
        works.forward.push_back(0.5 * (precision - 1) * std::pow(stream.normal(), 2));
    for (std::size_t i = 0; i < n_r; ++i)
        works.reverse.push_back(0.5 * (precision - 1) * std::pow(stream.normal(), 2) / precision);
    return works;
}

double z_of(const Estimate& estimate, double value) {
    return (estimate.value - value) / estimate.standard_error.value();
}
const Estimate& named(const WorkAnalysis& analysis, const std::string& name) {
    for (const auto& estimate : analysis.estimates)
        if (estimate.estimator == name)
            return estimate;
    throw std::out_of_range(name);
}

TEST(Work, EveryEstimatorIsRightForNormalWorks) {
    for (const double mu : {-3.0, 1000.0}) {
        const auto works = normal_works(mu, 1.3, 40000, 20000, 1);
        const double truth = exact(mu, 1.3);
        EXPECT_LT(std::fabs(z_of(bar(works.forward, works.reverse), truth)), 5);
        EXPECT_LT(std::fabs(z_of(jarzynski_forward(works.forward), truth)), 5);
        EXPECT_LT(std::fabs(z_of(jarzynski_reverse(works.reverse), truth)), 5);
        EXPECT_LT(std::fabs(z_of(cumulant_forward(works.forward), truth)), 5);
        EXPECT_LT(std::fabs(z_of(cumulant_reverse(works.reverse), truth)), 5);
        EXPECT_LT(std::fabs(z_of(cumulant_both(works.forward, works.reverse), truth)), 5);
        EXPECT_LT(std::fabs(z_of(histogram(works.forward, works.reverse, 1).estimate, truth)), 5);
        const auto crooks = crooks_check(works.forward, works.reverse);
        ASSERT_TRUE(crooks.is_defined);
        EXPECT_LT(std::fabs(crooks.slope - 1), 5 * crooks.slope_standard_error);
        EXPECT_LT(std::fabs(crooks.log_ratio - truth), 5 * crooks.log_ratio_standard_error);
        const auto bounds = work_bounds(works.forward, works.reverse);
        EXPECT_NEAR(bounds.lower, -mu, 5 * bounds.lower_standard_error);
        EXPECT_NEAR(bounds.upper, 1.69 - mu, 5 * bounds.upper_standard_error);
        // Twins with the sign of the reverse works, or of all, the wrong way round.
        auto negated = works.reverse;
        for (double& w : negated)
            w = -w;
        EXPECT_GT(std::fabs(bar(works.forward, negated).value - truth), 0.5);
    }
}

TEST(Work, BarAndHistogramForSkewedWorksAndUnequalNumbers) {
    for (const auto& [n_f, n_r] :
         std::vector<std::pair<std::size_t, std::size_t>>{{20000, 20000}, {30000, 1000}, {500, 40000}}) {
        const auto works = drawn_quench_works(5, n_f, n_r, 3);
        const double truth = -0.5 * std::log(5);
        const auto estimate = bar(works.forward, works.reverse);
        EXPECT_LT(std::fabs(z_of(estimate, truth)), 5);
        EXPECT_LT(std::fabs(z_of(bar_bootstrap(works.forward, works.reverse, 1, 200), truth)), 5);
        EXPECT_NEAR(*bar_bootstrap(works.forward, works.reverse, 1, 400).standard_error / *estimate.standard_error, 1,
                    0.2);
    }
}

/// The histogram iteration run to its end, plainly: p_j = 1/(n_f + n_r e^{-W_j}/Z), Z = sum p_j e^{-W_j} / sum p_j.
double histogram_by_iteration(const DrawnWorks& works) {
    std::vector<double> all = works.forward;
    all.insert(all.end(), works.reverse.begin(), works.reverse.end());
    double z = 1;
    for (int iteration = 0; iteration < 5000; ++iteration) {
        double numerator = 0, denominator = 0;
        for (const double w : all) {
            const double p = 1 / (static_cast<double>(works.forward.size()) +
                                  static_cast<double>(works.reverse.size()) * std::exp(-w) / z);
            numerator += p * std::exp(-w);
            denominator += p;
        }
        z = numerator / denominator;
    }
    return std::log(z);
}

TEST(Work, BarIsTheHistogramEstimatorsFixedPoint) {
    for (const std::size_t n_r : {50u, 200u}) {
        const auto works = drawn_quench_works(4, 120, n_r, 5);
        EXPECT_NEAR(bar(works.forward, works.reverse).value, histogram_by_iteration(works), 1e-10);
    }
}

TEST(Work, BarSolvesBennettsEquation) {
    const auto works = normal_works(7, 2, 300, 100, 6);
    const double log_z = bar(works.forward, works.reverse).value, odds = std::log(3);
    double left = 0, right = 0;
    for (const double w : works.forward)
        left += 1 / (1 + std::exp(odds + log_z + w));
    for (const double w : works.reverse)
        right += 1 / (1 + std::exp(-odds - log_z - w));
    EXPECT_NEAR(left, right, 1e-9 * left);
}

/// The posterior of the histogram estimator by Gibbs sampling (Habeck 2017, supplement): `draws` successive states
/// after `burn_in`, of finite works.
std::vector<double> histogram_posterior_by_gibbs(const DrawnWorks& data, std::uint64_t seed, int draws, int burn_in) {
    const auto works = detail::work_samples(data.forward, data.reverse);
    const double centre = detail::solve_bar(works);
    const Vector boltzmann = (-(works.finite.array() + centre)).exp(); // e^{-W_j}/Z at BAR
    Vector p = 1 / (works.n_forward + works.n_reverse * boltzmann.array());
    std::vector<double> log_ratios, exponentials(static_cast<std::size_t>(p.size()));
    for (int draw = -burn_in; draw < draws; ++draw) {
        const auto step = static_cast<std::uint32_t>(draw + burn_in);
        random::Stream stream({seed, random::Purpose::work_posterior, 0, 2 * step + 3});
        const double s = stream.gamma(works.n_reverse) / p.dot(boltzmann);
        const double t = stream.gamma(works.n_forward) / p.sum();
        random::fill_exponential({seed, random::Purpose::work_posterior, 1, 2 * step + 4}, exponentials);
        p = Eigen::Map<const Vector>(exponentials.data(), p.size()).array() / (t + s * boltzmann.array());
        if (draw >= 0)
            log_ratios.push_back(centre + std::log(p.dot(boltzmann)) - std::log(p.sum()));
    }
    return log_ratios;
}

TEST(Work, DirectAndGibbsSamplingHaveTheSamePosterior) {
    const auto works = normal_works(3, 1.5, 60, 40, 7);
    auto direct = histogram(works.forward, works.reverse, 2, 4000).posterior;
    const auto chain = histogram_posterior_by_gibbs(works, 3, 40000, 500);
    std::vector<double> gibbs; // thinned to nearly independent draws
    for (std::size_t i = 0; i < chain.size(); i += 10)
        gibbs.push_back(chain[i]);
    std::sort(direct.begin(), direct.end());
    std::sort(gibbs.begin(), gibbs.end());
    // Two-sample Kolmogorov-Smirnov: 2.7 is exceeded once in 1e6.
    double distance = 0;
    for (std::size_t i = 0; i < direct.size(); ++i) {
        const auto below = std::lower_bound(gibbs.begin(), gibbs.end(), direct[i]) - gibbs.begin();
        distance = std::max(distance, std::fabs(static_cast<double>(i) / static_cast<double>(direct.size()) -
                                                static_cast<double>(below) / static_cast<double>(gibbs.size())));
    }
    const double n =
        static_cast<double>(direct.size() * gibbs.size()) / static_cast<double>(direct.size() + gibbs.size());
    EXPECT_LT(distance * std::sqrt(n), 2.7);
    // The twin: draws read off x, the log of the scales' ratio, alone are far too wide, as are ones from half the
    // works.
    const auto half = histogram(std::span(works.forward).first(30), std::span(works.reverse).first(20), 2, 4000);
    EXPECT_GT(*half.estimate.standard_error,
              1.2 * *histogram(works.forward, works.reverse, 2, 4000).estimate.standard_error);
}

TEST(Work, InfiniteWorksAreLegal) {
    auto works = drawn_quench_works(3, 20000, 20000, 8);
    // A hard wall: forward paths that hit it have infinite work, and Z falls by their share.
    std::size_t lost = 0;
    random::Stream stream({8, random::Purpose::test, 3, 0});
    for (double& w : works.forward)
        if (stream.uniform() < 0.25) {
            w = infinity;
            ++lost;
        }
    const double truth = -0.5 * std::log(3) + std::log(0.75);
    EXPECT_LT(std::fabs(z_of(bar(works.forward, works.reverse), truth)), 5);
    EXPECT_LT(std::fabs(z_of(jarzynski_forward(works.forward), truth)), 5);
    EXPECT_LT(std::fabs(z_of(histogram(works.forward, works.reverse, 1, 500).estimate, truth)), 5);
    const auto analysis = analyse_work(whole(works.forward), whole(works.reverse), {true, {}}, 1);
    EXPECT_EQ(analysis.verdict, WorkVerdict::agree) << analysis.verdict_text;
    EXPECT_FALSE(std::isnan(analysis.bounds.lower));
    for (const auto& estimate : analysis.estimates)
        EXPECT_FALSE(std::isnan(estimate.value)) << estimate.estimator;

    const std::vector<double> none(10, infinity), some{1, 2, 3};
    EXPECT_EQ(bar(none, some).value, -infinity);
    EXPECT_FALSE(bar(none, some).note.empty());
    EXPECT_EQ(bar(some, std::vector<double>(4, -infinity)).value, infinity);
    const std::vector<double> wrong{1, std::nan("")}, wrong_sign{-infinity, 1};
    EXPECT_THROW(bar(wrong, some), NumericalError);
    EXPECT_THROW(bar(wrong_sign, some), NumericalError);
    EXPECT_THROW(bar(some, std::vector<double>{infinity}), NumericalError);
}

TEST(Work, GapsAndDegenerateWorksGiveNumbersWithoutErrorBars) {
    for (const double gap : {10.0, 300.0, 5000.0, 1e8}) {
        const auto forward = normal_works(gap, 0.5, 200, 2, 9).forward,
                   reverse = normal_works(-gap, 0.5, 2, 200, 9).forward;
        const auto analysis = analyse_work(whole(forward), whole(reverse), {true, {}}, 1);
        EXPECT_EQ(analysis.verdict, WorkVerdict::too_fast);
        for (const auto& estimate : analysis.estimates) {
            EXPECT_TRUE(std::isfinite(estimate.value)) << estimate.estimator << " " << gap;
            EXPECT_FALSE(estimate.standard_error || estimate.interval95) << estimate.estimator;
            EXPECT_FALSE(estimate.note.empty());
        }
        EXPECT_TRUE(analysis.posterior.empty());
    }
    // Without any dissipation all works are -log Z.
    const std::vector<double> same(50, 4.25);
    EXPECT_NEAR(bar(same, same).value, -4.25, 1e-9);
    const auto analysis = analyse_work(whole(same), whole(same), {true, {}}, 1);
    for (const auto& estimate : analysis.estimates)
        EXPECT_FALSE(std::isnan(estimate.value));
    EXPECT_NEAR(bar(std::vector<double>{2.0}, std::vector<double>{2.0}).value, -2, 1e-9);
}

TEST(Work, VerdictsAreDeserved) {
    int poor = 0, agree = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto far = normal_works(2, 4.6, 300, 300, seed); // dissipation of 10.6 nats
        poor += analyse_work(whole(far.forward), whole(far.reverse), {true, {}}, seed).verdict != WorkVerdict::agree;
        const auto near = normal_works(2, 1.5, 300, 300, seed);
        agree += analyse_work(whole(near.forward), whole(near.reverse), {true, {}}, seed).verdict == WorkVerdict::agree;
    }
    EXPECT_GE(poor, 95);
    EXPECT_GE(agree, 97);

    // Reverse works from a start that is too narrow: W has too small a spread for its mean.
    auto unready = normal_works(2, 1.5, 3000, 3000, 1);
    for (double& w : unready.reverse)
        w = 2 - 2.25 + 0.4 * (w - (2 - 2.25));
    const auto analysis = analyse_work(whole(unready.forward), whole(unready.reverse), {false, {}}, 1);
    EXPECT_EQ(analysis.verdict, WorkVerdict::reverse_start_not_equilibrated) << analysis.verdict_text;
    EXPECT_FALSE(named(analysis, "bar").standard_error.has_value());
    EXPECT_TRUE(named(analysis, "jarzynski-forward").standard_error.has_value());

    const auto fine = normal_works(2, 1.5, 3000, 3000, 1);
    EXPECT_EQ(analyse_work(whole(fine.forward), whole(fine.reverse), {false, 0.5}, 1).verdict, WorkVerdict::agree);
    EXPECT_EQ(analyse_work(whole(fine.forward), whole(fine.reverse), {false, -6.0}, 1).verdict,
              WorkVerdict::reverse_start_not_equilibrated);
}

TEST(Work, OverlapOfKnownDistributions) {
    // The overlapping area of two unit normals s apart in units of their spread is 2 Phi(-s/2).
    const double s = 1.2;
    const auto works = normal_works(0, s, 100000, 100000, 4);
    const auto overlap = work_overlap(works.forward, works.reverse);
    EXPECT_NEAR(overlap.coefficient, std::erfc(s / 2 / std::sqrt(2.0)), 0.01);
    EXPECT_GT(overlap.effective, 10000);
    EXPECT_GT(overlap.crossing_forward, 50000);
}

} // namespace
} // namespace pearlite::estimator
