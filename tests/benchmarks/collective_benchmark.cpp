// The cost of keeping the ranks of a search in step: microseconds of the collective of an iteration, its share of an
// iteration, and the parameters of the machine's messages by which docs/measured/performance.md projects to more ranks.
//
//     mpirun -n RANKS collective_benchmark
#include "algorithm/search/stochastic_approximation.hpp"
#include "models/functions/test_functions.hpp"
#include "models/protein/ab_protein.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

using namespace pearlite;

namespace {

/// The best wall-clock time of several, in microseconds per call: a busy machine disturbs most of them.
template <class Work>
double microseconds(const parallel::Communicator& ranks, int calls, Work work) {
    constexpr int repeats = 30;
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        ranks.barrier();
        const auto begin = std::chrono::steady_clock::now();
        for (int call = 0; call < calls; ++call)
            work();
        const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
        best = std::min(best, ranks.max(elapsed.count()) / calls);
    }
    return best;
}

/// Microseconds of the collective alone; `chains` and `iterations` count the reports that it shares.
double collective(const parallel::Communicator& ranks, Index chains, Index iterations) {
    algorithm::ReportWindow window(ranks, parallel::BlockLayout(chains, 1, ranks.size(), ranks.rank()), iterations);
    return microseconds(ranks, 2000, [&] {
        for (Index s = 0; s < iterations; ++s)
            window.close(0);
        window.share(false);
        window.clear();
    });
}

template <class E>
double iteration(const parallel::Communicator& ranks, const E& energy, Index chains, Index sync_every,
                 const model::EnergyPartition& partition) {
    algorithm::SearchSettings settings;
    settings.chains = chains;
    settings.iterations = 4'000'000'000;
    settings.temperature = {algorithm::TemperatureLadder::Kind::square_root, 1, 0.01, 1000};
    settings.gain = {100000, 0.55};
    settings.partition = partition;
    settings.sync_every = sync_every;
    algorithm::StochasticApproximation search(ranks, model::space_of(kernel::BoxSpace<E>(energy)), settings);
    search.begin();
    return microseconds(ranks, 1024, [&] { search.iterate(); });
}

template <class E>
void print_iterations(const parallel::Communicator& ranks, const char* name, const E& energy,
                      std::initializer_list<Index> chains, const model::EnergyPartition& partition) {
    for (const Index kappa : chains) {
        const double alone = iteration(parallel::Communicator::alone(), energy, kappa, 1, partition);
        for (const Index sync_every : {1, 8, 64}) {
            const double together = iteration(ranks, energy, kappa, sync_every, partition);
            const double shared = collective(ranks, kappa, sync_every) / static_cast<double>(sync_every);
            if (ranks.is_root())
                std::printf(
                    "%-10s chains %5ld  sync_every %3ld  one rank %8.2f us  %d ranks %8.2f us  collective %6.2f "
                    "us an iteration, %4.1f %%\n",
                    name, static_cast<long>(kappa), static_cast<long>(sync_every), alone, ranks.size(), together,
                    shared, 100 * shared / together);
        }
    }
}

/// Half the time of a message there and back: latency and overheads for few bytes, bytes per second for many.
double half_round_trip(const parallel::Communicator& ranks, std::size_t bytes) {
    std::vector<std::byte> buffer(bytes);
    if (ranks.rank() > 1 || ranks.size() < 2)
        return 0;
    constexpr int calls = 2000, repeats = 20;
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto begin = std::chrono::steady_clock::now();
        for (int call = 0; call < calls; ++call)
            for (const int turn : {0, 1}) {
                if (turn == ranks.rank())
                    ranks.send(1 - ranks.rank(), 7, buffer).wait();
                else
                    ranks.receive(1 - ranks.rank(), 7, buffer).wait();
            }
        const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
        best = std::min(best, elapsed.count() / calls / 2);
    }
    return best;
}

} // namespace

int main(int argc, char** argv) {
    parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    for (const std::size_t bytes : {8, 1024, 65536}) {
        const double time = half_round_trip(ranks, bytes);
        if (ranks.is_root())
            std::printf("message of %6zu bytes: %.2f us\n", bytes, time);
    }
    for (const Index chains : {14, 64, 256, 1024}) {
        const double time = collective(ranks, chains, 1);
        if (ranks.is_root())
            std::printf("collective of %5ld reports (%zu bytes in all): %.2f us\n", static_cast<long>(chains),
                        algorithm::Reports::bytes_of(static_cast<std::size_t>(chains)), time);
    }
    print_iterations(ranks, "rastrigin", models::TestFunction({.dimension = 30, .rotated = true}), {14, 64, 256},
                     model::EnergyPartition::uniform(-0.01, 40, 400));
    print_iterations(ranks, "protein", models::AbProtein({.sequence = models::fibonacci_sequence(55)}), {10, 64},
                     model::EnergyPartition::uniform(-20, 0, 101));
    return 0;
}
