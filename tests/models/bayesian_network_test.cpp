#include "models/network/bayesian_network.hpp"

#include "models/network_oracle.hpp"
#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace pearlite::models {
namespace {

using namespace testing;

NetworkSettings with_limit(Index limit) {
    NetworkSettings settings;
    settings.parent_limit = limit;
    return settings;
}

TEST(FamilyScores, EqualPlainCounting) {
    const std::vector<Index> levels{2, 3, 2, 4, 1, 5, 2};
    for (const auto& [rows, edge_prior, sample_size] : {std::tuple(70, 0.1, 1.0), {600, 0.7, 2.5}, {1, 0.5, 10.0}}) {
        const DiscreteTable table = dependent_table(rows, levels, 1);
        NetworkSettings settings = with_limit(4);
        settings.edge_prior = edge_prior;
        settings.equivalent_sample_size = sample_size;
        const FamilyScores scores(table, settings);
        for (Index node = 0; node < 7; ++node)
            for (NodeSet parents = 0; parents < 1u << 7; ++parents)
                if ((parents >> node & 1) == 0 && std::popcount(parents) <= 4) {
                    ASSERT_NEAR(scores.score(node, parents), plain_score(table, settings, node, parents), 1e-9)
                        << node << " given " << parents << ", " << rows << " rows";
                }
    }
}

TEST(FamilyScores, TabulatedEqualDirectBitForBit) {
    const DiscreteTable table = dependent_table(90, {2, 3, 2, 2, 4, 2, 3, 2, 2}, 2);
    NetworkSettings settings = with_limit(5);
    const FamilyScores whole(table, settings);
    settings.table_bytes = 9 * 8 * 40; // 1 + 8 + 28 = 37 sets of at most two parents
    const FamilyScores part(table, settings);
    settings.table_bytes = 0;
    const FamilyScores none(table, settings);
    EXPECT_EQ(whole.tabulated_parents(), 5);
    EXPECT_EQ(part.tabulated_parents(), 2);
    EXPECT_EQ(none.tabulated_parents(), -1);
    for (Index node = 0; node < 9; ++node)
        for (NodeSet parents = 0; parents < 1u << 9; ++parents)
            if ((parents >> node & 1) == 0 && std::popcount(parents) <= 5) {
                const double score = whole.score(node, parents);
                ASSERT_EQ(score, whole.direct(node, parents));
                ASSERT_EQ(score, part.score(node, parents));
                ASSERT_EQ(score, none.score(node, parents));
                ASSERT_EQ(std::remainder(score, whole.quantum()), 0);
            }
}

TEST(FamilyScores, RanksNumberAllSets) {
    const FamilyScores scores(dependent_table(5, std::vector<Index>(12, 2), 3), with_limit(4));
    std::vector<int> hits(static_cast<std::size_t>(scores.sets_up_to(4)));
    EXPECT_EQ(hits.size(), 1 + 11 + 55 + 165 + 330u);
    for (NodeSet set = 0; set < 1u << 11; ++set)
        if (std::popcount(set) <= 4) {
            const Index rank = scores.rank(set);
            ASSERT_LT(rank, scores.sets_up_to(std::popcount(set)));
            ++hits.at(static_cast<std::size_t>(rank));
        }
    for (const int hit : hits)
        EXPECT_EQ(hit, 1);
}

TEST(FamilyScores, ServeSixtyFourVariables) {
    NetworkSettings settings = with_limit(2);
    const DiscreteTable table = dependent_table(40, std::vector<Index>(64, 2), 4);
    const FamilyScores scores(table, settings);
    EXPECT_EQ(scores.table_bytes(), 64u * (1 + 63 + 63 * 31) * 8);
    for (const auto& [node, parents] : {std::pair<Index, NodeSet>(63, 1), {0, NodeSet{1} << 63 | 2}, {40, 3ull << 61}})
        EXPECT_NEAR(scores.score(node, parents), plain_score(table, settings, node, parents), 1e-9);
}

/// Large tables keep no tables of log-gamma differences; scores are the same to the quantum, which grows with the data.
TEST(FamilyScores, ServeManyRows) {
    const DiscreteTable table = dependent_table(700000, {3, 2, 5, 7}, 5);
    const FamilyScores scores(table, with_limit(3));
    const double score = plain_score(table, with_limit(3), 3, 0b111);
    EXPECT_NEAR(scores.score(3, 0b111), score, 1e-11 * score);
}

TEST(FamilyScores, RefuseWhatIsOutOfRange) {
    const DiscreteTable table = dependent_table(5, {2, 2, 2}, 1);
    const auto refused = [&](auto change) {
        NetworkSettings settings;
        change(settings);
        EXPECT_THROW(FamilyScores(table, settings), InputError);
    };
    for (const double b : {0.0, 1.0, -0.1, std::nan("")})
        refused([b](auto& s) { s.edge_prior = b; });
    for (const double s : {0.0, -1.0, std::numeric_limits<double>::infinity()})
        refused([s](auto& settings) { settings.equivalent_sample_size = s; });
    refused([](auto& s) { s.parent_limit = -1; });
    refused([](auto& s) { s.parent_limit = 9; });
    EXPECT_THROW(FamilyScores(dependent_table(5, {2, 2}, 1), {}), InputError);
    EXPECT_THROW(FamilyScores(dependent_table(5, std::vector<Index>(65, 2), 1), {}), InputError);
    EXPECT_THROW(FamilyScores(dependent_table(5, std::vector<Index>(9, 256), 1), with_limit(6)), InputError);
}

TEST(DiscreteTable, TakesWholeNumbersOnly) {
    const DiscreteTable table = discrete_table((Matrix(2, 3) << 0, 1, 0, 2, 1, 0).finished());
    EXPECT_EQ(table.levels, (std::vector<Index>{2, 1, 1}));
    EXPECT_EQ(table.names, (std::vector<std::string>{"X1", "X2", "X3"}));
    EXPECT_EQ(discrete_table(Matrix::Zero(1, 2), {"a", "b"}, {2, 4}).levels, (std::vector<Index>{2, 4}));
    // Codes are names: what does not occur is no level.
    const DiscreteTable gaps = discrete_table((Matrix(3, 3) << 1, 7, 255, 2, 7, 0, 1, 7, 9).finished());
    EXPECT_EQ(gaps.levels, (std::vector<Index>{2, 1, 3}));
    EXPECT_EQ(gaps.values, (Eigen::Matrix<std::uint8_t, 3, 3>() << 0, 0, 2, 1, 0, 0, 0, 0, 1).finished());
    EXPECT_EQ(discrete_table((Matrix(2, 1) << 1, 2).finished(), {}, {3}).levels, std::vector<Index>{3});
    for (const double wrong : {-1.0, 0.5, 256.0, std::nan("")})
        EXPECT_THROW(discrete_table(Matrix::Constant(1, 1, wrong)), InputError);
    EXPECT_THROW(discrete_table(Matrix::Ones(1, 1), {}, {1}), InputError);
    EXPECT_THROW(discrete_table(Matrix::Ones(1, 1), {"a", "b"}), InputError);
    EXPECT_THROW(discrete_table(Matrix(0, 3)), InputError);
}

TEST(BayesianNetwork, EnergiesOfAllNetworksEqualPlainOnes) {
    const DiscreteTable table = dependent_table(60, {2, 3, 2, 2}, 6);
    const BayesianNetwork model(table, {});
    PlainEnergy plain(table, {});
    const auto networks = all_networks(4, 3);
    ASSERT_EQ(networks.size(), 543u);
    for (const auto& parents : networks)
        ASSERT_NEAR(model.network(parents).energy(), plain(parents), 1e-9);
}

/// A table coded 1, 2 is the table coded 0, 1; a level that is declared and does not occur changes the score.
TEST(BayesianNetwork, EnergiesDoNotDependOnTheCodes) {
    const std::vector<Index> levels{2, 3, 2, 2};
    const DiscreteTable table = dependent_table(60, levels, 6);
    const Matrix codes = table.values.cast<double>();
    const auto energy_of = [](const DiscreteTable& t) {
        return BayesianNetwork(t, {}).network(std::vector<NodeSet>{0b0010, 0, 0b0001, 0b0011}).energy();
    };
    EXPECT_EQ(energy_of(discrete_table((codes.array() + 1).matrix())), energy_of(table));
    EXPECT_EQ(energy_of(discrete_table(3 * codes)), energy_of(table));
    EXPECT_NE(energy_of(discrete_table(codes, {}, {2, 4, 2, 2})), energy_of(table));
}

TEST(BayesianNetwork, ExactMinimumEqualsTheLeastOfAllNetworks) {
    for (const auto& [levels, limit, edge_prior] : {std::tuple(std::vector<Index>{2, 3, 2, 2}, 3, 0.1),
                                                    {{2, 2, 3, 4}, 1, 0.1},
                                                    {{2, 2, 2, 2}, 0, 0.5},
                                                    {{2, 2, 2, 2}, 2, 0.9},
                                                    {{2, 3, 2, 2, 2}, 4, 0.3},
                                                    {{3, 2, 2, 2, 3}, 2, 0.5}}) {
        const DiscreteTable table = dependent_table(40, levels, 7);
        NetworkSettings settings = with_limit(limit);
        settings.edge_prior = edge_prior;
        const BayesianNetwork model(table, settings);
        PlainEnergy plain(table, settings);
        double least = std::numeric_limits<double>::infinity();
        for (const auto& parents : all_networks(model.nodes(), limit))
            least = std::min(least, plain(parents));
        const Dag best = model.exact_minimum();
        EXPECT_NEAR(best.energy(), least, 1e-9);
        EXPECT_NEAR(plain({best.parents().begin(), best.parents().end()}), least, 1e-9);
    }
    EXPECT_THROW(BayesianNetwork(dependent_table(5, std::vector<Index>(26, 2), 1), with_limit(1)).exact_minimum(),
                 InputError);
}

TEST(BayesianNetwork, RefusesCyclesAndTooManyParents) {
    const BayesianNetwork model(dependent_table(5, {2, 2, 2, 2}, 1), with_limit(2));
    EXPECT_THROW(model.network(std::vector<NodeSet>{0b0010, 0b0001, 0, 0}), InputError);
    EXPECT_THROW(model.network(std::vector<NodeSet>{0b0001, 0, 0, 0}), InputError);
    EXPECT_THROW(model.network(std::vector<NodeSet>{0b10000, 0, 0, 0}), InputError);
    EXPECT_THROW(model.network(std::vector<NodeSet>{0, 0, 0, 0b0111}), InputError);
    const Dag dag = model.network(std::vector<NodeSet>{0b0110, 0b1000, 0, 0});
    EXPECT_EQ((std::vector<std::uint8_t>{2, 3, 1, 0}),
              std::vector<std::uint8_t>(dag.order().begin(), dag.order().end()));
    EXPECT_EQ(dag.edges(), (std::vector<std::pair<Index, Index>>{{1, 0}, {2, 0}, {3, 1}}));
}

TEST(BayesianNetwork, PackedNetworksComeBackWithTheirBits) {
    const BayesianNetwork model(dependent_table(30, std::vector<Index>(20, 2), 8), with_limit(3));
    random::Stream stream({1, random::Purpose::test, 0, 0});
    Dag dag = model.draw_network(stream);
    for (int step = 0; step < 2000; ++step) {
        const auto proposal = model.propose(dag, BayesianNetwork::operations[stream.index(3)], stream);
        if (std::isfinite(proposal.energy))
            model.apply(proposal, dag);
        std::vector<std::byte> bytes(model.packed_bytes());
        model.pack(dag, bytes);
        ASSERT_EQ(model.unpack(bytes), dag); // the energy too: kept by increments and added up afresh
    }
    std::vector<std::byte> bytes(model.packed_bytes());
    model.pack(dag, bytes);
    bytes[0] = bytes[1];
    EXPECT_THROW(model.unpack(bytes), ContractViolation);
}

TEST(BayesianNetwork, WritesGraphviz) {
    const BayesianNetwork model(discrete_table(Matrix::Zero(1, 3), {"a", "say \"b\"", "c"}), {});
    EXPECT_EQ(model.to_dot(model.network(std::vector<NodeSet>{0b010, 0, 0b011})),
              "digraph network {\n    \"a\";\n    \"say \\\"b\\\"\";\n    \"c\";\n    \"say \\\"b\\\"\" -> \"a\";\n"
              "    \"a\" -> \"c\";\n    \"say \\\"b\\\"\" -> \"c\";\n}\n");
}

TEST(BayesianNetwork, FingerprintDistinguishesModels) {
    const auto fingerprint_of = [](const DiscreteTable& table, const NetworkSettings& settings) {
        std::string bytes;
        model::Fingerprint fingerprint([&](std::span<const std::byte> part) {
            bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
        });
        BayesianNetwork(table, settings).fingerprint(fingerprint);
        return bytes;
    };
    const DiscreteTable table = dependent_table(9, {2, 2, 3, 2}, 1);
    const std::string known = fingerprint_of(table, {});
    DiscreteTable other = table;
    other.values(3, 2) ^= 1;
    NetworkSettings half, other_size, smaller_table;
    half.edge_prior = 0.5;
    other_size.equivalent_sample_size = 2;
    smaller_table.table_bytes = 0;
    EXPECT_NE(fingerprint_of(other, {}), known);
    EXPECT_NE(fingerprint_of(table, half), known);
    EXPECT_NE(fingerprint_of(table, other_size), known);
    EXPECT_NE(fingerprint_of(table, with_limit(1)), known);
    EXPECT_EQ(fingerprint_of(table, smaller_table), known); // what changes no number is no part of the model
}

/// Comma-separated rows of all the files, one after the other.
Matrix read_rows(const std::vector<std::filesystem::path>& files, Index columns) {
    std::vector<double> values;
    for (const auto& path : files) {
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) {
            std::istringstream fields(line);
            for (std::string field; std::getline(fields, field, ',');)
                values.push_back(std::stod(field));
        }
    }
    return Eigen::Map<const Matrix>(values.data(), columns, static_cast<Index>(values.size()) / columns).transpose();
}

TEST(BayesianNetwork, SpectHasItsKnownEnergies) {
    const char* directory = std::getenv("PEARLITE_DATA_DIR");
    if (directory == nullptr)
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set";
    const auto data = std::filesystem::path(directory) / "spect";
    const Matrix rows = read_rows({data / "SPECT.train", data / "SPECT.test"}, 23);
    ASSERT_EQ(rows.rows(), 267);
    const BayesianNetwork model(discrete_table(rows), {});
    EXPECT_EQ(model.scores().tabulated_parents(), 5);
    EXPECT_EQ(model.scores().table_bytes(), 815189u * 8);
    EXPECT_NEAR(model.empty_network().energy(), 3721.711773, 1e-6);
    const Dag best = model.exact_minimum();
    EXPECT_NEAR(best.energy(), 2954.401304, 1e-6);
    EXPECT_EQ(best.edges().size(), 31u);
}

} // namespace
} // namespace pearlite::models
