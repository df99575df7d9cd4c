// p-values are compared with 1e-6; about 12 on fixed seeds.
#include "algorithm/search/chains/meetings.hpp"

#include "random/statistics.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace pearlite::algorithm {
namespace {

using random::testing::chi_squared_p_value;
using random::testing::rejection_level;
using Crossover = SearchSettings::Crossover;

const std::vector<double> energies{1.2, 0.1, 0.7, 2, -0.3, 0.4, 0.1};
constexpr double temperature = 0.8;

SearchSettings settings_of(Crossover crossover) {
    SearchSettings settings;
    settings.crossover = crossover;
    settings.selection_temperature = temperature;
    return settings;
}
MeetingPlan partners_at(std::uint32_t step, std::span<const double> u, int n_partners, bool by_energy,
                        Crossover crossover) {
    return MeetingPlanner(settings_of(crossover))
        .partners(u, n_partners, by_energy, {3, random::Purpose::operation, 0, step},
                  {3, random::Purpose::partner, 0, step});
}
MeetingPlan pairs_at(std::uint32_t step, std::span<const double> u, Crossover crossover) {
    return MeetingPlanner(settings_of(crossover)).pairs(u, {3, random::Purpose::operation, 0, step});
}

TEST(Meetings, PartnersArePassive) {
    for (std::size_t n = 1; n <= energies.size(); ++n)
        for (const Crossover crossover : {Crossover::population, Crossover::single})
            for (const int n_partners : {1, 2})
                for (std::uint32_t step = 0; step < 50; ++step) {
                    const auto plan = partners_at(step, std::span(energies).first(n), n_partners,
                                                  n_partners == 1 && step % 2 == 0, crossover);
                    const Index wanted = crossover == Crossover::single ? 1 : static_cast<Index>(n / 2);
                    const bool enough = wanted > 0 && static_cast<Index>(n) >= wanted + n_partners;
                    EXPECT_EQ(plan.n_active, enough ? wanted : 0);
                    EXPECT_EQ(std::accumulate(plan.active.begin(), plan.active.end(), 0), plan.n_active);
                    for (std::size_t i = 0; i < n; ++i) {
                        EXPECT_EQ(plan.first[i] >= 0, plan.active[i] == 1);
                        EXPECT_EQ(plan.second[i] >= 0, plan.active[i] == 1 && n_partners == 2);
                        for (const auto j : {plan.first[i], plan.second[i]})
                            if (j >= 0) {
                                EXPECT_EQ(plan.active[static_cast<std::size_t>(j)], 0);
                            }
                        if (plan.second[i] >= 0) {
                            EXPECT_NE(plan.first[i], plan.second[i]);
                        }
                    }
                }
}

TEST(Meetings, MatchingIsPerfect) {
    for (std::size_t n = 1; n <= energies.size(); ++n)
        for (std::uint32_t step = 0; step < 50; ++step) {
            const auto plan = pairs_at(step, std::span(energies).first(n), Crossover::population);
            EXPECT_EQ(plan.n_active, static_cast<Index>(n / 2 * 2));
            for (std::size_t i = 0; i < n; ++i) {
                if (plan.active[i] == 0) {
                    EXPECT_EQ(plan.first[i], -1);
                    continue;
                }
                const auto j = static_cast<std::size_t>(plan.first[i]);
                EXPECT_EQ(plan.first[j], static_cast<std::int64_t>(i));
                EXPECT_NE(i, j);
                EXPECT_EQ(plan.meeting[i], static_cast<std::int64_t>(std::min(i, j)));
            }
        }
}

/// How often `choose`(step) chose each of n.
template <class Choose>
std::vector<double> counts_of(std::size_t n, const Choose& choose) {
    std::vector<double> counts(n);
    for (std::uint32_t step = 0; step < 40000; ++step)
        ++counts[static_cast<std::size_t>(choose(step))];
    return counts;
}

TEST(Meetings, HalvesAndMatchingsAreUniform) {
    const std::span<const double> u = std::span(energies).first(4);
    std::set<std::vector<std::uint8_t>> halves;
    const auto half = counts_of(16, [&](std::uint32_t step) {
        const auto plan = partners_at(step, u, 1, true, Crossover::population);
        int code = 0;
        for (const auto bit : plan.active)
            code = 2 * code + bit;
        return code;
    });
    std::vector<double> probabilities(16);
    for (const std::size_t code : {3u, 5u, 6u, 9u, 10u, 12u})
        probabilities[code] = 1.0 / 6;
    EXPECT_GT(chi_squared_p_value(half, probabilities), rejection_level);

    const auto partner_of_0 =
        counts_of(4, [&](std::uint32_t step) { return pairs_at(step, u, Crossover::population).first[0]; });
    EXPECT_GT(chi_squared_p_value(partner_of_0, std::vector<double>{0, 1.0 / 3, 1.0 / 3, 1.0 / 3}), rejection_level);
    // The chain that is left over from an odd number is uniform, too.
    const auto alone = counts_of(5, [&](std::uint32_t step) {
        const auto plan = pairs_at(step, std::span(energies).first(5), Crossover::population);
        return std::find(plan.active.begin(), plan.active.end(), 0) - plan.active.begin();
    });
    EXPECT_GT(chi_squared_p_value(alone, std::vector<double>(5, 0.2)), rejection_level);
}

TEST(Meetings, UniformPartners) {
    // Chain 0 is active in some steps only: those are compared, cell (first, second).
    std::vector<double> counts(25), expected(25);
    for (std::uint32_t step = 0; step < 40000; ++step) {
        const auto plan = partners_at(step, std::span(energies).first(5), 2, false, Crossover::population);
        if (plan.active[0] == 1)
            ++counts[static_cast<std::size_t>(5 * plan.first[0] + plan.second[0])];
    }
    for (std::size_t a = 1; a < 5; ++a)
        for (std::size_t b = 1; b < 5; ++b)
            expected[5 * a + b] = a == b ? 0 : 1.0 / 12;
    EXPECT_GT(chi_squared_p_value(counts, expected), rejection_level);
}

/// exp(-U_j/T) over those of `others`.
double choice(std::size_t j, const std::vector<std::size_t>& others) {
    double sum = 0;
    for (const auto l : others)
        sum += std::exp(-energies[l] / temperature);
    return std::exp(-energies[j] / temperature) / sum;
}

TEST(Meetings, PartnersByEnergy) {
    // One chain, and its partner from all others.
    const std::size_t n = 4;
    const auto u = std::span(energies).first(n);
    const auto pair = counts_of(n * n, [&](std::uint32_t step) {
        const auto plan = partners_at(step, u, 1, true, Crossover::single);
        const auto i = std::find(plan.active.begin(), plan.active.end(), 1) - plan.active.begin();
        return static_cast<Index>(n) * i + plan.first[static_cast<std::size_t>(i)];
    });
    std::vector<double> single(n * n), population(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            if (i == j)
                continue;
            std::vector<std::size_t> others;
            for (std::size_t l = 0; l < n; ++l)
                if (l != i)
                    others.push_back(l);
            single[n * i + j] = choice(j, others) / static_cast<double>(n);
            // The passive half is {j, l}, of six halves.
            for (const auto l : others)
                if (l != j)
                    population[n * i + j] += choice(j, {j, l}) / 6;
        }
    EXPECT_GT(chi_squared_p_value(pair, single), rejection_level);

    // Half of the chains: each is active in half of the steps.
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> counts(n), expected(n);
        for (std::uint32_t step = 0; step < 40000; ++step) {
            const auto plan = partners_at(step, u, 1, true, Crossover::population);
            if (plan.active[i] == 1)
                ++counts[static_cast<std::size_t>(plan.first[i])];
        }
        for (std::size_t j = 0; j < n; ++j)
            expected[j] = 2 * population[n * i + j];
        EXPECT_GT(chi_squared_p_value(counts, expected), rejection_level);
        // The test rejects a choice that ignores energies.
        std::vector<double> uniform(n, 1.0 / 3);
        uniform[i] = 0;
        EXPECT_LT(chi_squared_p_value(counts, uniform), rejection_level);
    }
}

TEST(Meetings, OnePairByEnergy) {
    const std::size_t n = energies.size();
    const SelectionByEnergy selection(energies, temperature);
    const auto counts = counts_of(n * n, [&](std::uint32_t step) {
        const auto plan = pairs_at(step, energies, Crossover::single);
        EXPECT_EQ(plan.n_active, 2);
        const auto i = std::find(plan.active.begin(), plan.active.end(), 1) - plan.active.begin();
        EXPECT_EQ(plan.meeting[static_cast<std::size_t>(i)], i);
        return static_cast<Index>(n) * i + plan.first[static_cast<std::size_t>(i)];
    });
    std::vector<double> expected(n * n);
    double total = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            // From the definition, with sums of their own.
            double sum = 0;
            for (const double u : energies)
                sum += std::exp(-u / temperature);
            const double a = std::exp(-energies[i] / temperature), b = std::exp(-energies[j] / temperature);
            expected[n * i + j] = a * b / sum * (1 / (sum - a) + 1 / (sum - b));
            EXPECT_NEAR(selection.log_pair(i, j), std::log(expected[n * i + j]), 1e-13);
            EXPECT_NEAR(std::exp(selection.log_first(i)), a / sum, 1e-14);
            EXPECT_NEAR(std::exp(selection.log_second(j, i)), b / (sum - a), 1e-14);
            total += expected[n * i + j];
        }
    EXPECT_NEAR(total, 1, 1e-13);
    EXPECT_GT(chi_squared_p_value(counts, expected), rejection_level);
}

TEST(Meetings, PairRatioIsTheChangeOfTheChoice) {
    auto after = energies;
    after[2] = -0.5;
    after[5] = 1.1;
    const double ratio = pair_log_ratio(energies, 2, 5, after[2], after[5], temperature);
    EXPECT_NEAR(ratio,
                SelectionByEnergy(after, temperature).log_pair(2, 5) -
                    SelectionByEnergy(energies, temperature).log_pair(2, 5),
                1e-14);
    EXPECT_NEAR(pair_log_ratio(energies, 5, 2, after[5], after[2], temperature), ratio, 1e-14);
    EXPECT_NEAR(pair_log_ratio(after, 2, 5, energies[2], energies[5], temperature), -ratio, 1e-14);
    EXPECT_EQ(pair_log_ratio(energies, 2, 5, energies[2], energies[5], temperature), 0);
}

TEST(Meetings, NothingCancelsWhereOneHasAllTheWeight) {
    // exp(-1000): the total of the weights less chain 0's is 0 in floating point.
    const std::vector<double> u{0, 1000, 1001, 1003};
    const SelectionByEnergy selection(u, 1);
    const double sum = 1 + std::exp(-1.0) + std::exp(-3.0);
    EXPECT_NEAR(selection.log_second(1, 0), -std::log(sum), 1e-12);
    EXPECT_NEAR(selection.log_second(3, 0), -3 - std::log(sum), 1e-12);
    EXPECT_NEAR(selection.log_pair(0, 1), -std::log(sum), 1e-12);
    std::vector<double> counts(4);
    for (std::uint32_t step = 0; step < 20000; ++step) {
        SearchSettings settings;
        settings.crossover = Crossover::single;
        settings.selection_temperature = 1;
        const auto plan = MeetingPlanner(settings).pairs(u, {3, random::Purpose::operation, 0, step});
        EXPECT_EQ(plan.active[0], 1);
        ++counts[static_cast<std::size_t>(plan.first[0])];
    }
    EXPECT_GT(chi_squared_p_value(counts, std::vector<double>{0, 1 / sum, std::exp(-1.0) / sum, std::exp(-3.0) / sum}),
              rejection_level);
}

} // namespace
} // namespace pearlite::algorithm
