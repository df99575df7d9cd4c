// z-scores are compared with 5 (a false alarm once in 2e6), on fixed seeds.
#include "algorithm/parallel_tempering/replica_exchange.hpp"

#include "models/gaussian/autoregressive_gaussian.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "population/column_blocks.hpp"
#include "population/population.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace pearlite::algorithm {
namespace {

const model::BlockStreams streams{.seed = 7, .step = 3, .generation = 0, .first_slot = 0, .block = 0};

TEST(ReplicaExchange, AnExchangeHappensWithItsProbability) {
    constexpr std::size_t n = 100000;
    const std::vector<double> below(n, 0.4), above(n, -1.6);
    const auto decision = decide_exchange(below, above, streams);
    const double p = std::exp(-1.2);
    const double exchanged = std::accumulate(decision.which.begin(), decision.which.end(), 0.0);
    const auto z = [&](double probability) {
        return std::fabs(exchanged - n * probability) / std::sqrt(n * probability * (1 - probability));
    };
    EXPECT_DOUBLE_EQ(decision.probability.front(), p);
    EXPECT_LT(z(p), 5);
    EXPECT_GT(z(std::exp(-1.6)), 8); // without the ratio of the states below
}

TEST(ReplicaExchange, CertainAndImpossibleExchanges) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const auto decision =
        decide_exchange(std::vector<double>{0, 3, infinite, 1}, std::vector<double>{0, -2, 1, -infinite}, streams);
    EXPECT_EQ(decision.which, (std::vector<std::uint8_t>{1, 1, 1, 0}));
    EXPECT_EQ(decision.probability, std::vector<double>(decision.which.begin(), decision.which.end()));
    EXPECT_THROW(decide_exchange(std::vector<double>{0}, {}, streams), ContractViolation);
}

using testing_support::columns_of;
using Gaussian = models::AutoregressiveGaussian;
constexpr Index n_temperatures = 6, replicas = 50;

/// Equal distributions at all temperatures, so that every exchange that is due happens.
struct Flat : Gaussian {
    Flat() : Gaussian({.start_mean = 2, .start_sd = 3}, 0.5) {}
    void add_log_ratio(const Block&, double, double, std::span<double>) const {}
};

/// A state is 100 t + i at the temperature t in system i, a tag t.
struct Ladder {
    parallel::Communicator alone = parallel::Communicator::alone();
    std::shared_ptr<const model::Target> target = model::target_of(Flat());
    ReplicaExchange exchange{alone, target, path::linear_schedule(n_temperatures - 1, 1), 7};
    population::Population population{alone, [this](Index size) { return target->make_block(size); },
                                      target->particle_bytes()};
    std::vector<std::int64_t> tags;
    std::vector<double> expected = std::vector<double>(n_temperatures * replicas, 0.0);
    parallel::DelayedFailure failure;

    Ladder() {
        auto& states = population.append(n_temperatures * replicas, replicas);
        for (Index t = 0; t < n_temperatures; ++t)
            for (Index i = 0; i < replicas; ++i) {
                columns_of(states.block(t))(0, i) = static_cast<double>(100 * t + i);
                tags.push_back(t);
            }
    }
    void exchange_in(Index scan, bool is_measured = true) {
        exchange.exchange(population.generation(0), scan, tags,
                          is_measured ? std::span<double>(expected) : std::span<double>(), failure);
    }
    /// Where the states at each temperature came from; they and their tags in all systems alike.
    std::vector<Index> origins() {
        std::vector<Index> origins;
        for (Index t = 0; t < n_temperatures; ++t) {
            const auto tag = tags[static_cast<std::size_t>(t * replicas)];
            for (Index i = 0; i < replicas; ++i) {
                EXPECT_EQ(tags[static_cast<std::size_t>(t * replicas + i)], tag);
                EXPECT_EQ(columns_of(population.generation(0).block(t))(0, i), static_cast<double>(100 * tag + i));
            }
            origins.push_back(tag);
        }
        return origins;
    }
};

TEST(ReplicaExchange, EvenAndOddPairsAlternateAndTagsTravelWithTheirStates) {
    Ladder ladder;
    ladder.exchange_in(2);
    EXPECT_EQ(ladder.origins(), (std::vector<Index>{1, 0, 3, 2, 5, 4}));
    ladder.exchange_in(3);
    EXPECT_EQ(ladder.origins(), (std::vector<Index>{1, 3, 0, 5, 2, 4}));
}

TEST(ReplicaExchange, ProbabilitiesAreThoseOfTheLowerState) {
    Ladder ladder;
    ladder.exchange_in(2);
    for (Index t = 0; t < n_temperatures; ++t)
        EXPECT_EQ(ladder.expected[static_cast<std::size_t>(t * replicas)], t % 2 == 0 ? 1 : 0) << t;
    const auto before = ladder.expected;
    ladder.exchange_in(4, false);
    EXPECT_EQ(ladder.expected, before);
}

} // namespace
} // namespace pearlite::algorithm
