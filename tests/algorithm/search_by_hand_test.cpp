// Searches of a few iterations, with numbers computed by hand.
#include "algorithm/search_cases.hpp"

#include "core/log_space.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using parallel::Communicator;

/// States are energies, and proposals are read from a script: one row a chain, the start first.
struct Script {
    using Row = std::vector<double>;
    std::vector<Row> rows;
    std::vector<model::Operation> list{{.name = "next"}};

    struct Chains {
        std::vector<double> energies, proposed;
        Index size() const { return static_cast<Index>(energies.size()); }
        Index padded_size() const { return padded(size()); }
        std::size_t packed_bytes() const { return sizeof(double); }
        void pack(Index slot, std::span<std::byte> out) const {
            std::memcpy(out.data(), &energies[static_cast<std::size_t>(slot)], sizeof(double));
        }
        void unpack(Index slot, std::span<const std::byte> in) {
            std::memcpy(&energies[static_cast<std::size_t>(slot)], in.data(), sizeof(double));
        }
    };
    std::span<const model::Operation> operations() const { return list; }
    Chains make_chains(Index n) const {
        return {std::vector<double>(static_cast<std::size_t>(n)), std::vector<double>(static_cast<std::size_t>(n))};
    }
    void read(std::vector<double>& energies, const model::BlockStreams& streams) const {
        for (std::size_t i = 0; i < energies.size(); ++i)
            energies[i] = rows[static_cast<std::size_t>(streams.first_slot) + i][streams.step];
    }
    void draw_start(Chains& chains, const model::BlockStreams& streams) const { read(chains.energies, streams); }
    void evaluate(const Chains& chains, std::span<double> out) const {
        std::copy(chains.energies.begin(), chains.energies.end(), out.begin());
    }
    void mutate(Chains& chains, Index, const model::ProposalScale&, std::span<const double>,
                const model::BlockStreams& streams, model::Proposals& proposals) const {
        read(chains.proposed, streams);
        std::copy(chains.proposed.begin(), chains.proposed.end(), proposals.energies.begin());
        std::fill(proposals.log_ratios.begin(), proposals.log_ratios.end(), 0.0);
    }
    void cross(Chains&, const model::Partners<Chains>&, Index, const model::Meetings&, const model::ProposalScale&,
               std::span<const double>, const model::BlockStreams&, model::Proposals&) const {}
    void accept(Chains& chains, std::span<const std::uint8_t> accepted) const {
        for (std::size_t i = 0; i < chains.energies.size(); ++i)
            if (accepted[i] != 0)
                chains.energies[i] = chains.proposed[i];
    }
    static std::optional<double> known_minimum() { return {}; }
    void fingerprint(model::Fingerprint&) const {}
};
static_assert(model::SearchSpace<Script>);

SearchOutcome outcome_of(const Script& script, const SearchSettings& settings) {
    auto engine = begun(Communicator::alone(), model::space_of(script), settings);
    return finish_search(engine).outcome();
}

constexpr double nowhere = std::numeric_limits<double>::infinity();

/// Almost zero temperature: proposals that lower the energy are accepted, those that raise it are not.
SearchSettings scripted(const Script& script) {
    SearchSettings settings;
    settings.chains = static_cast<Index>(script.rows.size());
    settings.iterations = static_cast<Index>(script.rows[0].size()) - 1;
    settings.temperature = {TemperatureLadder::Kind::constant, 1, 1e-9, 1};
    settings.partition = model::EnergyPartition({1, 2, 3, 4});
    settings.gain = {2, 1};
    settings.lambda = 0;
    return settings;
}

TEST(SearchByHand, Theta) {
    // Regions 3; 2; 2 (region 4 proposed to); 2 (nowhere); of the other chain 3; 3; 3 (region 1 is never proposed to).
    const Script script{{{3.5, 2.5, 4.5, nowhere}, {3.2, 3.1, 3.1, 9}}};
    const auto outcome = outcome_of(script, scripted(script));
    EXPECT_EQ(outcome.visits, (std::vector<std::int64_t>{0, 0, 3, 3, 0}));
    // gamma 1, 1, 2/3; pi 1/5. Region 4 joins in the second iteration.
    const double sum = 1 + 1 + 2.0 / 3;
    const std::vector<double> theta{0, 0, sum * (0.5 - 0.2), sum * (0.5 - 0.2), -(sum - 1) * 0.2};
    const double total = std::log(std::exp(theta[2]) + std::exp(theta[3]) + std::exp(theta[4]));
    for (const std::size_t j : {2u, 3u, 4u})
        EXPECT_NEAR(outcome.theta[j], theta[j] - total, 1e-14);
    EXPECT_EQ(outcome.theta[0], log_zero);
    EXPECT_EQ(outcome.theta[1], log_zero);
    EXPECT_EQ(outcome.final_energies, (std::vector<double>{2.5, 3.1}));
    EXPECT_EQ(outcome.region_best, (std::vector<double>{nowhere, nowhere, 2.5, 3.1, nowhere}));
    EXPECT_EQ(outcome.best.iteration, 1);
    EXPECT_EQ(outcome.best.chain, 0);
    EXPECT_EQ(outcome.best_evaluations, 4);
    EXPECT_EQ(outcome.evaluations, 8); // a proposal nowhere cost an energy all the same
    EXPECT_EQ(outcome.counts[0].accepted, 3);
}

TEST(SearchByHand, ASpaceThatShrinks) {
    // With aleph = 1 the find 0.5 leaves the regions up to that of 1.5, number 1: the second chain is outside. 2.5 is
    // no longer proposed to with success, 1.8 is: the first proposal inside is taken.
    const Script script{{{3.5, 0.5, 0.7, 0.6, 0.9, 0.4}, {3.6, 3.4, 2.5, 1.8, 2.2, 1.9}}};
    auto settings = scripted(script);
    settings.aleph = 1;
    auto outcome = outcome_of(script, settings);
    EXPECT_EQ(outcome.final_energies, (std::vector<double>{0.4, 1.8}));
    EXPECT_EQ(outcome.visits, (std::vector<std::int64_t>{5, 3, 0, 2, 0}));
    EXPECT_EQ(outcome.outside, 2);
    // Inside, theta decides; into it, it does not: both ways into region 1 have a ratio of exp(-200).
    settings.temperature.low = 1e9;
    settings.fixed_theta = {0, 200, 0, 0, 0};
    outcome = outcome_of(script, settings);
    EXPECT_EQ(outcome.final_energies, (std::vector<double>{0.4, 1.9}));
    settings.aleph.reset();
    EXPECT_EQ(outcome_of(script, settings).final_energies[1], 2.2);
}

} // namespace
} // namespace pearlite::algorithm
