// z-scores are compared with 5 (a false alarm once in 2e6), with Student's t of at least 63 degrees of freedom; about
// 10 on fixed seeds.
#include "algorithm/alone.hpp"
#include "algorithm/parallel_tempering/parallel_tempering.hpp"

#include "algorithm/densities.hpp"
#include "algorithm/parallel_tempering/tempering_outcome.hpp"
#include "kernel/native.hpp"
#include "models/gaussian/autoregressive_gaussian.hpp"
#include "models/lattice/ising.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "population/column_blocks.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using models::AutoregressiveGaussian;
using models::Ising;

template <class M>
ParallelTempering tempering(const M& model, const path::Schedule& schedule, const TemperingSettings& settings) {
    const auto target = model::target_of(model);
    ParallelTempering sampler(alone, target, schedule, kernel::Native(target), settings);
    complete(sampler);
    return sampler;
}

double z_of(const Outcome& outcome, std::size_t which, double exact) {
    return (outcome.log_ratio[which].value - exact) / outcome.log_ratio[which].standard_error.value();
}

TEST(ParallelTempering, IsingAgainstKaufman) {
    const Ising ising({.size = 8, .move = models::IsingSettings::Move::heat_bath});
    const auto outcome = tempering(ising, path::linear_schedule(40, 0.8), {256, 2000, 400, 1}).outcome();
    EXPECT_EQ(outcome.log_ratio[0].estimator, "stepping-stone");
    EXPECT_EQ(outcome.log_ratio[1].estimator, "thermodynamic-integration");
    for (const std::size_t which : {0u, 1u}) {
        EXPECT_LT(std::fabs(z_of(outcome, which, *ising.exact_log_ratio(0.8))), 5) << which;
        EXPECT_LT(*outcome.log_ratio[which].standard_error, 0.05);
    }
    EXPECT_TRUE(outcome.warnings.empty()) << outcome.warnings.front();
}

/// Gaussian toy with a kernel so slow that the exchanges do the work.
AutoregressiveGaussian slow_toy() {
    return AutoregressiveGaussian({.start_mean = 2, .start_sd = 3}, 0.98);
}

TEST(ParallelTempering, GaussianToy) {
    const auto outcome = tempering(slow_toy(), path::exponential_schedule(12, 1, 9), {64, 4000, 800, 2}).outcome();
    for (const std::size_t which : {0u, 1u})
        EXPECT_LT(std::fabs(z_of(outcome, which, -std::log(3))), 5) << which;
}

/// Mean and variance at every temperature are those of the exact normal distributions; the states after each scan are
/// compared, over the independent systems.
template <class M>
double worst_moment_z(const M& model) {
    const auto schedule = path::exponential_schedule(6, 1, 9);
    const Index R = 4000;
    auto sampler = tempering(model, schedule, {R, 60, 1, 3});
    double worst = 0;
    for (Index t = 0; t <= 6; ++t) {
        std::vector<double> first, second;
        const auto exact = slow_toy();
        for (Index i = 0; i < R; ++i) {
            const double x = testing_support::columns_of(sampler.population().generation(0).block(t))(0, i);
            const double z = (x - exact.mean(schedule[t])) / exact.sd(schedule[t]);
            first.push_back(z);
            second.push_back(z * z);
        }
        worst = std::max({worst, std::fabs(MeanError(first).z(0)), std::fabs(MeanError(second).z(1))});
    }
    return worst;
}

/// Starts in equilibrium at every temperature, so that faults of the exchanges show at once. (draw_start of a ladder
/// does not get a temperature: the moves of the first scan, independent draws from p_b, put each block into
/// equilibrium.)
struct Equilibrated : AutoregressiveGaussian {
    explicit Equilibrated(bool sign_is_wrong = false)
        : AutoregressiveGaussian(slow_toy()), independent(GaussianToy(), 0), wrong(sign_is_wrong) {}
    static models::GaussianSettings GaussianToy() { return {.start_mean = 2, .start_sd = 3}; }
    void move(Block& block, double b, const model::BlockStreams& streams) const {
        streams.step == 1 ? independent.move(block, b, streams) : AutoregressiveGaussian::move(block, b, streams);
    }
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        wrong ? AutoregressiveGaussian::add_log_ratio(block, to, from, out)
              : AutoregressiveGaussian::add_log_ratio(block, from, to, out);
    }
    AutoregressiveGaussian independent;
    bool wrong;
};

TEST(ParallelTempering, ExchangesKeepEveryDistribution) {
    EXPECT_LT(worst_moment_z(Equilibrated()), 5);
    EXPECT_GT(worst_moment_z(Equilibrated(true)), 8);
}

TEST(ParallelTempering, StandardErrorsAreTrue) {
    const auto schedule = path::exponential_schedule(8, 1, 9);
    std::vector<double> squares, twin;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto outcome =
            tempering(AutoregressiveGaussian({.start_mean = 2, .start_sd = 3}, 0.5), schedule, {32, 120, 20, seed})
                .outcome();
        squares.push_back(std::pow(z_of(outcome, 0, -std::log(3)), 2));
        twin.push_back(2 * squares.back()); // errors too small by sqrt 2
    }
    const double student = 31.0 / 29; // variance of Student's t of 31 degrees of freedom
    EXPECT_LT(std::fabs(MeanError(squares).z(student)), 5);
    EXPECT_GT(std::fabs(MeanError(twin).z(student)), 5);
}

TEST(ParallelTempering, FewSystemsCarryNoErrorBar) {
    const auto outcome = tempering(slow_toy(), path::exponential_schedule(6, 1, 9), {4, 100, 20, 1}).outcome();
    EXPECT_FALSE(outcome.log_ratio.front().standard_error.has_value());
    EXPECT_FALSE(outcome.log_ratio.front().note.empty());
}

/// Sixteen systems at b = 0 and 1 with u = 3 at both, but for noise, and log mean f_1/f_0 = `stones`.
Outcome two_temperatures(double stones) {
    constexpr std::size_t systems = 16, states = 2 * systems;
    auto sums = TemperingSums::of_states(states);
    for (std::size_t i = 0; i < states; ++i) {
        const double noise = i % 2 == 0 ? 0.01 : -0.01;
        sums.u[i] = 3 + noise;
        sums.u_square[i] = sums.u[i] * sums.u[i];
        sums.ratio[i] = std::exp(stones) * (1 + noise);
    }
    return tempering_outcome(parallel::Communicator::alone(), sums, parallel::BlockLayout(states, systems, 1, 0),
                             {{{0, 1}, systems, 1, false}, 0, 1});
}

TEST(ParallelTempering, AnIntegralFarFromTheSteppingStonesCarriesNoErrorBar) {
    const auto together = two_temperatures(3), apart = two_temperatures(3.5);
    EXPECT_TRUE(together.log_ratio[1].standard_error.has_value());
    EXPECT_FALSE(apart.log_ratio[1].standard_error.has_value());
    EXPECT_FALSE(apart.log_ratio[1].interval95.has_value());
    EXPECT_NE(apart.log_ratio[1].note.find("far from the stepping stones"), std::string::npos);
    EXPECT_TRUE(apart.log_ratio[0].standard_error.has_value());
}

/// Sums of systems whose mean u at every temperature is that of the integrand 1 / (0.01 + b)^2, without noise.
Outcome integrated(Index steps, bool is_linear) {
    const auto schedule = path::exponential_schedule(steps, 1, 100);
    const auto n = static_cast<std::size_t>(steps + 1);
    TemperingSums sums;
    for (const double b : schedule.points()) {
        const double u = 1 / std::pow(0.01 + b, 2);
        sums.u.push_back(u);
        sums.u_square.push_back(u * u + (is_linear ? -2 / std::pow(0.01 + b, 3) : 0));
    }
    for (auto* values : {&sums.u_first_half, &sums.ratio, &sums.ratio_shift, &sums.swaps})
        values->assign(n, 1.0);
    sums.tags.assign(n, 0);
    return tempering_outcome(parallel::Communicator::alone(), sums, parallel::BlockLayout(steps + 1, 1, 1, 0),
                             {{schedule.points(), 1, 1, is_linear}, 0, 1});
}

TEST(ParallelTempering, TrapezoidsAreCorrectedOrExtrapolated) {
    const double exact = 100 - 1 / 1.01;
    const auto error = [&](Index steps, bool is_linear) {
        return std::fabs(integrated(steps, is_linear).log_ratio[1].value - exact);
    };
    EXPECT_LT(error(60, false), 2e-3); // even: from h and 2h
    EXPECT_GT(error(61, false), 5e-2); // odd: plain
    EXPECT_LT(error(60, true), 2e-3);  // by Var[u]
    EXPECT_NEAR(error(60, false) / error(120, false), 16, 2);
    EXPECT_NE(integrated(60, false).log_ratio[1].note.find("plain trapezoids"), std::string::npos);
}

TEST(ParallelTempering, ColdReplicasStartFromModes) {
    const auto ising = model::target_of(Ising({.size = 4}));
    const auto schedule = path::linear_schedule(9, 0.9);
    const auto ordered = [&](std::optional<double> from) {
        ParallelTempering sampler(alone, ising, schedule, kernel::Native(ising), {16, 10, 0, 1, true, from});
        sampler.begin();
        std::vector<Index> which;
        for (Index t = 0; t <= 9; ++t) {
            std::vector<double> u(16);
            ising->path_derivative(sampler.population().generation(0).block(t), schedule[t], u);
            if (std::all_of(u.begin(), u.end(), [](double v) { return v == 32; }))
                which.push_back(t);
        }
        return which;
    };
    EXPECT_EQ(ordered({}), (std::vector<Index>{5, 6, 7, 8, 9}));
    EXPECT_EQ(ordered(0.75), (std::vector<Index>{8, 9}));
}

} // namespace
} // namespace pearlite::algorithm
