// States that grow by time: sweeps and draws leave p(x | y) invariant. If states x are drawn together with data y, such
// a move of x changes no mean of functions of both (Geweke 2004). Each test has a wrong twin, whose moves use other
// data.
#include "models/state_space/growing/growing_linear_gaussian.hpp"
#include "models/state_space/growing/growing_volatility.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace pearlite::models {
namespace {

constexpr Index runs = 40000;
/// A comparison has about 26 z-scores, all tests 500: for right moves one exceeds the limit once in 300 such tests.
constexpr double limit = 4.5;

/// States and data of n times.
struct Series {
    std::vector<double> states, mixing, observations;
};

/// Cuts off the tails, which would make means of products unreliable; 0 for a missing observation.
double bounded(double y) {
    return is_missing(y) ? 0 : y / (1 + std::abs(y));
}

/// The same draws without the observation at a time.
template <class Draw>
auto with_gap(const Draw& draw, std::size_t time) {
    return [draw, time](Index n, random::Stream& stream) {
        auto series = draw(n, stream);
        series.observations.at(time) = std::nan("");
        series.mixing.at(time) = 1;
        return series;
    };
}

/// Functions of states and data, whose means a right move does not change.
std::vector<double> functions(const Series& s) {
    std::vector<double> all;
    for (std::size_t t = 0; t < s.states.size(); ++t) {
        const double x = s.states[t];
        all.insert(all.end(), {x, x * x, x * bounded(s.observations[t]), x * std::abs(bounded(s.observations[t])),
                               bounded(s.mixing[t])});
        if (t > 0)
            all.insert(all.end(), {x * s.states[t - 1], x * bounded(s.observations[t - 1])});
    }
    return all;
}

/// The data of which the last is yet to come; `factor` is 1 but for wrong twins.
std::vector<double> data_of(const Series& series, double factor) {
    auto data = series.observations;
    for (double& y : data)
        y *= factor;
    data.push_back(0.5);
    return data;
}

/// The largest |z| of the differences that moves make to the means of functions. draw(n, stream): states and data;
/// make(data): the process; move(process, block, streams).
template <class Draw, class Make, class Move>
double largest_z(Index n, double factor, const Draw& draw, const Make& make, const Move& move) {
    std::vector<double> sums, squares;
    for (Index r = 0; r < runs; ++r) {
        random::Stream stream({17, random::Purpose::test, static_cast<std::uint64_t>(r), 0});
        Series series = draw(n, stream);
        const auto before = functions(series);
        const auto process = make(data_of(series, factor));
        StateBlock block(n, process->fields(), 1);
        for (Index t = 0; t < n; ++t) {
            block.row(t)[0] = series.states[at(t)];
            if (process->fields() > 1)
                block.row(t, 1)[0] = series.mixing[at(t)];
        }
        move(*process, block, model::BlockStreams{18, static_cast<std::uint32_t>(r)});
        for (Index t = 0; t < n; ++t) {
            series.states[at(t)] = block.row(t)[0];
            if (process->fields() > 1)
                series.mixing[at(t)] = block.row(t, 1)[0];
        }
        const auto after = functions(series);
        sums.resize(after.size(), 0);
        squares.resize(after.size(), 0);
        for (std::size_t k = 0; k < after.size(); ++k) {
            sums[k] += after[k] - before[k];
            squares[k] += (after[k] - before[k]) * (after[k] - before[k]);
        }
    }
    double largest = 0;
    for (std::size_t k = 0; k < sums.size(); ++k)
        if (squares[k] > 0)
            largest = std::max(largest, std::abs(sums[k]) /
                                            std::sqrt(squares[k] - sums[k] * sums[k] / static_cast<double>(runs)));
    return largest;
}

/// Sweeps of all states and of the last two, a sweep and the first draw of one state: right, and with a wrong twin.
template <class Draw, class Make>
void expect_invariance(const Draw& draw, const Make& make, const std::string& name) {
    const auto sweep_from = [](Index from, Index n) {
        return [=](const StateProcess& process, StateBlock& block, const model::BlockStreams& streams) {
            process.sweep(block, from, n, streams);
        };
    };
    const auto first = [](const StateProcess& process, StateBlock& block, const model::BlockStreams& streams) {
        process.draw_first(block, streams);
    };
    constexpr double wrong = 3;
    EXPECT_LT(largest_z(4, 1, draw, make, sweep_from(0, 4)), limit) << name;
    EXPECT_LT(largest_z(4, 1, draw, make, sweep_from(2, 4)), limit) << name;
    EXPECT_LT(largest_z(1, 1, draw, make, sweep_from(0, 1)), limit) << name;
    EXPECT_LT(largest_z(1, 1, draw, make, first), limit) << name;
    EXPECT_GT(largest_z(4, wrong, draw, make, sweep_from(0, 4)), limit) << name << ": the test cannot fail";
    EXPECT_GT(largest_z(1, wrong, draw, make, first), limit) << name << ": the test cannot fail";
}

/// Where an observation is missing: at the begin, in the middle, at the end. Fails for moves that take a missing value
/// for data, or that forget that the state after it has another variance.
template <class Draw, class Make>
void expect_invariance_over_gaps(const Draw& draw, const Make& make, const std::string& name) {
    const auto sweep = [](const StateProcess& process, StateBlock& block, const model::BlockStreams& streams) {
        process.sweep(block, 0, 3, streams);
    };
    for (const std::size_t time : {0u, 1u, 2u})
        EXPECT_LT(largest_z(3, 1, with_gap(draw, time), make, sweep), limit) << name << ", time " << time;
    const auto first = [](const StateProcess& process, StateBlock& block, const model::BlockStreams& streams) {
        process.draw_first(block, streams);
    };
    EXPECT_LT(largest_z(1, 1, with_gap(draw, 0), make, first), limit) << name;
    EXPECT_GT(largest_z(3, 3, with_gap(draw, 1), make, sweep), limit) << name << ": the test cannot fail";
}

constexpr LinearGaussianParameters linear{.mean = 0.7, .persistence = 0.8, .state_sd = 0.6, .noise_sd = 0.9};

TEST(GrowingStates, LinearGaussianMovesLeaveThePosteriorInvariant) {
    const auto draw = [](Index n, random::Stream& stream) {
        Series s;
        const LinearGaussianProcess process(linear, {});
        for (Index t = 0; t < n; ++t) {
            s.states.push_back(process.draw_next(t, t > 0 ? s.states.back() : 0, stream));
            s.observations.push_back(s.states.back() + linear.noise_sd * stream.normal());
            s.mixing.push_back(1);
        }
        return s;
    };
    const auto make = [](std::vector<double> data) {
        return std::make_unique<const GrowingLinearGaussian>(linear, std::move(data), false);
    };
    expect_invariance(draw, make, "linear Gaussian");
    expect_invariance_over_gaps(draw, make, "linear Gaussian");
}

/// Plain, with leverage, with Student-t errors, with both.
std::vector<VolatilityParameters> kinds_of_volatility() {
    return {{-0.5, 0.9, 0.5}, {-0.5, 0.9, 0.5, -0.7}, {-0.5, 0.9, 0.5, 0, 5}, {-0.5, 0.9, 0.5, -0.7, 5}};
}

TEST(GrowingStates, VolatilityMovesLeaveThePosteriorInvariant) {
    for (const auto& theta : kinds_of_volatility()) {
        const auto draw = [&](Index n, random::Stream& stream) {
            Series s;
            double h = theta.mu + theta.stationary_sd() * stream.normal();
            for (Index t = 0; t < n; ++t) {
                const double z = stream.normal(), g = theta.student() ? 2 * stream.gamma(theta.nu / 2) / theta.nu : 1;
                s.states.push_back(h);
                s.mixing.push_back(g);
                s.observations.push_back(std::exp(h / 2) * z / std::sqrt(g));
                h = theta.mu + theta.phi * (h - theta.mu) + theta.sigma * theta.rho * z +
                    theta.innovation_sd() * stream.normal();
            }
            return s;
        };
        const auto make = [&](std::vector<double> data) {
            return std::make_unique<const GrowingVolatility>(theta, std::move(data), false);
        };
        const auto name = GrowingVolatility(theta, {1}, false).description();
        expect_invariance(draw, make, name);
        expect_invariance_over_gaps(draw, make, name);
    }
}

/// log of the mean of exp(log_weights).
double log_mean(const std::vector<double>& log_weights) {
    double sum = 0;
    for (const double w : log_weights)
        sum += std::exp(w) / static_cast<double>(log_weights.size());
    return std::log(sum);
}

TEST(GrowingStates, BothProposalsAverageToTheSameWeight) {
    // p(y_t | x_{t-1}), of the same x_{t-1} in all particles, which each proposal estimates.
    constexpr Index particles = 100000;
    const std::vector<double> data{0.4, -2.5, 0.1};
    const auto estimate = [&](const StateProcess& process) {
        StateBlock block(2, process.fields(), particles);
        std::fill_n(block.row(0), particles, 0.3);
        if (process.fields() > 1)
            std::fill_n(block.row(0, 1), particles, 0.8);
        std::vector<double> weights(at(particles));
        process.propose(block, 1, {13}, weights);
        return log_mean(weights);
    };
    // The relative sd of a weight is at most 1 here: 0.0032 of the mean, of which four are 0.013.
    constexpr double tolerance = 0.013;
    EXPECT_NEAR(estimate(GrowingLinearGaussian(linear, data, false)),
                estimate(GrowingLinearGaussian(linear, data, true)), tolerance);
    for (const auto& theta : kinds_of_volatility())
        EXPECT_NEAR(estimate(GrowingVolatility(theta, data, false)), estimate(GrowingVolatility(theta, data, true)),
                    tolerance);
}

/// A weight is 1 where an observation is missing, and the next one is the density without it: fails if the state after
/// a gap has the variance of one whose shock is known.
TEST(GrowingStates, ProposalsStepOverGaps) {
    const std::vector<double> data{std::nan(""), std::nan(""), 0.4};
    constexpr Index particles = 200000;
    const auto check = [&](const StateProcess& process) {
        StateBlock block(3, process.fields(), particles);
        process.draw_first(block, {13});
        std::vector<double> weights(at(particles));
        process.propose(block, 1, {14}, weights);
        EXPECT_EQ(*std::ranges::max_element(weights), 0);
        EXPECT_EQ(*std::ranges::min_element(weights), 0);
        process.propose(block, 2, {15}, weights);
        EXPECT_NEAR(log_mean(weights), *process.log_likelihood(), 0.01) << process.description();
        EXPECT_NEAR(process.log_first(), 0, 1e-12);
    };
    for (const bool adapted : {false, true}) {
        check(GrowingLinearGaussian(linear, data, adapted));
        for (const auto& theta : kinds_of_volatility())
            check(GrowingVolatility(theta, data, adapted));
    }
}

TEST(GrowingStates, DensitiesGrowByTransitionAndObservation) {
    const std::vector<double> data{0.4, -1.5, 0.1};
    const VolatilityParameters theta{-0.5, 0.9, 0.5, -0.7};
    const GrowingVolatility process(theta, data, false);
    StateBlock block(3, 1, 1);
    block.row(0)[0] = 0.3, block.row(1)[0] = 0.6, block.row(2)[0] = -0.2;
    std::vector<double> two(1), three(1);
    process.log_density(block, 2, two);
    process.log_density(block, 3, three);
    const double mean = theta.mu + theta.phi * (0.6 - theta.mu) + theta.sigma * theta.rho * data[1] * std::exp(-0.3);
    const double sd = theta.innovation_sd(), error = data[2] * std::exp(0.1);
    const double expected = -0.5 * (-0.2 - mean) * (-0.2 - mean) / (sd * sd) - std::log(sd) - 0.5 * error * error +
                            0.1 - std::log(2 * std::numbers::pi);
    EXPECT_NEAR(three[0] - two[0], expected, 1e-12);
}

} // namespace
} // namespace pearlite::models
