/// Scores of the families of a Bayesian network over 267 rows of 23 variables of two levels, as of the SPECT images:
/// looked up, counted from the data, and all of them tabulated. `scores` is families per second; `times_plain` the
/// ratio to a loop that counts row by row and asks for log-gamma functions. Proposals of a search beside them.

#include "models/network/bayesian_network.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cmath>
#include <vector>

namespace {

using namespace pearlite;
using models::BayesianNetwork;
using models::FamilyScores;
using models::NetworkOperation;
using models::NodeSet;

constexpr Index variables = 23, rows = 267;
const models::NetworkSettings settings;

const models::DiscreteTable& data() {
    static const models::DiscreteTable table = [] {
        Matrix values(rows, variables);
        random::Stream stream({1, random::Purpose::synthetic_data, 0, 0});
        for (Index row = 0; row < rows; ++row)
            for (Index i = 0; i < variables; ++i)
                values(row, i) = i > 0 && stream.bernoulli(0.5) ? values(row, i - 1) : stream.bernoulli(0.4);
        return models::discrete_table(values, {}, std::vector<Index>(variables, 2));
    }();
    return table;
}

struct Family {
    Index node;
    NodeSet parents;
};

/// Families of a uniform node with uniform parents, too many for the branch predictor and the first-level cache.
std::vector<Family> families(Index n_parents) {
    std::vector<Family> found(4096);
    random::Stream stream({2, random::Purpose::synthetic_data, 0, 0});
    for (Family& family : found) {
        family = {static_cast<Index>(stream.index(variables)), 0};
        while (std::popcount(family.parents) < n_parents)
            family.parents |= NodeSet{1} << stream.index(variables) & ~(NodeSet{1} << family.node);
    }
    return found;
}

double plain_score(const Family& family) {
    std::vector<Index> parents;
    for (NodeSet rest = family.parents; rest != 0; rest &= rest - 1)
        parents.push_back(std::countr_zero(rest));
    std::vector<std::array<int, 2>> counts(std::size_t{1} << parents.size());
    for (Index row = 0; row < rows; ++row) {
        std::size_t state = 0;
        for (const Index parent : parents)
            state = 2 * state + data().values(row, parent);
        ++counts[state][data().values(row, family.node)];
    }
    const double of_state = settings.equivalent_sample_size / static_cast<double>(counts.size()), a = of_state / 2;
    double sum = static_cast<double>(parents.size()) * std::log(settings.edge_prior / (1 - settings.edge_prior));
    for (const auto& [no, yes] : counts)
        sum += std::lgamma(of_state) - std::lgamma(of_state + no + yes) + std::lgamma(a + no) + std::lgamma(a + yes) -
               2 * std::lgamma(a);
    return -sum;
}

template <class Score>
double rate_of(const std::vector<Family>& all, const Score& score) {
    const auto begin = std::chrono::steady_clock::now();
    double sum = 0;
    for (const Family& family : all)
        sum += score(family);
    benchmark::DoNotOptimize(sum);
    return static_cast<double>(all.size()) /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Score>
void scores(benchmark::State& state, const Score& score) {
    const auto all = families(state.range(0));
    for (auto _ : state) {
        double sum = 0;
        for (const Family& family : all)
            sum += score(family);
        benchmark::DoNotOptimize(sum);
    }
    const double n = static_cast<double>(state.iterations()) * static_cast<double>(all.size());
    state.counters["scores"] = benchmark::Counter(n, benchmark::Counter::kIsRate);
    state.counters["times_plain"] = benchmark::Counter(n / rate_of(all, plain_score), benchmark::Counter::kIsRate);
}

const FamilyScores& tabulated() {
    static const FamilyScores all(data(), settings);
    return all;
}

void looked_up(benchmark::State& state) {
    scores(state, [&](const Family& family) { return tabulated().score(family.node, family.parents); });
}
BENCHMARK(looked_up)->Arg(1)->Arg(3)->Arg(5);

void counted(benchmark::State& state) {
    scores(state, [&](const Family& family) { return tabulated().direct(family.node, family.parents); });
}
BENCHMARK(counted)->Arg(1)->Arg(3)->Arg(5);

void all_tabulated(benchmark::State& state) {
    double n = 0;
    for (auto _ : state) {
        const FamilyScores all(data(), settings);
        n += static_cast<double>(all.sets_up_to(all.tabulated_parents()) * variables);
    }
    state.counters["scores"] = benchmark::Counter(n, benchmark::Counter::kIsRate);
    state.counters["times_plain"] =
        benchmark::Counter(n / rate_of(families(5), plain_score), benchmark::Counter::kIsRate);
}
BENCHMARK(all_tabulated)->Unit(benchmark::kMillisecond);

/// Accepted where the energy does not rise by more than one.
void proposals(benchmark::State& state) {
    const BayesianNetwork network(data(), settings);
    random::Stream stream({3, random::Purpose::synthetic_data, 0, 0});
    auto dag = network.draw_network(stream);
    for (auto _ : state) {
        const auto proposal = network.propose(dag, BayesianNetwork::operations[stream.index(3)], stream);
        if (proposal.energy < dag.energy() + 1)
            network.apply(proposal, dag);
    }
    benchmark::DoNotOptimize(dag.energy());
    state.counters["proposals"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(proposals);

/// Whether the loop computes what the library does.
bool plain_program_is_right() {
    for (const Index parents : {0, 1, 3, 5})
        for (const Family& family : families(parents))
            if (std::abs(plain_score(family) - tabulated().direct(family.node, family.parents)) > 1e-9)
                return false;
    return true;
}

} // namespace

int main(int argc, char** argv) {
    if (!plain_program_is_right())
        return 1;
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
