#include "models/image/image_space.hpp"

#include "models/space_checks.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace pearlite::models {
namespace {

using namespace testing;
using ::testing::HasSubstr;

const std::vector<std::string> all_operations{"pixel", "rectangle", "cluster", "two-point-crossover"};
enum : Index { pixel, rectangle, cluster, crossover };

ImageRestoration noise(Index rows, Index columns, double a = 0.7, double b = 0.5, std::uint64_t seed = 4) {
    std::vector<std::uint8_t> observed(static_cast<std::size_t>(rows * columns));
    add_noise(observed, 0.5, seed);
    return ImageRestoration({rows, columns, observed, a, b});
}

ImageSpace space_of(ImageRestoration model, ImageSpaceSettings settings = {.operations = all_operations}) {
    return ImageSpace(std::move(model), std::move(settings));
}

constexpr Index tiny_chains = 50000;

/// A space of 512 images, all of which are known.
struct Tiny {
    ImageSpace space = space_of(noise(3, 3), {.operations = all_operations, .rectangle_limit = 2});
    FlatTarget target{1.8, -12.35, -7.45};
    States states = all();

    States all() const {
        const ImageRestoration& model = space.model();
        std::vector<std::string> packed;
        std::vector<double> energies;
        for (unsigned code = 0; code < 1u << model.size(); ++code) {
            std::vector<std::uint8_t> pixels;
            for (Index i = 0; i < model.size(); ++i)
                pixels.push_back(code >> i & 1);
            const ImageState state = model.make_state(pixels);
            packed.emplace_back(model.stored_bytes(), 0);
            model.store(state, std::as_writable_bytes(std::span(packed.back())));
            energies.push_back(model.energy(state));
        }
        return {packed, energies, target};
    }
    double p_value(Index op, Twin twin = Twin::none, const model::ProposalScale* scale = nullptr) const {
        return p_value_after(space, op, target, states, tiny_chains, 8, twin, scale);
    }
};

/// Each right comparison fails on one seed in a million.
TEST(ImageSpace, EveryOperationLeavesTheTargetInvariant) {
    const Tiny tiny;
    ASSERT_TRUE(tiny.states.are_common(tiny_chains));
    for (const Index op : {pixel, rectangle, cluster, crossover})
        EXPECT_GT(tiny.p_value(op), rejection_level) << all_operations[static_cast<std::size_t>(op)];
}

TEST(ImageSpace, WrongRulesAreFoundOut) {
    const Tiny tiny;
    for (const Index op : {pixel, rectangle, cluster, crossover})
        EXPECT_LT(tiny.p_value(op, Twin::no_theta), rejection_level) << all_operations[static_cast<std::size_t>(op)];
    for (const Index op : {pixel, rectangle, crossover})
        EXPECT_LT(tiny.p_value(op, Twin::doubled_changes), rejection_level);
    EXPECT_LT(tiny.p_value(pixel, Twin::metropolis_half), rejection_level);
    EXPECT_LT(tiny.p_value(cluster, Twin::no_ratio), rejection_level);
    EXPECT_LT(tiny.p_value(crossover, Twin::own_cuts), rejection_level);
    EXPECT_LT(tiny.p_value(crossover, Twin::accepted_apart), rejection_level);
}

TEST(ImageSpace, ClustersOfAnyStrengthAreRightAndHaveOneStrengthEverywhere) {
    const Tiny tiny;
    for (const double strength : {0.1, 0.9})
        for (const auto* by_region : {static_cast<const model::EnergyPartition*>(nullptr), &tiny.target.partition}) {
            const model::ProposalScale scale{strength, by_region};
            EXPECT_GT(tiny.p_value(cluster, Twin::none, &scale), rejection_level) << strength;
        }
}

TEST(ImageSpace, AChainDoesNotDependOnItsNeighbours) {
    const ImageSpace space =
        space_of(noise(7, 70), {.operations = all_operations, .start = ImageSpaceSettings::Start::random});
    const FlatTarget target(5, -1100, -900);
    for (const Index op : {pixel, rectangle, cluster, crossover})
        expect_chains_independent(space, op, target, 50);
}

TEST(ImageSpace, DescribesItsOperations) {
    const ImageSpace space = space_of(noise(2, 4));
    ASSERT_EQ(space.operations().size(), 4u);
    EXPECT_EQ(ImageSpace::names(), all_operations);
    for (std::size_t k = 0; k < 4; ++k) {
        const model::Operation& operation = space.operations()[k];
        EXPECT_EQ(operation.name, all_operations[k]);
        EXPECT_TRUE(operation.is_local);
        EXPECT_EQ(operation.heat_bath, k == pixel);
        EXPECT_EQ(operation.has_scale, k == cluster);
        EXPECT_EQ(operation.is_tuned, k != cluster);
        EXPECT_EQ(operation.by_energy, k == crossover);
        EXPECT_EQ(operation.partners, k == crossover ? 1 : 0);
        EXPECT_EQ(operation.kind, k == crossover ? model::Operation::Kind::pair : model::Operation::Kind::mutation);
    }
    EXPECT_EQ(space.operations()[cluster].first_scale, 0.5);
    const ImageSpace weak = space_of(noise(2, 4), {.operations = {"cluster"}, .cluster_strength = 0.2});
    EXPECT_EQ(weak.operations()[0].first_scale, 0.2);
    EXPECT_THROW(space_of(noise(2, 4), {.operations = {"cluster"}, .cluster_strength = -1}), InputError);
}

TEST(ImageSpace, RectanglesKeepToTheirLimitAndReachAllPlaces) {
    const ImageSpace space = space_of(noise(5, 6), {.operations = {"rectangle"}, .rectangle_limit = 3});
    auto chains = space.make_chains(2000);
    std::vector<double> energies(2000);
    model::Proposals proposals;
    space.mutate(chains, 0, {}, energies, {.seed = 3}, proposals);
    const auto before = chains.pixels(0);
    space.accept(chains, std::vector<std::uint8_t>(2000, 1));
    std::map<std::pair<Index, Index>, Index> sides;
    std::vector<Index> flips(before.size());
    for (Index i = 0; i < chains.size(); ++i) {
        const auto after = chains.pixels(i);
        Index rows = 0, columns = 0, total = 0;
        for (std::size_t c = 0; c < after.size(); ++c)
            if (after[c] != before[c]) {
                ++flips[c];
                ++total;
                columns += c < 6 || after[c - 6] == before[c - 6]; // pixels of the first row of the rectangle
                rows += c % 6 == 0 || after[c - 1] == before[c - 1];
            }
        ASSERT_EQ(total, rows * columns);
        ++sides[{rows, columns}];
    }
    EXPECT_EQ(sides.size(), 9u); // 1 .. 3 by 1 .. 3, each of probability 1/9
    for (const auto& [side, count] : sides)
        EXPECT_NEAR(static_cast<double>(count), 2000 / 9.0, 5 * std::sqrt(2000 * 8 / 81.0));
    for (const Index count : flips)
        EXPECT_GT(count, 0);
}

TEST(ImageSpace, StartsAtTheObservedImageOrAnywhere) {
    const ImageRestoration model = noise(9, 30);
    const ImageSpace observed = space_of(model), random = space_of(model, {.start = ImageSpaceSettings::Start::random});
    auto chains = observed.make_chains(3);
    observed.draw_start(chains, {.seed = 1});
    for (Index i = 0; i < 3; ++i)
        EXPECT_EQ(chains.pixels(i), model.settings().observed);
    random.draw_start(chains, {.seed = 1});
    EXPECT_NE(chains.pixels(0), chains.pixels(1));
    EXPECT_NE(chains.pixels(0), model.settings().observed);
    EXPECT_THROW(static_cast<void>(chains.pixels(3)), ContractViolation);
}

TEST(ImageSpace, PackedImagesAreTheSameAndOthersAreRefused) {
    const ImageSpace space = space_of(noise(9, 30), {.start = ImageSpaceSettings::Start::random});
    auto chains = space.make_chains(2);
    space.draw_start(chains, {.seed = 2});
    const std::string bytes = packed(chains, 0);
    unpack(chains, 1, bytes);
    EXPECT_EQ(chains.pixels(1), chains.pixels(0));
    EXPECT_EQ(chains.state(1).counts(), space.model().recount(chains.state(0)));
    EXPECT_EQ(packed(chains, 1), bytes);
    const auto damaged = [&](std::size_t place, char value) {
        std::string other = bytes;
        other[place] = value;
        return other;
    };
    EXPECT_THROW(unpack(chains, 1, damaged(0, 1)), ContractViolation);                 // above the image
    EXPECT_THROW(unpack(chains, 1, damaged(bytes.size() - 1, 1)), ContractViolation);  // equal pairs
    EXPECT_THROW(unpack(chains, 1, damaged(bytes.size() - 9, -1)), ContractViolation); // agreements
    EXPECT_THROW(unpack(chains, 1, bytes.substr(1)), ContractViolation);
}

TEST(ImageSpace, KnowsItsMinimumIfAsked) {
    const ImageRestoration model = noise(6, 7, 1.1, 0.4);
    EXPECT_EQ(space_of(model).known_minimum(), std::nullopt);
    const ImageSpace space = space_of(model, {.exact = true});
    for (int k = 0; k < 2; ++k)
        EXPECT_EQ(space.known_minimum(), model.energy(model.exact_minimum()));
}

TEST(ImageSpace, RefusesWhatDoesNotFit) {
    const auto message = [](ImageRestoration model, ImageSpaceSettings settings) -> std::string {
        try {
            const ImageSpace space(std::move(model), std::move(settings));
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message(noise(1, 1), {.operations = {"pixel"}}), "");
    EXPECT_EQ(message(noise(1, 3), {}), "");
    EXPECT_THAT(message(noise(2, 2), {.operations = {"pixle"}}), HasSubstr("no operation \"pixle\""));
    EXPECT_THAT(message(noise(2, 2), {.operations = {"pixel", "pixel"}}), HasSubstr("\"pixel\" is listed twice"));
    EXPECT_THAT(message(noise(2, 2), {.operations = {}}), HasSubstr("no operations are listed"));
    EXPECT_THAT(message(noise(2, 2), {.operations = {"two-point-crossover"}}), HasSubstr("expected a mutation"));
    EXPECT_THAT(message(noise(1, 2), {}), HasSubstr("three pixels"));
    EXPECT_THAT(message(noise(2, 2), {.rectangle_limit = 0}), HasSubstr("at most 0, expected at least 1"));

    const ImageSpace space = space_of(noise(2, 4));
    auto chains = space.make_chains(2);
    const std::vector<double> energies(16);
    const std::vector<std::uint8_t> active(16, 0);
    const std::vector<std::int64_t> meeting(16, 0);
    model::Proposals proposals;
    EXPECT_THROW(space.mutate(chains, crossover, {}, energies, {}, proposals), ContractViolation);
    EXPECT_THROW(space.mutate(chains, 4, {}, energies, {}, proposals), ContractViolation);
    EXPECT_THROW(space.cross(chains, std::span(&chains, 1), pixel, {active, meeting}, {}, energies, {}, proposals),
                 ContractViolation);
}

/// Both children of a pair are made at once where both chains are here; each alone where the other is elsewhere.
TEST(ImageSpace, ChildrenDoNotDependOnWhereThePartnerLives) {
    const ImageSpace space =
        space_of(noise(5, 30), {.operations = all_operations, .start = ImageSpaceSettings::Start::random});
    constexpr Index first_slot = 6;
    const model::BlockStreams streams{.seed = 3, .step = 5, .first_slot = first_slot};
    const std::vector<double> energies(16);
    const std::vector<std::uint8_t> active(16, 1);
    const std::vector<Index> partner{2, 3, 0, 1};
    auto start = space.make_chains(4);
    space.draw_start(start, streams);
    // Chains 0 and 2 are a pair, and 1 and 3.
    const auto child = [&](std::span<const Index> chains, const std::vector<std::uint8_t>& accepted) {
        const auto size = static_cast<Index>(chains.size());
        auto here = space.make_chains(size), partners = space.make_chains(size);
        std::vector<std::int64_t> meeting(16, 0);
        for (Index i = 0; i < size; ++i) {
            const Index chain = chains[static_cast<std::size_t>(i)], other = partner[static_cast<std::size_t>(chain)];
            unpack(here, i, packed(start, chain));
            unpack(partners, i, packed(start, other));
            meeting[static_cast<std::size_t>(i)] = first_slot + std::min(chain, other);
        }
        auto own = streams;
        own.first_slot += chains.front();
        model::Proposals proposals;
        space.cross(here, std::span(&partners, 1), crossover, {active, meeting}, {}, energies, own, proposals);
        space.accept(here, accepted);
        std::vector<std::pair<std::string, double>> found;
        for (Index i = 0; i < size; ++i)
            found.emplace_back(packed(here, i), proposals.energies[static_cast<std::size_t>(i)]);
        return found;
    };
    for (const unsigned code : {0u, 1u, 4u, 5u, 15u, 10u, 6u}) {
        std::vector<std::uint8_t> accepted(16, 0);
        for (std::size_t i = 0; i < 4; ++i)
            accepted[i] = code >> i & 1;
        const auto together = child(std::vector<Index>{0, 1, 2, 3}, accepted);
        for (Index chain = 0; chain < 4; ++chain) {
            const auto k = static_cast<std::size_t>(chain);
            EXPECT_EQ(together[k], child(std::vector<Index>{chain}, {accepted[k]}).front()) << code << ' ' << chain;
            EXPECT_EQ(together[k].first == packed(start, chain), accepted[k] == 0) << code << ' ' << chain;
        }
    }
}

TEST(ImageSpace, InactiveChainsStay) {
    const ImageSpace space =
        space_of(noise(4, 9), {.operations = all_operations, .start = ImageSpaceSettings::Start::random});
    auto chains = space.make_chains(3), partners = space.make_chains(3);
    space.draw_start(chains, {.seed = 9});
    std::vector<double> energies(16);
    space.evaluate(chains, energies);
    const std::vector<std::string> before{packed(chains, 0), packed(chains, 1), packed(chains, 2)};
    std::vector<std::uint8_t> active(16, 0);
    active[1] = 1;
    const std::vector<std::int64_t> meeting(16, 1);
    model::Proposals proposals;
    space.cross(chains, std::span(&partners, 1), crossover, {active, meeting}, {}, energies, {.seed = 9}, proposals);
    space.accept(chains, std::vector<std::uint8_t>(16, 1));
    EXPECT_EQ(proposals.energies[0], energies[0]);
    EXPECT_EQ(packed(chains, 0), before[0]);
    EXPECT_NE(packed(chains, 1), before[1]);
    EXPECT_EQ(packed(chains, 2), before[2]);
}

} // namespace
} // namespace pearlite::models
