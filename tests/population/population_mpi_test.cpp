#include "population/population.hpp"

#include "parallel/rank_costs.hpp"
#include "pearlite/core/error.hpp"
#include "population/column_blocks.hpp"
#include "population/memory_fields.hpp"
#include "population/resampling.hpp"
#include "population/weight_cases.hpp"
#include "population/weights.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>

namespace pearlite::population {
namespace {

using namespace testing;
using parallel::BlockLayout;
using parallel::Communicator;
using testing_support::column_blocks;
using testing_support::columns_of;

BlockLayout layout_on(const Communicator& ranks, Index size, Index block) {
    return BlockLayout(size, block, ranks.size(), ranks.rank());
}

TEST(PopulationMpi, OffspringAreTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index size : {1, 2, 3, 7, 31, 32, 33, 400})
        for (const Index block : {1, 3, 16})
            for (const auto& weights : weight_cases(size))
                for (const auto scheme : all_schemes) {
                    const auto layout = layout_on(ranks, size, block);
                    const auto expected =
                        offspring(alone, layout_on(alone, size, block), 3, weights.log_weights, scheme, 77, 5);
                    const auto numbers =
                        offspring(ranks, layout, 3, local_part(weights.log_weights, layout), scheme, 77, 5);
                    ASSERT_EQ(numbers, local_part(expected, layout))
                        << weights.name << ", " << size << " in blocks of " << block;
                }
}

TEST(PopulationMpi, FewerOrMoreOffspringAreTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index n_offspring : {1, 2, 40, 1000})
        for (const auto& weights : weight_cases(200))
            for (const auto scheme : all_schemes) {
                const auto layout = layout_on(ranks, 200, 16);
                const auto expected =
                    offspring(alone, layout_on(alone, 200, 16), 3, weights.log_weights, scheme, 77, 5, n_offspring);
                const auto numbers =
                    offspring(ranks, layout, 3, local_part(weights.log_weights, layout), scheme, 77, 5, n_offspring);
                ASSERT_EQ(std::accumulate(expected.begin(), expected.end(), Index{0}), n_offspring) << weights.name;
                ASSERT_EQ(numbers, local_part(expected, layout)) << weights.name;
            }
}

TEST(PopulationMpi, WeightsSayTheSameOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index size : {1, 5, 33, 700})
        for (const Index block : {1, 3, 16})
            for (const auto& weights : weight_cases(size)) {
                const auto layout = layout_on(ranks, size, block), whole = layout_on(alone, size, block);
                const auto local = local_part(weights.log_weights, layout);
                const auto a = summarise(alone, whole, weights.log_weights), b = summarise(ranks, layout, local);
                ASSERT_EQ(a.log_sum, b.log_sum);
                ASSERT_EQ(a.log_mean, b.log_mean);
                ASSERT_EQ(a.ess, b.ess);

                const auto increments = weight_cases(size)[0].log_weights;
                ASSERT_EQ(conditional_ess(alone, whole, weights.log_weights, increments),
                          conditional_ess(ranks, layout, local, local_part(increments, layout)));

                Matrix points(2, size);
                for (Index i = 0; i < size; ++i)
                    points.col(i) = Vector{{std::sin(static_cast<double>(i)), 100 + 1.0 / static_cast<double>(i + 1)}};
                const Matrix mine = points.middleCols(layout.first_local_item(), layout.local_items());
                const auto one = weighted_moments(alone, whole, weights.log_weights, a.log_max, points);
                const auto many = weighted_moments(ranks, layout, local, b.log_max, mine);
                ASSERT_EQ(one.mean, many.mean);
                ASSERT_EQ(one.covariance, many.covariance);
            }
}

TEST(PopulationMpi, NotANumberOnOneRankIsAnErrorOnAll) {
    const auto ranks = Communicator::world();
    const auto layout = layout_on(ranks, 40, 4);
    std::vector<double> log_weights(40, 0.0);
    log_weights[39] = std::numeric_limits<double>::quiet_NaN();
    const auto local = local_part(log_weights, layout);
    EXPECT_THROW(summarise(ranks, layout, local), NumericalError);
    EXPECT_THROW(offspring(ranks, layout, 0, local, Resampling::systematic, 1, 1), NumericalError);
    EXPECT_THROW(conditional_ess(ranks, layout, local, std::vector<double>(local.size(), 0.0)), NumericalError);
}

/// The source of each slot's new particle by the plain rule: survivors stay, and the j-th surplus copy in slot order
/// fills the j-th empty slot.
std::vector<Index> reference_sources(const std::vector<Index>& numbers) {
    std::vector<Index> sources(numbers.size()), surplus;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        for (Index copy = 1; copy < numbers[i]; ++copy)
            surplus.push_back(static_cast<Index>(i));
    std::size_t next = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        sources[i] = numbers[i] > 0 ? static_cast<Index>(i) : surplus[next++];
    return sources;
}

/// A generation with the number of each particle in all its coordinates, after some ancestry.
template <class T>
Generation labelled(const BlockLayout& layout, Index rows) {
    Generation generation(layout, 0, column_blocks<T>(rows));
    for (Index b = 0; b < generation.local_blocks(); ++b)
        for (Index i = 0; i < generation.block(b).size(); ++i)
            for (Index k = 0; k < rows; ++k) {
                const Index slot = layout.first_local_item() + generation.block_begin(b) + i;
                columns_of<T>(generation.block(b))(k, i) = static_cast<T>((slot * 31 + k * 7) % 113);
            }
    for (auto& eve : generation.eves())
        eve = eve * 3 + 1;
    return generation;
}

/// Expected traffic between ranks: a particle moves once to each other rank that gets copies of it.
struct ExpectedTraffic {
    Index sent = 0, received = 0, local = 0;
};
ExpectedTraffic expected_traffic(const std::vector<Index>& sources, const BlockLayout& layout) {
    ExpectedTraffic expected;
    std::set<std::pair<Index, int>> journeys;
    for (std::size_t slot = 0; slot < sources.size(); ++slot) {
        const int from = layout.owner_of_item(sources[slot]), to = layout.owner_of_item(static_cast<Index>(slot));
        if (from != to)
            journeys.insert({sources[slot], to});
        else if (from == layout.rank() && sources[slot] != static_cast<Index>(slot))
            ++expected.local;
    }
    for (const auto& [source, to] : journeys) {
        expected.sent += layout.owner_of_item(source) == layout.rank();
        expected.received += to == layout.rank();
    }
    return expected;
}

template <class T>
void expect_relocated(const std::vector<Index>& numbers, Index block, Index rows) {
    const auto ranks = Communicator::world();
    const auto size = static_cast<Index>(numbers.size());
    const auto layout = layout_on(ranks, size, block);
    auto generation = labelled<T>(layout, rows);
    std::fill(generation.log_weights().begin(), generation.log_weights().end(), -3.5);
    const auto sources = reference_sources(numbers);
    const auto bytes = static_cast<std::size_t>(rows) * sizeof(T);
    const auto before = parallel::message_count();
    const auto traffic = relocate(ranks, generation, local_part(numbers, layout), bytes);
    const auto messages = parallel::message_count() - before;

    for (Index i = 0; i < layout.local_items(); ++i) {
        const Index slot = layout.first_local_item() + i, source = sources[static_cast<std::size_t>(slot)];
        const auto column = columns_of<T>(generation.block(i / block)).col(i % block);
        for (Index k = 0; k < rows; ++k)
            ASSERT_EQ(column(k), static_cast<T>((source * 31 + k * 7) % 113)) << "slot " << slot;
        ASSERT_EQ(generation.eves()[static_cast<std::size_t>(i)], source * 3 + 1);
        ASSERT_EQ(generation.log_weights()[static_cast<std::size_t>(i)], 0);
    }
    const auto expected = expected_traffic(sources, layout);
    EXPECT_EQ(traffic.sent, expected.sent);
    EXPECT_EQ(traffic.received, expected.received);
    EXPECT_EQ(traffic.local_copies, expected.local);
    // Each sent particle travels with its Eve and its number of copies. Beside these, ranks exchange only counts.
    EXPECT_EQ(messages.sent_bytes, traffic.sent * static_cast<Index>(bytes + 2 * sizeof(std::int64_t)));
    EXPECT_EQ(messages.reduced_words, 0);
    EXPECT_EQ(messages.collected_bytes, 8 * ranks.size() * 3);
}

/// Offspring of `size` parents drawn from few or from many of them.
std::vector<Index> random_offspring(Index size, Index parents, std::uint64_t id) {
    random::Stream stream({41, random::Purpose::test, id, 0});
    std::vector<Index> numbers(static_cast<std::size_t>(size), 0);
    const auto first = stream.index(static_cast<std::uint64_t>(size));
    for (Index i = 0; i < size; ++i)
        ++numbers[(first + stream.index(static_cast<std::uint64_t>(parents))) % static_cast<std::uint64_t>(size)];
    return numbers;
}

TEST(PopulationMpi, RelocationFollowsTheRule) {
    std::uint64_t id = 0;
    for (const Index size : {1, 2, 5, 16, 50, 333})
        for (const Index block : {1, 4, 16})
            for (const Index parents : {Index{1}, std::max<Index>(size / 7, 1), size}) {
                const auto numbers = random_offspring(size, parents, ++id);
                expect_relocated<double>(numbers, block, 3);
                expect_relocated<float>(numbers, block, 5);
                expect_relocated<std::int8_t>(numbers, block, 13);
            }
}

TEST(PopulationMpi, LargeRelocations) {
    for (const Index parents : {1, 300, 8000, 30000})
        expect_relocated<double>(random_offspring(30000, parents, 1000), 16, 4);
    std::vector<Index> ends(20000, 0); // everything comes from the last particle, or from the first
    ends.back() = 20000;
    expect_relocated<float>(ends, 64, 2);
    std::swap(ends.front(), ends.back());
    expect_relocated<float>(ends, 64, 2);
    expect_relocated<float>(std::vector<Index>(20000, 1), 64, 2); // nothing moves
}

TEST(PopulationMpi, OffspringAndRelocationTogether) {
    const auto ranks = Communicator::world();
    for (const auto& weights : weight_cases(200))
        for (const auto scheme : all_schemes) {
            const auto alone = Communicator::alone();
            const auto numbers = offspring(alone, layout_on(alone, 200, 16), 0, weights.log_weights, scheme, 3, 1);
            expect_relocated<double>(numbers, 16, 2);
        }
}

/// Three generations of different sizes.
Population filled(const Communicator& ranks) {
    Population population(ranks, column_blocks<float>(3), 3 * sizeof(float));
    for (const Index size : {37, 5, 100}) {
        auto& generation = population.append(size, 8);
        for (Index b = 0; b < generation.local_blocks(); ++b)
            for (Index i = 0; i < generation.block(b).size(); ++i) {
                const Index local = generation.block_begin(b) + i;
                const auto slot = static_cast<double>(generation.layout().first_local_item() + local);
                columns_of<float>(generation.block(b)).col(i).setConstant(static_cast<float>(0.1 + slot));
                generation.log_weights()[static_cast<std::size_t>(local)] = -slot / 3;
                generation.eves()[static_cast<std::size_t>(local)] *= 2;
            }
    }
    return population;
}

TEST(PopulationMpi, FieldsHoldTheSameBytesOnAnyNumberOfRanks) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    auto one = filled(alone), many = filled(ranks);
    auto stored = testing_support::store(alone, one);
    EXPECT_EQ(testing_support::store(ranks, many), stored);
    EXPECT_EQ(stored.count("generation-2/log_weight"), 1u);
}

TEST(PopulationMpi, ReadingMakesTheGenerationsOfTheCheckpoint) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    auto one = filled(alone);
    auto stored = testing_support::store(alone, one);
    Population empty(ranks, column_blocks<float>(3), 3 * sizeof(float)),
        other(ranks, empty.make_block(), empty.particle_bytes());
    for (const Index size : {3, 200, 1, 7}) // more of them, of other sizes, in other blocks
        other.append(size, 16);
    for (Population* population : {&empty, &other}) {
        testing_support::restore(ranks, stored, *population);
        EXPECT_EQ(testing_support::store(ranks, *population), stored);
        ASSERT_EQ(population->n_generations(), 3);
        EXPECT_EQ(population->size(), 142);
        for (Index g = 0; g < 3; ++g) {
            EXPECT_EQ(population->generation(g).size(), one.generation(g).size());
            EXPECT_EQ(population->generation(g).layout().block(), 8);
            EXPECT_EQ(population->generation(g).number(), g);
        }
        EXPECT_EQ(population->append(4, 2).number(), 3); // it grows on
    }
}

TEST(PopulationMpi, OffspringInAGenerationOfTheirOwnLieInTheOrderOfTheirParents) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index n_children : {1, 7, 40, 300})
        for (const auto& weights : weight_cases(100)) {
            const auto layout = layout_on(ranks, 100, 16), children_layout = layout_on(ranks, n_children, 4);
            auto parents = labelled<double>(layout, 3);
            Generation children(children_layout, 0, column_blocks<double>(3));
            const auto numbers = offspring(alone, layout_on(alone, 100, 16), 0, weights.log_weights,
                                           Resampling::systematic, 5, 1, n_children);
            copy_offspring(ranks, parents, local_part(numbers, layout), children, 3 * sizeof(double));
            std::vector<Index> sources;
            for (std::size_t i = 0; i < numbers.size(); ++i)
                sources.insert(sources.end(), static_cast<std::size_t>(numbers[i]), static_cast<Index>(i));
            for (Index b = 0; b < children.local_blocks(); ++b)
                for (Index i = 0; i < children.block(b).size(); ++i) {
                    const Index local = children.block_begin(b) + i;
                    const Index source = sources[static_cast<std::size_t>(children_layout.first_local_item() + local)];
                    ASSERT_EQ(columns_of(children.block(b))(1, i), static_cast<double>((source * 31 + 7) % 113));
                    ASSERT_EQ(children.eves()[static_cast<std::size_t>(local)], source * 3 + 1);
                }
        }
}

TEST(PopulationMpi, GenerationsAreResampledAsOneSet) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    const std::vector<Index> sizes{100, 7, 40};
    constexpr Index size = 147, n_children = 90;
    for (const auto& weights : weight_cases(size))
        for (const auto scheme : all_schemes) {
            const auto expected =
                offspring(alone, layout_on(alone, size, 16), 0, weights.log_weights, scheme, 5, 1, n_children);
            std::vector<BlockLayout> layouts;
            std::vector<std::vector<double>> shares;
            std::vector<WeightedParticles> generations;
            Index first = 0;
            for (const Index one : sizes) {
                layouts.push_back(layout_on(ranks, one, 16));
                const std::vector<double> all(weights.log_weights.begin() + first,
                                              weights.log_weights.begin() + first + one);
                shares.push_back(local_part(all, layouts.back()));
                first += one;
            }
            for (std::size_t g = 0; g < sizes.size(); ++g)
                generations.push_back({&layouts[g], shares[g]});
            const auto numbers = offspring(ranks, generations, 0, scheme, 5, 1, n_children);
            const auto children_layout = layout_on(ranks, n_children, 4);
            Generation children(children_layout, 0, column_blocks<double>(3));
            std::vector<std::pair<std::size_t, Index>> sources; // generation and slot of each child
            Index slot = 0;
            first = 0;
            for (std::size_t g = 0; g < sizes.size(); ++g) {
                const std::vector<Index> all(expected.begin() + first, expected.begin() + first + sizes[g]);
                ASSERT_EQ(numbers[g], local_part(all, layouts[g])) << weights.name;
                for (Index i = 0; i < sizes[g]; ++i)
                    sources.insert(sources.end(), at(all[at(i)]), {g, i});
                auto parents = labelled<double>(layouts[g], 3);
                slot = copy_offspring(ranks, parents, numbers[g], children, 3 * sizeof(double), slot, shares[g]);
                first += sizes[g];
            }
            ASSERT_EQ(slot, n_children);
            for (Index b = 0; b < children.local_blocks(); ++b)
                for (Index i = 0; i < children.block(b).size(); ++i) {
                    const Index local = children.block_begin(b) + i;
                    const auto [g, source] = sources[at(children_layout.first_local_item() + local)];
                    Index before = 0;
                    for (std::size_t k = 0; k < g; ++k)
                        before += sizes[k];
                    ASSERT_EQ(columns_of(children.block(b))(1, i), static_cast<double>((source * 31 + 7) % 113));
                    ASSERT_EQ(children.log_weights()[at(local)], weights.log_weights[at(before + source)]);
                }
        }
}

TEST(PopulationMpi, BlocksThatBelongTogetherHaveOneOwner) {
    const auto ranks = Communicator::world();
    Population population(ranks, column_blocks<double>(1), sizeof(double), 3);
    for (const Index size : {5, 100, 230}) {
        const auto& layout = population.append(size, 4).layout();
        const auto starts = layout_on(ranks, (size + 2) / 3, 4); // the blocks of every third particle
        EXPECT_EQ(layout.first_local_block(), std::min(3 * starts.first_local_block(), layout.blocks()));
        for (Index b = 0; b < layout.blocks(); ++b)
            EXPECT_EQ(layout.owner_of_block(b), layout.owner_of_block(b - b % 3));
    }
    auto stored = testing_support::store(ranks, population);
    Population read(ranks, column_blocks<double>(1), sizeof(double), 3);
    testing_support::restore(ranks, stored, read);
    EXPECT_EQ(read.generation(2).layout().first_local_block(), population.generation(2).layout().first_local_block());
}

} // namespace
} // namespace pearlite::population
