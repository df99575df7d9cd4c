/// MBAR over a ladder against exact answers, against MBAR of the same samples as samples of many states, and its errors
/// against the jackknife. Means of z^2 over 400 sets lie within 5 of their standard errors (0.4).

#include "estimator/mbar/ladder_mbar.hpp"

#include "estimator/mbar/mbar.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

/// u = -stiffness |x|^2/2 over N(0, 1)^d: at b, x is N(0, 1/(1 + b stiffness))^d. Each system's x at a temperature are
/// an autoregressive chain with this memory.
struct Springs {
    Index d = 1;
    double stiffness = 9, memory = 0;
    Index systems = 16, scans = 40;
    std::vector<double> ladder{0, 0.02, 0.08, 0.25, 0.6, 1};

    double exact(std::size_t t) const { return -0.5 * static_cast<double>(d) * std::log1p(ladder[t] * stiffness); }
    LadderFacts facts() const { return {ladder, systems, scans, true}; }

    std::vector<double> draw(std::uint64_t seed) const {
        std::vector<double> u;
        for (std::size_t t = 0; t < ladder.size(); ++t)
            for (Index i = 0; i < systems; ++i) {
                random::Stream stream({seed, random::Purpose::test, t, static_cast<std::uint32_t>(i)});
                const double variance = 1 / (1 + ladder[t] * stiffness);
                Vector x(d);
                for (Index s = 0; s < scans; ++s) {
                    for (double& each : x)
                        each = s == 0 ? std::sqrt(variance) * stream.normal()
                                      : memory * each + std::sqrt((1 - memory * memory) * variance) * stream.normal();
                    u.push_back(-stiffness * x.squaredNorm() / 2);
                }
            }
        return u;
    }
};

LadderMbar found(const LadderFacts& facts, const std::vector<double>& u) {
    const auto alone = parallel::Communicator::alone();
    const auto n = std::ssize(facts.inverse_temperature) * facts.systems;
    std::vector<double> sum(at(n)), square(at(n)), ratio(at(n)), shift(at(n), 0.0);
    for (Index i = 0; i < n; ++i)
        for (Index s = 0; s < facts.measurements; ++s) {
            const double value = u[at(i * facts.measurements + s)];
            const auto t = at(i / facts.systems);
            sum[at(i)] += value;
            square[at(i)] += value * value;
            if (t + 1 < facts.inverse_temperature.size())
                ratio[at(i)] += std::exp((facts.inverse_temperature[t + 1] - facts.inverse_temperature[t]) * value);
        }
    const parallel::BlockLayout layout(n, facts.systems, 1, 0);
    const Ladder ladder(alone, {sum, square, ratio, shift}, layout, facts);
    return mbar_of_ladder(ladder, {u, facts.measurements});
}

/// The same samples as independent ones of many states.
Mbar of_independent_samples(const LadderFacts& facts, const std::vector<double>& u) {
    ReducedPotentials data;
    data.layout = parallel::BlockLayout(std::ssize(u), mbar_block, 1, 0);
    const auto b = Eigen::Map<const Vector>(facts.inverse_temperature.data(), std::ssize(facts.inverse_temperature));
    data.here = -b * Eigen::Map<const Vector>(u.data(), std::ssize(u)).transpose();
    data.counts.assign(facts.inverse_temperature.size(), facts.systems * facts.measurements);
    return mbar(data);
}

TEST(LadderMbar, SolvesTheEquationsOfManyStates) {
    const Springs springs{3};
    const auto u = springs.draw(1);
    const auto of_ladder = found(springs.facts(), u);
    const auto of_states = of_independent_samples(springs.facts(), u);
    for (std::size_t t = 0; t < springs.ladder.size(); ++t)
        EXPECT_NEAR(of_ladder.log_ratio[t], -of_states.free_energies(static_cast<Index>(t)), 1e-7) << t;
    EXPECT_EQ(of_ladder.estimate.value, of_ladder.log_ratio.back());
    EXPECT_EQ(*of_ladder.estimate.standard_error, of_ladder.standard_error.back());
    EXPECT_EQ(of_ladder.standard_error.front(), 0);
}

TEST(LadderMbar, ErrorsAreThoseOfTheJackknife) {
    const Springs springs{2, 9, 0.8};
    const auto u = springs.draw(2);
    auto fewer = springs.facts();
    --fewer.systems;
    std::vector<double> without;
    for (Index left_out = 0; left_out < springs.systems; ++left_out) {
        std::vector<double> others;
        for (Index i = 0; i < std::ssize(u); ++i)
            if (i / springs.scans % springs.systems != left_out)
                others.push_back(u[at(i)]);
        without.push_back(found(fewer, others).estimate.value);
    }
    double mean = 0, square = 0;
    const auto n = static_cast<double>(springs.systems);
    for (const double value : without)
        mean += value / n;
    for (const double value : without)
        square += (value - mean) * (value - mean) * (n - 1) / n;
    EXPECT_NEAR(*found(springs.facts(), u).estimate.standard_error / std::sqrt(square), 1, 0.05);
}

TEST(LadderMbar, ErrorsOfCorrelatedScansAreTrue) {
    for (const Index d : {1, 10}) {
        const Springs springs{d, 9, 0.8};
        constexpr int sets = 400;
        const std::vector<std::size_t> where{2, 5}; // along the path, and at its end
        std::vector<double> squares(where.size()), twins(where.size());
        for (int set = 0; set < sets; ++set) {
            const auto u = springs.draw(static_cast<std::uint64_t>(set));
            const auto of_ladder = found(springs.facts(), u);
            const auto twin = of_independent_samples(springs.facts(), u); // the wrong twin ignores autocorrelation
            for (std::size_t k = 0; k < where.size(); ++k) {
                const double error = of_ladder.log_ratio[where[k]] - springs.exact(where[k]);
                squares[k] += std::pow(error / of_ladder.standard_error[where[k]], 2) / sets;
                twins[k] += std::pow(error / twin.standard_error(0, static_cast<Index>(where[k])), 2) / sets;
            }
        }
        const double student = 15.0 / 13; // the variance of Student's t of 15 degrees of freedom
        for (std::size_t k = 0; k < where.size(); ++k) {
            EXPECT_NEAR(squares[k], student, 0.4) << d;
            EXPECT_GT(twins[k], student + 0.4) << d;
        }
    }
}

TEST(LadderMbar, FewSystemsOrNoOverlapGiveNoError) {
    const Springs few{1, 9, 0, 7};
    const auto of_few = found(few.facts(), few.draw(1));
    EXPECT_FALSE(of_few.estimate.standard_error);
    EXPECT_NE(of_few.estimate.note.find("7 independent systems"), std::string::npos);
    EXPECT_TRUE(std::isnan(of_few.standard_error.back()));
    EXPECT_LT(std::fabs(of_few.estimate.value - few.exact(5)), 0.5);
    const Springs apart{100, 1e4, 0, 16, 40, {0, 1}};
    const auto found_apart = found(apart.facts(), apart.draw(1));
    EXPECT_FALSE(found_apart.estimate.standard_error);
}

TEST(LadderMbar, ImpossibleStatesCountAtTheFirstTemperatureAlone) {
    const Springs springs{1};
    auto u = springs.draw(3);
    const double before = found(springs.facts(), u).estimate.value;
    for (std::size_t i = 0; i < 300; ++i) // of 640 at b = 0
        u[i] = -1e300;
    const auto after = found(springs.facts(), u);
    ASSERT_TRUE(after.estimate.standard_error);
    EXPECT_LT(after.estimate.value, before - 0.3);
    EXPECT_GT(after.estimate.value, before - 1);
}

} // namespace
} // namespace pearlite::estimator
