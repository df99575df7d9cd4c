// Estimators of sharded works: the same bits on any number of ranks, and those of the gathered works.
#include "estimator/plain/work.hpp"

#include "estimator/shards_of.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::estimator {
namespace {

using estimator::testing::shard;
using estimator::testing::whole;
using parallel::Communicator;
using population::testing::uneven_layouts;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Works {
    std::string name;
    std::vector<double> forward, reverse;
};

/// Normal works, p_f = N(mu, s^2), p_r = N(mu - s^2, s^2), log Z = s^2/2 - mu, of `n_f` and `n_r` trajectories.
Works normal_works(const std::string& name, double mu, double s, std::size_t n_f, std::size_t n_r) {
    random::Stream stream({91, random::Purpose::test, n_f, 0});
    Works works{name, {}, {}};
    for (std::size_t i = 0; i < n_f; ++i)
        works.forward.push_back(mu + s * stream.normal());
    for (std::size_t i = 0; i < n_r; ++i)
        works.reverse.push_back(mu - s * s + s * stream.normal());
    return works;
}

/// That overlap well, hardly and not at all; far from zero; few; some and all of them infinite; all alike.
std::vector<Works> work_cases() {
    std::vector<Works> cases{normal_works("well", 3, 1.2, 500, 300),    normal_works("hardly", 10, 4, 300, 400),
                             normal_works("gap", 900, 40, 60, 50),      normal_works("far", 1e4, 1, 200, 200),
                             normal_works("few", 1, 1, 2, 3),           normal_works("walls", 0, 1, 400, 400),
                             {"lost", {infinity, infinity}, {1, 2, 3}}, {"alike", {4.25, 4.25, 4.25}, {4.25, 4.25}}};
    for (std::size_t i = 0; i < 100; ++i)
        cases[5].forward[4 * i] = infinity;
    cases[5].reverse[77] = -infinity;
    return cases;
}

void expect_same(const Estimate& a, const Estimate& b) {
    EXPECT_EQ(a.estimator, b.estimator);
    EXPECT_EQ(a.value, b.value) << a.estimator;
    EXPECT_EQ(a.standard_error, b.standard_error) << a.estimator;
    ASSERT_EQ(a.interval95.has_value(), b.interval95.has_value());
    if (a.interval95) {
        EXPECT_EQ(a.interval95->low, b.interval95->low);
        EXPECT_EQ(a.interval95->high, b.interval95->high);
    }
    EXPECT_EQ(a.note, b.note);
}

TEST(WorkMpi, AnalysesAreTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world();
    for (const auto& works : work_cases()) {
        const auto one = analyse_work(whole(works.forward, 8), whole(works.reverse, 8), {true, {}}, 4);
        const auto forward = uneven_layouts(ranks, static_cast<Index>(works.forward.size()), 8),
                   reverse = uneven_layouts(ranks, static_cast<Index>(works.reverse.size()), 8);
        for (std::size_t cut = 0; cut < forward.size(); ++cut) {
            SCOPED_TRACE(works.name);
            const auto many = analyse_work(shard(ranks, forward[cut], works.forward),
                                           shard(ranks, reverse[(cut + 1) % 3], works.reverse), {true, {}}, 4);
            ASSERT_EQ(one.estimates.size(), many.estimates.size());
            for (std::size_t k = 0; k < one.estimates.size(); ++k)
                expect_same(one.estimates[k], many.estimates[k]);
            EXPECT_EQ(one.posterior, many.posterior);
            EXPECT_EQ(one.verdict_text, many.verdict_text);
            EXPECT_EQ(one.bounds.lower, many.bounds.lower);
            EXPECT_EQ(one.bounds.upper_standard_error, many.bounds.upper_standard_error);
            EXPECT_EQ(one.overlap.coefficient, many.overlap.coefficient);
            EXPECT_EQ(one.overlap.effective, many.overlap.effective);
            EXPECT_EQ(one.overlap.crossing_forward, many.overlap.crossing_forward);
            EXPECT_EQ(one.crooks.slope, many.crooks.slope);
            EXPECT_EQ(one.crooks.log_ratio_standard_error, many.crooks.log_ratio_standard_error);
        }
    }
}

/// a and b to a relative `precision` of the larger one and 1.
void expect_near(double a, double b, double precision, const std::string& what) {
    const double room = precision * std::max(1.0, std::abs(b));
    EXPECT_TRUE(a == b || std::abs(a - b) <= room || (std::isnan(a) && std::isnan(b))) << what << " " << a << " " << b;
}

/// All estimates of works that are held in any way.
template <class Works>
std::vector<Estimate> estimates_of(const Works& forward, const Works& reverse) {
    return {bar(forward, reverse),
            bar_bootstrap(forward, reverse, 4, 100),
            histogram(forward, reverse, 4, 400).estimate,
            jarzynski_forward(forward),
            jarzynski_reverse(reverse),
            cumulant_forward(forward),
            cumulant_reverse(reverse),
            cumulant_both(forward, reverse)};
}

TEST(WorkMpi, EstimatesAreThoseOfTheGatheredWorks) {
    const auto ranks = Communicator::world();
    for (const auto& works : work_cases()) {
        SCOPED_TRACE(works.name);
        const auto forward = shard(ranks, uneven_layouts(ranks, static_cast<Index>(works.forward.size()), 8)[2],
                                   works.forward),
                   reverse = shard(ranks, uneven_layouts(ranks, static_cast<Index>(works.reverse.size()), 8)[0],
                                   works.reverse);
        const std::span<const double> all_forward(works.forward), all_reverse(works.reverse);
        const auto overlap = work_overlap(forward, reverse), expected = work_overlap(all_forward, all_reverse);
        const bool do_meet = expected.effective >= least_effective_overlap; // else analyse_work withholds the errors
        const auto gathered = estimates_of(all_forward, all_reverse);
        const auto sharded = estimates_of(forward, reverse);
        for (std::size_t k = 0; k < gathered.size(); ++k) {
            const auto &a = sharded[k], &b = gathered[k];
            EXPECT_EQ(a.estimator, b.estimator);
            // In a gap the equation's sum is rounding all the way; analyse_work gives it no error bar.
            expect_near(a.value, b.value, works.name == "gap" ? 1e-3 : 1e-12, a.estimator);
            const bool is_random = a.error_method == "bootstrap" || a.error_method == "posterior";
            ASSERT_EQ(a.standard_error.has_value(), b.standard_error.has_value()) << a.estimator << a.note << b.note;
            if (a.standard_error && !is_random && do_meet) {
                expect_near(*a.standard_error, *b.standard_error, 1e-10, a.estimator);
            }
            EXPECT_EQ(a.note, b.note) << a.estimator;
        }
        const auto bounds = work_bounds(forward, reverse), expected_bounds = work_bounds(all_forward, all_reverse);
        expect_near(bounds.lower, expected_bounds.lower, 1e-13, "lower bound");
        expect_near(bounds.upper, expected_bounds.upper, 1e-13, "upper bound");
        expect_near(bounds.lower_standard_error, expected_bounds.lower_standard_error, 1e-11, "its error");
        expect_near(overlap.coefficient, expected.coefficient, 1e-11, "overlap");
        expect_near(overlap.effective, expected.effective, 1e-11, "effective overlap");
        EXPECT_EQ(overlap.crossing_forward, expected.crossing_forward);
        EXPECT_EQ(overlap.crossing_reverse, expected.crossing_reverse);
        const auto crooks = crooks_check(forward, reverse), regression = crooks_check(all_forward, all_reverse);
        EXPECT_EQ(crooks.is_defined, regression.is_defined);
        expect_near(crooks.slope, regression.slope, 1e-7, "slope");
        expect_near(crooks.slope_standard_error, regression.slope_standard_error, 1e-7, "its error");
        expect_near(crooks.log_ratio, regression.log_ratio, 1e-10, "log ratio");
    }
}

TEST(WorkMpi, WorksThatMustNotBeAreErrorsOnAllRanks) {
    const auto ranks = Communicator::world();
    const parallel::BlockLayout layout(20, 4, ranks.size(), ranks.rank());
    const std::vector<double> sound(20, 1.0);
    std::vector<double> wrong = sound;
    wrong[19] = -infinity;
    EXPECT_THROW(bar(shard(ranks, layout, wrong), shard(ranks, layout, sound)), NumericalError);
    wrong[19] = std::nan("");
    EXPECT_THROW(work_overlap(shard(ranks, layout, sound), shard(ranks, layout, wrong)), NumericalError);
    wrong[19] = infinity;
    EXPECT_THROW(histogram(shard(ranks, layout, sound), shard(ranks, layout, wrong), 1), NumericalError);
}

/// Reverse works in families of `size`, all members with the same one, in an order that mixes them.
struct FamilyWorks {
    std::vector<double> forward, reverse;
    std::vector<std::int64_t> eves;
};
FamilyWorks family_works(std::size_t n, std::size_t size, std::uint64_t seed) {
    random::Stream stream({seed, random::Purpose::test, size, 0});
    FamilyWorks works;
    std::vector<double> of_family;
    for (std::size_t i = 0; i < n; ++i)
        works.forward.push_back(1 + 1.2 * stream.normal());
    for (std::size_t e = 0; e < n / size; ++e)
        of_family.push_back(1 - 1.44 + 1.2 * stream.normal());
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t e = i % (n / size);
        works.reverse.push_back(of_family[e]);
        works.eves.push_back(static_cast<std::int64_t>(e));
    }
    return works;
}

TEST(WorkMpi, BarByAncestorsIsTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world();
    const auto works = family_works(300, 5, 3);
    const auto alone = Communicator::alone();
    const population::Families whole_families(alone, 300, works.eves);
    const auto one = bar_by_ancestors(whole(works.forward, 8), whole(works.reverse, 8), whole_families);
    for (const auto& layout : uneven_layouts(ranks, 300, 8)) {
        const auto first = static_cast<std::size_t>(layout.first_local_item());
        const population::Families families(
            ranks, 300, std::span(works.eves).subspan(first, static_cast<std::size_t>(layout.local_items())));
        expect_same(
            one, bar_by_ancestors(shard(ranks, layout, works.forward), shard(ranks, layout, works.reverse), families));
    }
}

// 400 sets of works: their values spread with a relative error of 1/sqrt(800) = 0.035, so a ratio off by 0.15 is a
// false alarm once in 6e4. Families of one give BAR's own error; families of eight that count as independent, the wrong
// twin, a far smaller one than the truth.
TEST(WorkMpi, BarByAncestorsHasTheSpreadOfTheValues) {
    for (const std::size_t size : {1, 8}) {
        double mean = 0, square = 0, claimed = 0, twin = 0;
        constexpr int sets = 400;
        for (std::uint64_t seed = 0; seed < sets; ++seed) {
            const auto works = family_works(320, size, 1000 + seed);
            const auto alone = Communicator::alone();
            const auto estimate = bar_by_ancestors(whole(works.forward), whole(works.reverse),
                                                   population::Families(alone, 320, works.eves));
            mean += estimate.value / sets;
            square += estimate.value * estimate.value / sets;
            claimed += *estimate.standard_error * *estimate.standard_error / sets;
            const auto independent = bar(whole(works.forward), whole(works.reverse));
            twin += *independent.standard_error * *independent.standard_error / sets;
        }
        const double variance = square - mean * mean;
        EXPECT_NEAR(std::sqrt(claimed / variance), 1, 0.15) << size;
        if (size == 1)
            EXPECT_NEAR(std::sqrt(twin / claimed), 1, 0.05);
        else
            EXPECT_LT(std::sqrt(twin / variance), 0.7);
    }
}

} // namespace
} // namespace pearlite::estimator
