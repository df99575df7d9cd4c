// Resampling of a search's chains: offspring, weights against their definition, and the distribution of chains whose
// moves alone are too few to reach it. Seeds are fixed; about 6 scores are compared with 5.
#include "algorithm/search/chains/chain_weights.hpp"

#include "algorithm/search_invariance.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using Kind = TemperatureLadder::Kind;

ChainWeights weights_of(std::span<const double> weights, double resample_below) {
    ChainWeights chains(static_cast<Index>(weights.size()), resample_below);
    for (std::size_t i = 0; i < weights.size(); ++i)
        chains.add(i, std::log(weights[i]) + 800); // of which the exponential is infinite
    return chains;
}

TEST(ChainWeights, AreDueWhereFewChainsCarryThem) {
    const std::array weights{3.0, 1.0, 1.0, 1.0}; // 36/12 effective chains
    EXPECT_FALSE(weights_of(weights, 0.74).is_due());
    EXPECT_TRUE(weights_of(weights, 0.76).is_due());
    EXPECT_FALSE(ChainWeights(4, 1).is_due()) << "equal weights";
    EXPECT_FALSE(weights_of(std::array{0.3}, 1).is_due()) << "one chain";
    for (const double share : {0.0, -1.0, 1.1})
        EXPECT_THROW(ChainWeights(4, share), ContractViolation);
}

TEST(ChainWeights, HaveOffspringUpToOne) {
    const std::array weights{0.05, 2.5, 0.3, 0.9, 0.0, 1.7, 0.55};
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    constexpr int n = 1000;
    std::vector<double> means(weights.size());
    for (int k = 0; k < n; ++k) {
        auto chains = weights_of(weights, 0.5);
        const auto parents = chains.resample((k + 0.5) / n);
        std::vector<double> offspring(weights.size());
        for (std::size_t i = 0; i < parents.size(); ++i) {
            const auto parent = static_cast<std::size_t>(parents[i] < 0 ? static_cast<std::int64_t>(i) : parents[i]);
            EXPECT_EQ(parents[parent], -1) << "a parent keeps its state";
            ++offspring[parent];
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
            EXPECT_LT(std::abs(offspring[i] - 7 * weights[i] / total), 1);
            means[i] += offspring[i] / n;
        }
        EXPECT_EQ(chains.resamplings(), 1);
        for (const double log_weight : chains.log_weights())
            EXPECT_EQ(log_weight, 0);
    }
    for (std::size_t i = 0; i < weights.size(); ++i)
        EXPECT_NEAR(means[i], 7 * weights[i] / total, 2.0 / n);
}

SearchSettings cooling(Index chains, Index iterations) {
    SearchSettings settings;
    settings.chains = chains;
    settings.iterations = iterations;
    settings.temperature = {Kind::geometric, 1e4, 0.5, iterations};
    settings.partition = model::EnergyPartition({-2, -1, 0, 1, 2.2});
    settings.gain = {10, 0.6};
    return settings;
}

StochasticApproximation search_of(const SearchSettings& settings, std::vector<std::string> operations) {
    kernel::CategoricalOperationSettings categorical;
    categorical.operations = std::move(operations);
    return begun(Communicator::alone(), model::space_of(kernel::CategoricalSpace<Row>(Row{}, categorical)), settings);
}

TEST(ChainWeights, OfASearchAreWhatTheTargetsChangeBy) {
    auto settings = cooling(6, 60);
    settings.resample_below = 1e-9; // never due
    auto search = search_of(settings, {"k-site", "uniform-crossover"});
    std::vector<double> expected(6, 0.0);
    const auto theta_of_all = [&] {
        std::vector<double> theta;
        for (Index j = 0; j < search.partition().regions(); ++j)
            theta.push_back(search.theta(j));
        return theta;
    };
    for (Index t = 1; t < 60; ++t) {
        const auto before = theta_of_all();
        search.iterate();
        const auto after = theta_of_all();
        const double colder = 1 / settings.temperature(t + 1) - 1 / settings.temperature(t);
        for (std::size_t i = 0; i < 6; ++i) {
            const auto j = static_cast<std::size_t>(search.partition().region(search.energies()[i]));
            expected[i] -= colder * search.energies()[i] + after[j] - before[j];
        }
        const auto weights = search.log_weights();
        for (std::size_t i = 0; i < 6; ++i)
            ASSERT_NEAR(weights[i], expected[i], 1e-12) << t;
    }
}

/// The score of the mean energy of chains at the last temperature, against the mean over all states.
double score_of_mean_energy(std::optional<double> resample_below) {
    constexpr Index n_chains = 4000;
    constexpr int searches = 30;
    auto settings = cooling(n_chains, 12);
    settings.resample_below = resample_below;
    settings.fixed_theta = {1.4, -0.8, 0.6, -0.5, 0.9, -1.1};
    const SearchTarget target{0.5, *settings.partition, settings.fixed_theta};
    double mass = 0, exact = 0;
    for (const double energy : all_energies_of_rows()) {
        mass += std::exp(target.log_density(energy));
        exact += energy * std::exp(target.log_density(energy));
    }
    exact /= mass;
    double sum = 0, squares = 0;
    for (int r = 0; r < searches; ++r) {
        settings.seed = static_cast<std::uint64_t>(r);
        auto search = search_of(settings, {"k-site"});
        finish_search(search);
        const auto energies = search.energies();
        const double error = std::accumulate(energies.begin(), energies.end(), 0.0) / n_chains - exact;
        sum += error;
        squares += error * error;
    }
    return sum / std::sqrt((squares - sum * sum / searches) * searches / (searches - 1));
}

/// Twelve iterations from a temperature at which all states are alike: too few for moves alone, as the wrong twin
/// shows. Resampling in every iteration leaves equal weights at the end.
TEST(ChainWeights, GiveTheLawThatMovesHaveNotReached) {
    EXPECT_LT(std::abs(score_of_mean_energy(1.0)), 5);
    EXPECT_GT(std::abs(score_of_mean_energy({})), 20) << "without resampling";
}

} // namespace
} // namespace pearlite::algorithm
