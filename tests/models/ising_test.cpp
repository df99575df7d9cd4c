/// The bits of the Ising model: against a plain program, across block sizes, and through packing.

#include "models/lattice/ising.hpp"

#include "models/ising_oracle.hpp"
#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace pearlite::models {
namespace {

using Move = IsingSettings::Move;
using model::BlockStreams;
using testing::IsingOracle;

static_assert(model::AnnealedModel<Ising> && model::HasMove<Ising> && model::HasFusedAnneal<Ising>);

BlockStreams streams_at(std::uint32_t step, random::Generator generator = random::Generator::philox) {
    return {{2024, generator}, step, 0, 1536, 3};
}

bool equal_planes(const IsingBlock& a, const IsingBlock& b) {
    const auto same = [](const SpinPlane& p, const SpinPlane& q) { return p.words == q.words; };
    return std::equal(a.planes().begin(), a.planes().end(), b.planes().begin(), b.planes().end(), same);
}

class IsingBits : public ::testing::TestWithParam<std::tuple<Index, double, Move>> {
  protected:
    IsingSettings settings() const {
        return {std::get<0>(GetParam()), std::get<1>(GetParam()), std::get<2>(GetParam())};
    }
};

TEST_P(IsingBits, SpinsAndSumsAreThoseOfThePlainProgram) {
    const Ising ising(settings());
    const IsingOracle oracle(settings());
    for (const auto generator : {random::Generator::philox, random::Generator::ars}) {
        IsingBlock block = ising.make_block(512);
        ising.draw_start(block, streams_at(0, generator));
        IsingBlock reference = block;
        std::uint32_t step = 0;
        for (const double b : {0.3, 0.0, 0.44, 60.0}) { // 60: thresholds that round to 0
            const auto streams = streams_at(++step, generator);
            ising.move(block, b, streams);
            oracle.sweep(reference, testing::oracle_table(b, settings().coupling), streams);
            ASSERT_TRUE(equal_planes(block, reference)) << random::name_of(generator) << ", b = " << b;
            for (int chain = 0; chain < 512; ++chain) {
                ASSERT_EQ(block.bond_sums()[static_cast<std::size_t>(chain)],
                          oracle.bond_sum(oracle.chain_spins(block, chain)))
                    << "chain " << chain;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Lattices, IsingBits,
                         ::testing::Combine(::testing::Values<Index>(2, 3, 4, 5, 8, 32),
                                            ::testing::Values(1.0, -1.0, 0.5),
                                            ::testing::Values(Move::metropolis, Move::heat_bath)));

TEST(Ising, OrderVisitsEverySiteOnceAndColoursDoNotTouch) {
    for (const Index size : {2, 3, 8, 9}) {
        const Ising ising({.size = size});
        std::vector<int> seen(static_cast<std::size_t>(size * size), 0);
        for (const std::int32_t site : ising.order()) {
            ++seen[static_cast<std::size_t>(site)];
        }
        EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
        for (std::size_t v = 0; size % 2 == 0 && v < seen.size(); ++v) {
            const Index site = ising.order()[v];
            EXPECT_EQ((site / size + site % size) % 2 == 1, v >= seen.size() / 2);
        }
    }
}

TEST(Ising, AnnealIsItsPartsBitForBit) {
    for (const Move move : {Move::metropolis, Move::heat_bath}) {
        const Ising ising({7, -0.7, move});
        IsingBlock fused = ising.make_block(100);
        ising.draw_start(fused, streams_at(0));
        IsingBlock parts = fused;
        std::vector<double> fused_weight(100, 0.25), part_weight(100, 0.25), fused_u(100), part_u(100);
        for (std::uint32_t step = 1; step < 20; ++step) {
            const double from = 0.05 * (step - 1), to = 0.05 * step;
            ising.anneal(fused, from, to, streams_at(step), fused_weight, fused_u);
            ising.add_log_ratio(parts, from, to, part_weight);
            ising.move(parts, to, streams_at(step));
            ising.path_derivative(parts, to, part_u);
        }
        EXPECT_TRUE(equal_planes(fused, parts));
        EXPECT_EQ(fused_weight, part_weight);
        EXPECT_EQ(fused_u, part_u);
    }
}

TEST(Ising, WeightsAreThoseOfTheEnergy) {
    const double coupling = -1.5;
    const IsingSettings settings{5, coupling, Move::metropolis};
    const Ising ising(settings);
    const IsingOracle oracle(settings);
    IsingBlock block = ising.make_block(3);
    ising.draw_start(block, streams_at(0));
    std::vector<double> ratio{1, 2, 3}, derivative(3);
    ising.add_log_ratio(block, 0.25, 0.75, ratio);
    ising.path_derivative(block, 0.25, derivative);
    for (int chain = 0; chain < 3; ++chain) {
        const auto slot = static_cast<std::size_t>(chain);
        const double minus_energy = coupling * oracle.bond_sum(oracle.chain_spins(block, chain));
        EXPECT_DOUBLE_EQ(derivative[slot], minus_energy);
        EXPECT_DOUBLE_EQ(ratio[slot], chain + 1 + 0.5 * minus_energy);
    }
}

std::vector<std::byte> packed(const IsingBlock& block, Index slot) {
    std::vector<std::byte> bytes(block.packed_bytes());
    block.pack(slot, bytes);
    return bytes;
}

TEST(Ising, ChainsDoNotDependOnTheSizeOfTheBlock) {
    const Ising ising({.size = 6});
    const auto run = [&](Index size) {
        IsingBlock block = ising.make_block(size);
        EXPECT_EQ(block.padded_size(), 512);
        ising.draw_start(block, streams_at(0));
        std::vector<double> weight(static_cast<std::size_t>(size)), u(weight);
        for (std::uint32_t step = 1; step < 10; ++step) {
            ising.anneal(block, 0.1 * (step - 1), 0.1 * step, streams_at(step), weight, u);
        }
        return std::pair(block, weight);
    };
    const auto [full, full_weight] = run(512);
    for (const Index size : {1, 16, 511}) {
        const auto [block, weight] = run(size);
        for (Index slot = 0; slot < size; ++slot) {
            ASSERT_EQ(packed(block, slot), packed(full, slot));
            ASSERT_EQ(weight[static_cast<std::size_t>(slot)], full_weight[static_cast<std::size_t>(slot)]);
        }
    }
}

TEST(Ising, PackedChainsComeBack) {
    for (const Index size : {2, 3, 5, 8}) {
        const Ising ising({.size = size});
        IsingBlock block = ising.make_block(511);
        EXPECT_EQ(block.packed_bytes(), static_cast<std::size_t>((size * size + 7) / 8));
        ising.draw_start(block, streams_at(0));
        IsingBlock copy = ising.make_block(511);
        for (Index slot = 0; slot < 511; ++slot) { // backwards, so that a wrong slot cannot hide
            copy.unpack(510 - slot, packed(block, slot));
        }
        ising.prepare(copy);
        for (Index slot = 0; slot < 511; ++slot) {
            ASSERT_EQ(packed(copy, 510 - slot), packed(block, slot));
            ASSERT_EQ(copy.bond_sums()[static_cast<std::size_t>(510 - slot)],
                      block.bond_sums()[static_cast<std::size_t>(slot)]);
        }
    }
}

TEST(Ising, PackedBitIsTheSite) {
    const Ising ising({.size = 3});
    IsingBlock block = ising.make_block(100);
    block.planes()[8].words[70 / 64] = std::uint64_t{1} << (70 % 64); // site 8 of chain 70 up, all others down
    EXPECT_EQ(packed(block, 70), (std::vector<std::byte>{std::byte{0}, std::byte{1}}));
    EXPECT_EQ(packed(block, 69), (std::vector<std::byte>{std::byte{0}, std::byte{0}}));
}

TEST(Ising, ExactLogRatio) {
    const double b = 0.4;
    EXPECT_DOUBLE_EQ(*Ising({.size = 6}).exact_log_ratio(b), ising_log_partition(6, 6, b) - 36 * std::numbers::ln2);
    EXPECT_DOUBLE_EQ(*Ising({.size = 6, .coupling = -2}).exact_log_ratio(b),
                     ising_log_partition(6, 6, 2 * b) - 36 * std::numbers::ln2);
    EXPECT_DOUBLE_EQ(*Ising({.size = 5, .coupling = 2}).exact_log_ratio(b),
                     ising_log_partition(5, 5, 2 * b) - 25 * std::numbers::ln2);
    // 2 x 2: bond sums 8 (2 states), 0 (12), -8 (2).
    EXPECT_NEAR(*Ising({.size = 2, .coupling = -1}).exact_log_ratio(b), std::log((4 * std::cosh(8 * b) + 12) / 16),
                1e-14);
    EXPECT_NEAR(*Ising({.size = 2}).exact_log_ratio(b), std::log((4 * std::cosh(8 * b) + 12) / 16), 1e-14);
    EXPECT_DOUBLE_EQ(*Ising({.size = 5}).log_normaliser_start(), 25 * std::numbers::ln2);

    const Ising frustrated({.size = 3, .coupling = -1});
    double sum = 0; // over the 512 states of 3 x 3, which are all the chains of one block
    IsingBlock states = frustrated.make_block(512);
    for (int state = 0; state < 512; ++state) {
        states.unpack(state, std::array{std::byte(state & 255), std::byte(state >> 8)});
    }
    frustrated.prepare(states);
    for (const std::int32_t bonds : states.bond_sums()) {
        sum += std::exp(-b * bonds);
    }
    EXPECT_NEAR(*frustrated.exact_log_ratio(b), std::log(sum / 512), 1e-13);
    EXPECT_FALSE(Ising({.size = 5, .coupling = -1}).exact_log_ratio(b).has_value());
}

TEST(Ising, FingerprintDistinguishesModels) {
    const auto bytes = [](const IsingSettings& settings) {
        std::vector<std::byte> collected;
        model::Fingerprint fingerprint(
            [&](std::span<const std::byte> part) { collected.insert(collected.end(), part.begin(), part.end()); });
        Ising(settings).fingerprint(fingerprint);
        return collected;
    };
    const auto base = bytes({8, 1.0, Move::metropolis});
    EXPECT_EQ(base, bytes({8, 1.0, Move::metropolis}));
    EXPECT_NE(base, bytes({9, 1.0, Move::metropolis}));
    EXPECT_NE(base, bytes({8, -1.0, Move::metropolis}));
    EXPECT_NE(base, bytes({8, 1.0, Move::heat_bath}));
}

TEST(Ising, RefusesWhatIsOutOfRange) {
    EXPECT_THROW(Ising({.size = 1}), InputError);
    EXPECT_THROW(Ising({.size = Ising::largest_size + 1}), InputError);
    EXPECT_THROW(Ising({.coupling = 0}), InputError);
    EXPECT_THROW(Ising({.coupling = std::numeric_limits<double>::infinity()}), InputError);
    const Ising ising({.size = 4});
    EXPECT_THROW(ising.make_block(513), ContractViolation);
    IsingBlock block = ising.make_block(5);
    EXPECT_THROW(ising.move(block, -0.1, streams_at(0)), ContractViolation);
    EXPECT_THROW(Ising({.size = 5}).move(block, 0.1, streams_at(0)), ContractViolation);
    std::vector<std::byte> bytes(2);
    EXPECT_THROW(block.pack(5, bytes), ContractViolation);
    EXPECT_THROW(block.unpack(0, std::span(bytes).first(1)), ContractViolation);
}

} // namespace
} // namespace pearlite::models
