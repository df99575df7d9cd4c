/// Chain updates per second of one core by PISAA with all six operations: rotated Rastrigin of 30 dimensions, the AB
/// protein of 55 monomers in the plane; and this protein with mostly local moves, as jobs/protein-2d.toml has it.
/// `updates` is chains times iterations per second, as the authors' program counts; `proposals` leaves out chains
/// that wait in crossovers; `times_plain` is the ratio of proposals to a plain loop that does nothing but compute
/// the same energies one after another; `iteration` is the time of an iteration.

#include "algorithm/search/stochastic_approximation.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"
#include "plain_energies.hpp"

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace pearlite;
using namespace plain_energies;

algorithm::SearchSettings settings(Index chains, double low, double high, Index regions) {
    algorithm::SearchSettings s;
    s.chains = chains;
    s.iterations = 4'000'000'000;
    s.seed = 1;
    s.temperature = {algorithm::TemperatureLadder::Kind::square_root, 1, 0.01, 1000};
    s.gain = {100000, 0.55};
    s.partition = model::EnergyPartition::uniform(low, high, regions);
    return s;
}

/// A search that has left its first states, in which monomers lie on each other and each iteration finds a lower one:
/// begun once, since a benchmark is called several times.
template <class E>
algorithm::StochasticApproximation& search_under_way(const std::string& name, const kernel::BoxSpace<E>& space,
                                                     const algorithm::SearchSettings& settings) {
    constexpr int first_iterations = 100'000;
    static std::map<std::string, std::unique_ptr<algorithm::StochasticApproximation>> searches;
    auto& search = searches[name];
    if (!search) {
        search = std::make_unique<algorithm::StochasticApproximation>(parallel::Communicator::alone(),
                                                                      model::space_of(space), settings);
        search->begin();
        for (int k = 0; k < first_iterations; ++k)
            search->iterate();
    }
    return *search;
}

template <class E>
void search(benchmark::State& state, const std::string& name, const kernel::BoxSpace<E>& space,
            const algorithm::SearchSettings& settings, double plain_rate) {
    auto& pisaa = search_under_way(name + std::to_string(settings.chains), space, settings);
    const auto before = pisaa.evaluations();
    std::int64_t iterations = 0;
    for (auto _ : state) {
        for (int k = 0; k < 1000; ++k)
            pisaa.iterate();
        iterations += 1000;
    }
    const auto proposals = static_cast<double>(pisaa.evaluations() - before);
    using benchmark::Counter;
    state.counters["updates"] = Counter(static_cast<double>(settings.chains * iterations), Counter::kIsRate);
    state.counters["proposals"] = Counter(proposals, Counter::kIsRate);
    state.counters["times_plain"] = Counter(proposals / plain_rate, Counter::kIsRate);
    state.counters["iteration"] = Counter(static_cast<double>(iterations), Counter::kIsRate | Counter::kInvert);
}

void search_rastrigin(benchmark::State& state) {
    static const double rate = measured_rate(PlainRastrigin{}, std::vector<double>(30, 1.0));
    search(state, "rastrigin", kernel::BoxSpace(rastrigin()), settings(state.range(0), -0.01, 40, 400), rate);
}
double plain_protein_rate() {
    static const double rate = measured_rate(PlainPlanarProtein{}, std::vector<double>(monomers - 2, 0.1));
    return rate;
}
void search_protein(benchmark::State& state) {
    search(state, "protein", kernel::BoxSpace(protein(Energy::planar)), settings(state.range(0), -20, 0, 101),
           plain_protein_rate());
}
void search_protein_locally(benchmark::State& state) {
    kernel::BoxOperationSettings operations;
    operations.operations = {"metropolis", "k-point", "k-point-crossover", "snooker", "concerted", "reflection"};
    auto own = settings(state.range(0), -20, 0, 101);
    own.rates = {1, 30, 1, 1, 50, 10};
    own.temperature = {algorithm::TemperatureLadder::Kind::geometric, 1, 0.02, 200'000};
    own.gain = {1000, 0.55};
    own.lambda = 0.01;
    search(state, "local moves", kernel::BoxSpace(protein(Energy::planar), operations), own, plain_protein_rate());
}

} // namespace

BENCHMARK(search_rastrigin)->Arg(1)->Arg(5)->Arg(14)->Arg(30)->Arg(64);
BENCHMARK(search_protein)->Arg(10)->Arg(30);
BENCHMARK(search_protein_locally)->Arg(10)->Arg(30);

BENCHMARK_MAIN();
