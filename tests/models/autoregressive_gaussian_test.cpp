/// The autoregressive Gaussian toy against its known moments. z scores use exact variances; limits of 5: false alarm
/// 6e-7 each.

#include "models/gaussian/autoregressive_gaussian.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

namespace pearlite::models {
namespace {

using model::BlockStreams;
using Model = AutoregressiveGaussian;

static_assert(model::HasReversibleMove<Model> && model::HasEndSampler<Model> && model::HasMode<Model> &&
              model::HasStateSwap<Model> && model::HasLinearPath<Model>);

constexpr Index block_size = 512;

BlockStreams streams_at(std::uint32_t step, Index generation = 0, Index block = 0, std::uint64_t seed = 7) {
    return {seed, step, generation, block_size * block, block};
}

/// z of the second moments of (x, x') at equilibrium, both standardised: E x' = 0, E x'^2 = 1, E x x' = t. Normal
/// pairs with these moments are exchangeable, which is detailed balance. The draws and the move may be of another
/// model or b.
std::array<double, 3> flow_z(const Model& model, double t, double b, const Model& moving, double b_of_move) {
    constexpr Index n_blocks = 100, dimension = 2;
    std::array<double, 3> sums{};
    for (Index n = 0; n < n_blocks; ++n) {
        auto block = model.make_block(block_size);
        model.draw_end(block, b, streams_at(0, 0, n));
        const auto before = block;
        moving.move(block, b_of_move, streams_at(1, 0, n));
        for (Index i = 0; i < block_size; ++i)
            for (Index k = 0; k < dimension; ++k) {
                const double x = (before.columns()(k, i) - model.mean(b)) / model.sd(b);
                const double y = (block.columns()(k, i) - model.mean(b)) / model.sd(b);
                sums[0] += y;
                sums[1] += y * y - 1;
                sums[2] += x * y - t;
            }
    }
    const double n = block_size * n_blocks * dimension;
    return {sums[0] / std::sqrt(n), sums[1] / std::sqrt(2 * n), sums[2] / std::sqrt((1 + t * t) * n)};
}

TEST(AutoregressiveGaussian, MeanOfUIsTheDerivativeOfTheNormaliser) {
    const Model model({.dimension = 3, .start_mean = 20, .start_sd = 10}, 0.5);
    for (const double b : {0.01, 0.3, 0.9}) {
        const double h = 1e-5;
        const double slope = (*model.exact_log_ratio(b + h) - *model.exact_log_ratio(b - h)) / (2 * h);
        EXPECT_NEAR(*model.equilibrium_mean_u(b) / slope, 1, 1e-6);
    }
    EXPECT_EQ(model.quantity_names(), (std::vector<std::string>{"x1", "x2", "x3"}));
    EXPECT_EQ(model.equilibrium_moments(0).at(2).mean, 20);
    EXPECT_EQ(model.equilibrium_moments(0).at(2).sd, 10);
}

TEST(AutoregressiveGaussian, MovesReverseThemselves) {
    const GaussianSettings settings{.dimension = 2};
    for (const double t : {0.0, 0.5, 0.9})
        for (const double b : {0.0, 0.02, 1.0})
            for (const double z : flow_z(Model(settings, t), t, b, Model(settings, t), b))
                EXPECT_LT(std::fabs(z), 5) << "t = " << t << ", b = " << b;
    const Model model(settings, 0.5);
    EXPECT_GT(std::fabs(flow_z(model, 0.5, 0.5, Model(settings, 0.55), 0.5)[2]), 8); // keeps too much
    const auto elsewhere = flow_z(model, 0.5, 0.5, model, 0.55);                     // moves at another temperature
    EXPECT_GT(std::max(std::fabs(elsewhere[0]), std::fabs(elsewhere[1])), 8);
}

/// Moments of a work: it is a quadratic function of a normal chain, whose mean and variance follow a recursion.
struct WorkMoments {
    double mean = 0, variance = 0;
};

/// The chain starts at N(mean, sd^2) of the first of `temperatures`; W = -sum_k changes[k] u(x_k), and before every
/// k > 0 it moves at temperatures[k].
WorkMoments work_moments(const Model& model, const GaussianSettings& s, double t,
                         const std::vector<double>& temperatures, const std::vector<double>& changes) {
    const double curvature = 0.5 * (1 / (s.start_sd * s.start_sd) - 1 / (s.end_sd * s.end_sd));
    WorkMoments result;
    std::vector<double> slopes, variances;
    double mean = model.mean(temperatures[0]), variance = model.sd(temperatures[0]) * model.sd(temperatures[0]);
    for (std::size_t k = 0; k < temperatures.size(); ++k) {
        if (k > 0) {
            const double sd = model.sd(temperatures[k]);
            mean = (1 - t) * model.mean(temperatures[k]) + t * mean;
            variance = (1 - t * t) * sd * sd + t * t * variance;
        }
        const double start = (mean - s.start_mean) / s.start_sd, end = (mean - s.end_mean) / s.end_sd;
        result.mean -= changes[k] * (0.5 * (start * start - end * end) + curvature * variance);
        slopes.push_back(start / s.start_sd - end / s.end_sd);
        variances.push_back(variance);
        for (std::size_t j = 0; j <= k; ++j) { // Cov[x_j, x_k] = t^(k-j) Var[x_j]
            const double covariance = std::pow(t, static_cast<double>(k - j)) * variances[j];
            const double of_u = slopes[j] * slopes[k] * covariance + 2 * std::pow(curvature * covariance, 2);
            result.variance += (j == k ? 1 : 2) * changes[j] * changes[k] * of_u;
        }
    }
    return {static_cast<double>(s.dimension) * result.mean, static_cast<double>(s.dimension) * result.variance};
}

/// z of the mean of simulated works against `expected`. The wrong twin moves before it weighs.
double work_z(const Model& model, bool reverse, const std::vector<double>& temperatures,
              const std::vector<double>& changes, const WorkMoments& expected, bool weigh_after_move = false) {
    constexpr Index n_blocks = 40;
    double sum = 0;
    for (Index n = 0; n < n_blocks; ++n) {
        auto block = model.make_block(block_size);
        std::vector<double> minus_work(block_size, 0.0);
        reverse ? model.draw_end(block, 1, streams_at(0, 1, n)) : model.draw_start(block, streams_at(0, 0, n));
        for (std::size_t k = 0; k < temperatures.size(); ++k) {
            const auto streams = streams_at(static_cast<std::uint32_t>(k + 1), reverse ? 1 : 0, n);
            if (k > 0 && !weigh_after_move)
                model.move(block, temperatures[k], streams);
            model.add_log_ratio(block, 0, changes[k], minus_work); // u is the same at every b
            if (k > 0 && weigh_after_move)
                model.move(block, temperatures[k], streams);
        }
        for (const double w : minus_work)
            sum -= w;
    }
    const double n = block_size * n_blocks;
    return (sum / n - expected.mean) / std::sqrt(expected.variance / n);
}

TEST(AutoregressiveGaussian, MeanWorksAreThoseOfTheRecursion) {
    const double t = 0.5;
    for (const Index dimension : {1, 3}) {
        const GaussianSettings settings{.dimension = dimension};
        const Model model(settings, t);
        for (const Index steps : {5, 50}) {
            std::vector<double> b; // b_k = (100^{k/K} - 1)/99
            for (Index k = 0; k <= steps; ++k)
                b.push_back((std::pow(100, static_cast<double>(k) / static_cast<double>(steps)) - 1) / 99);
            std::vector<double> forward, changes;
            for (Index k = 0; k < steps; ++k) {
                forward.push_back(b[static_cast<std::size_t>(k)]);
                changes.push_back(b[static_cast<std::size_t>(k) + 1] - b[static_cast<std::size_t>(k)]);
            }
            const std::vector<double> reverse_changes(changes.rbegin(), changes.rend());
            std::vector<double> reverse{1}; // x_{K-1} ~ p_K, then moves at b_{K-1}, ..., b_1
            reverse.insert(reverse.end(), forward.rbegin(), forward.rend() - 1);
            const auto of_forward = work_moments(model, settings, t, forward, changes);
            const auto of_reverse = work_moments(model, settings, t, reverse, reverse_changes);
            // <W>_f >= -log Z >= <W>_r
            EXPECT_GT(of_forward.mean, -*model.exact_log_ratio(1));
            EXPECT_LT(of_reverse.mean, -*model.exact_log_ratio(1));
            EXPECT_LT(std::fabs(work_z(model, false, forward, changes, of_forward)), 5);
            EXPECT_LT(std::fabs(work_z(model, true, reverse, reverse_changes, of_reverse)), 5);
            EXPECT_GT(std::fabs(work_z(model, false, forward, changes, of_forward, true)), 8);
            EXPECT_GT(std::fabs(work_z(model, true, reverse, reverse_changes, of_reverse, true)), 8);
        }
    }
}

TEST(AutoregressiveGaussian, DrawsAreThoseOfTheirDistributions) {
    const Model model({.dimension = 2}, 0.5);
    const auto z_of = [&](double b, double stated_b, const std::function<void(Model::Block&, Index)>& draw) {
        double first = 0, second = 0;
        for (Index n = 0; n < 50; ++n) {
            auto block = model.make_block(block_size);
            draw(block, n);
            const auto z = ((block.columns().leftCols(block_size).array() - model.mean(stated_b)) / model.sd(b)).eval();
            first += z.sum();
            second += (z.square() - 1).sum();
        }
        const double n = 2 * 50 * block_size;
        return std::max(std::fabs(first) / std::sqrt(n), std::fabs(second) / std::sqrt(2 * n));
    };
    const auto start = [&](Model::Block& block, Index n) { model.draw_start(block, streams_at(0, 0, n)); };
    const auto end = [&](Model::Block& block, Index n) { model.draw_end(block, 0.3, streams_at(0, 0, n)); };
    EXPECT_LT(z_of(0, 0, start), 5);
    EXPECT_LT(z_of(0.3, 0.3, end), 5);
    EXPECT_GT(z_of(0.33, 0.33, end), 8);
    EXPECT_GT(z_of(0.001, 0.001, start), 8);
}

TEST(AutoregressiveGaussian, NormalisersAreConsistent) {
    const GaussianSettings settings{.dimension = 3, .start_mean = 2, .start_sd = 3, .end_mean = -1, .end_sd = 0.5};
    const Model model(settings, 0.5);
    EXPECT_DOUBLE_EQ(*model.log_normaliser_start(), 3 * std::log(3 * std::sqrt(2 * std::numbers::pi)));
    EXPECT_NEAR(*model.exact_log_ratio(1), 3 * std::log(0.5 / 3), 1e-13);
    EXPECT_EQ(*model.exact_log_ratio(0), 0);
    EXPECT_DOUBLE_EQ(model.mean(0), 2);
    EXPECT_DOUBLE_EQ(model.sd(1), 0.5);
    for (const double b : {0.1, 0.5, 0.9}) { // d log Z/db = E[u], by u at the mean and its curvature
        const double h = 1e-5;
        const double slope = (*model.exact_log_ratio(b + h) - *model.exact_log_ratio(b - h)) / (2 * h);
        auto block = model.make_block(1);
        model.set_mode(block, b, streams_at(0));
        std::vector<double> u(1);
        model.path_derivative(block, b, u);
        const double variance = model.sd(b) * model.sd(b);
        EXPECT_NEAR(slope, u[0] + 3 * 0.5 * (1.0 / 9 - 1 / 0.25) * variance, 1e-7);
        std::vector<double> ratio{1};
        model.add_log_ratio(block, 0.2, 0.7, ratio);
        EXPECT_NEAR(ratio[0], 1 + 0.5 * u[0], 1e-13);
    }
}

TEST(AutoregressiveGaussian, ParticlesGoByTheirSlot) {
    const Model model({.dimension = 2}, 0.5);
    auto whole = model.make_block(40), part = model.make_block(8);
    model.draw_start(whole, {3, 0, 0, 0, 0});
    model.draw_start(part, {3, 0, 0, 32, 4});
    model.move(whole, 0.2, {3, 1, 0, 0, 0});
    model.move(part, 0.2, {3, 1, 0, 32, 4});
    EXPECT_EQ(whole.columns().middleCols(32, 8), part.columns().leftCols(8));
}

TEST(AutoregressiveGaussian, StatesSwap) {
    const Model model({.dimension = 2}, 0.5);
    auto a = model.make_block(3), b = model.make_block(3);
    model.draw_start(a, streams_at(0));
    model.draw_start(b, streams_at(1));
    const auto was_a = a.columns(), was_b = b.columns();
    model.swap_states(a, b, std::vector<std::uint8_t>{0, 1, 0});
    for (Index i = 0; i < 3; ++i) {
        EXPECT_EQ(a.columns().col(i), (i == 1 ? was_b : was_a).col(i));
        EXPECT_EQ(b.columns().col(i), (i == 1 ? was_a : was_b).col(i));
    }
}

TEST(AutoregressiveGaussian, RefusesWrongCorrelationsAndDistinguishesModels) {
    for (const double t : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_THROW(Model({}, t), InputError) << t;
    const auto bytes = [](const Model& model) {
        std::vector<std::byte> all;
        model::Fingerprint sink(
            [&](std::span<const std::byte> part) { all.insert(all.end(), part.begin(), part.end()); });
        model.fingerprint(sink);
        return all;
    };
    EXPECT_EQ(bytes(Model({}, 0.5)), bytes(Model({}, 0.5)));
    EXPECT_NE(bytes(Model({}, 0.5)), bytes(Model({}, 0.6)));
    EXPECT_NE(bytes(Model({}, 0.5)), bytes(Model({.end_sd = 2}, 0.5)));
}

} // namespace
} // namespace pearlite::models
