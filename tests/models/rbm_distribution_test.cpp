/// Samples of the RBM and estimates from its weights against enumeration, each with a wrong twin that must fail.

#include "models/rbm_oracle.hpp"

#include "pearlite/random/stream.hpp"
#include "random/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace pearlite::models {
namespace {

using namespace rbm_oracle;

/// log Z_b - log Z_0 by summing f(v, h) at b over all v and h.
double brute_force_log_ratio(const RbmParameters& rbm, double b) {
    const Index n = rbm.weights.rows();
    const Index n_h = rbm.weights.cols();
    std::vector<double> at_b, at_0;
    for (std::uint64_t i = 0; i < std::uint64_t{1} << n; ++i) {
        const Vector v = state_of_number(i, n);
        for (std::uint64_t j = 0; j < std::uint64_t{1} << n_h; ++j) {
            const Vector h = state_of_number(j, n_h);
            const double joint = v.dot(rbm.weights * h) + rbm.visible_bias.dot(v) + rbm.hidden_bias.dot(h);
            at_b.push_back((1 - b) * rbm.base_bias.dot(v) + b * joint);
            at_0.push_back(rbm.base_bias.dot(v));
        }
    }
    return log_sum_exp(at_b) - log_sum_exp(at_0);
}

TEST(Rbm, ExactLogRatioIsTheSumOverAllStates) {
    for (const auto& [n, n_h] : {std::pair<Index, Index>{6, 4}, {4, 6}, {1, 3}, {13, 2}}) {
        const RbmParameters parameters = asymmetric_rbm(n, n_h, 1.5, 3);
        const Rbm rbm(parameters);
        for (const double b : {0.0, 0.3, 1.0})
            EXPECT_NEAR(rbm.exact_log_ratio(b).value(), brute_force_log_ratio(parameters, b), 1e-12) << n << " " << b;
    }
}

TEST(Rbm, ExactLogRatioIsTheSameFromEitherLayer) {
    RbmParameters parameters = random_rbm(14, 13, 1.0, 0.5, 5); // several chunks of states
    const double by_hidden = Rbm(parameters).exact_log_ratio(1).value() + *Rbm(parameters).log_normaliser_start();
    const RbmParameters swapped{parameters.weights.transpose(), parameters.hidden_bias, parameters.visible_bias,
                                parameters.hidden_bias};
    const double by_visible = Rbm(swapped).exact_log_ratio(1).value() + *Rbm(swapped).log_normaliser_start();
    EXPECT_NEAR(by_hidden, by_visible, 1e-11);
}

TEST(Rbm, ExactLogRatioHoldsForLargeFields) {
    RbmParameters parameters = asymmetric_rbm(5, 3, 2000.0, 3);
    EXPECT_NEAR(Rbm(parameters).exact_log_ratio(1).value() / brute_force_log_ratio(parameters, 1), 1, 1e-13);
}

TEST(Rbm, OffersNoExactLogRatioBeyondItsLimit) {
    EXPECT_FALSE(Rbm(random_rbm(26, 26, 1, 1, 1)).exact_log_ratio(1));
}

TEST(Rbm, RealModelHasItsKnownNormaliser) {
    const char* directory = std::getenv("PEARLITE_DATA_DIR");
    if (directory == nullptr)
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set";
    const auto path = std::filesystem::path(directory) / "rbm" / "rbm15.f64";
    std::ifstream file(path, std::ios::binary);
    if (!file)
        GTEST_SKIP() << path << " cannot be read";
    std::int64_t sizes[2];
    file.read(reinterpret_cast<char*>(sizes), sizeof sizes);
    const auto read = [&file](Index count) {
        Vector values(count);
        file.read(reinterpret_cast<char*>(values.data()), count * static_cast<Index>(sizeof(double)));
        return values;
    };
    const Vector weights = read(sizes[0] * sizes[1]);
    const Vector visible_bias = read(sizes[0]);
    const Vector hidden_bias = read(sizes[1]);
    ASSERT_TRUE(file);
    const Rbm rbm({weights.reshaped(sizes[1], sizes[0]).transpose(), visible_bias, hidden_bias, visible_bias});
    EXPECT_NEAR(rbm.exact_log_ratio(1).value() + *rbm.log_normaliser_start(), 216.0615440661, 1e-8);
}

/// Pearson's statistic of the states after `n_sweeps` of `moved_by` at b, of chains drawn exactly from p_b of `rbm`.
double chi_square_after_moves(const Rbm& rbm, const Rbm& moved_by, double b, std::uint32_t n_sweeps) {
    const Index n = rbm.n_visible();
    std::vector<double> probabilities;
    for (std::uint64_t i = 0; i < std::uint64_t{1} << n; ++i)
        probabilities.push_back(log_density(rbm.parameters(), state_of_number(i, n), b));
    const double log_z = log_sum_exp(probabilities);
    for (double& p : probabilities)
        p = std::exp(p - log_z);

    constexpr Index n_chains = 40000;
    RbmBlock block = rbm.make_block(n_chains);
    random::Stream start({1, random::Purpose::test, 0, 0});
    for (Index i = 0; i < n_chains; ++i)
        set_state(block, i, state_of_number(static_cast<std::uint64_t>(start.categorical(probabilities)), n));
    moved_by.prepare(block);
    for (std::uint32_t k = 1; k <= n_sweeps; ++k)
        moved_by.move(block, b, streams_at(k));

    std::vector<double> counts(probabilities.size(), 0.0);
    for (Index i = 0; i < n_chains; ++i)
        counts[std::to_integer<std::size_t>(packed(block, i)[0])] += 1;
    double statistic = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        const double expected = n_chains * probabilities[s];
        EXPECT_GT(expected, 5); // else the statistic does not have its distribution
        statistic += (counts[s] - expected) * (counts[s] - expected) / expected;
    }
    return statistic;
}

TEST(Rbm, BlockGibbsLeavesItsDistributionInvariant) {
    const RbmParameters parameters = asymmetric_rbm(6, 4, 0.8, 3);
    const Rbm rbm(parameters);
    const auto p_value = [](double statistic) { return random::testing::chi_squared_p_value(statistic, 63); };
    EXPECT_GT(p_value(chi_square_after_moves(rbm, rbm, 0.7, 1)), 1e-4);
    EXPECT_GT(p_value(chi_square_after_moves(rbm, rbm, 0.7, 10)), 1e-4);

    RbmParameters wrong = parameters; // visible fields without the term (1-b) a0
    wrong.base_bias.setZero();
    EXPECT_LT(p_value(chi_square_after_moves(rbm, Rbm(wrong), 0.7, 1)), 1e-20);
    EXPECT_LT(p_value(chi_square_after_moves(rbm, Rbm(wrong), 0.7, 10)), 1e-20);
}

TEST(Rbm, StartIsTheBaseRate) {
    const RbmParameters parameters = asymmetric_rbm(40, 3, 0.5, 3);
    const Rbm rbm(parameters);
    constexpr Index n_chains = 20000;
    RbmBlock block = rbm.make_block(n_chains);
    rbm.draw_start(block, streams_at(0));
    for (Index i = 0; i < 40; ++i) {
        const double p = logistic(parameters.base_bias[i]);
        const double mean = block.visible_units().row(i).cast<double>().sum() / n_chains;
        EXPECT_NEAR(mean, p, 5 * std::sqrt(p * (1 - p) / n_chains)); // 40 units: 2e-5 false alarms
    }
}

/// log of the mean weight and its standard error (Neal 2001).
struct LogMean {
    double value, standard_error;
};

LogMean log_mean(const std::vector<double>& log_weights) {
    const double m = static_cast<double>(log_weights.size());
    double sum = 0, sum_of_squares = 0;
    const double top = *std::max_element(log_weights.begin(), log_weights.end());
    for (const double log_weight : log_weights) {
        sum += std::exp(log_weight - top);
        sum_of_squares += std::exp(2 * (log_weight - top));
    }
    return {top + std::log(sum / m), std::sqrt((sum_of_squares / (sum * sum) - 1 / m) * m / (m - 1))};
}

TEST(Rbm, AnnealedImportanceSamplingFindsTheNormaliser) {
    const Rbm rbm(asymmetric_rbm(30, 20, 0.6, 21));
    constexpr int n_steps = 300;
    constexpr Index n_chains = 512;
    RbmBlock block = rbm.make_block(n_chains);
    rbm.draw_start(block, streams_at(0));
    std::vector<double> log_weights(n_chains, 0.0), derivative(n_chains), moved_first(n_chains, 0.0);
    for (std::uint32_t k = 1; k < n_steps; ++k) {
        const double from = static_cast<double>(k - 1) / n_steps, to = static_cast<double>(k) / n_steps;
        rbm.anneal(block, from, to, streams_at(k), log_weights, derivative);
        rbm.add_log_ratio(block, from, to, moved_first); // the wrong twin weighs the state that the move has changed
    }
    rbm.add_log_ratio(block, (n_steps - 1.0) / n_steps, 1, log_weights);
    rbm.add_log_ratio(block, (n_steps - 1.0) / n_steps, 1, moved_first);
    const double exact = rbm.exact_log_ratio(1).value();
    const LogMean estimate = log_mean(log_weights);
    EXPECT_LT(estimate.standard_error, 0.05);
    EXPECT_NEAR(estimate.value, exact, 4 * estimate.standard_error); // false alarms: 6e-5
    const LogMean wrong = log_mean(moved_first);
    EXPECT_GT(std::abs(wrong.value - exact), 4 * wrong.standard_error);
}

/// Self-normalised mean under weights exp(log_weights), and its standard error.
LogMean weighted_mean(const std::vector<double>& log_weights, const std::vector<double>& values) {
    const double log_sum = log_sum_exp(log_weights);
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        mean += std::exp(log_weights[i] - log_sum) * values[i];
    for (std::size_t i = 0; i < values.size(); ++i)
        variance += std::pow(std::exp(log_weights[i] - log_sum) * (values[i] - mean), 2);
    return {mean, std::sqrt(variance)};
}

TEST(Rbm, DerivativeAfterTheMoveBelongsToTheWeightsBeforeIt) {
    // d log Z_b / db = E_b[d log f_b/db], with w_k and the state after T_k. Few steps and large weights, so that
    // the move does not hide what the weights are.
    const Rbm rbm(asymmetric_rbm(12, 8, 2.0, 4));
    constexpr int n_steps = 3;
    constexpr Index n_chains = 20000;
    RbmBlock block = rbm.make_block(n_chains);
    rbm.draw_start(block, streams_at(0));
    std::vector<double> log_weights(n_chains, 0.0), before, derivative(n_chains);
    double b = 0;
    for (std::uint32_t k = 1; k < n_steps; ++k) {
        before = log_weights;
        rbm.anneal(block, b, static_cast<double>(k) / n_steps, streams_at(k), log_weights, derivative);
        b = static_cast<double>(k) / n_steps;
        const double exact = (*rbm.exact_log_ratio(b + 1e-4) - *rbm.exact_log_ratio(b - 1e-4)) / 2e-4;
        const LogMean right = weighted_mean(log_weights, derivative);
        EXPECT_NEAR(right.value, exact, 4 * right.standard_error) << b; // 2 steps: 1.3e-4 false alarms
        const LogMean wrong = weighted_mean(before, derivative);        // w_{k-1} with the state after T_k
        EXPECT_GT(std::abs(wrong.value - exact), 8 * wrong.standard_error) << b;
    }
}

} // namespace
} // namespace pearlite::models
