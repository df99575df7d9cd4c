// Wall-clock seconds of annealed importance sampling with the same number of whole blocks on every rank, so that a
// perfect machine takes as long on two ranks as on one. Prints the best of several runs.
//
//     mpirun -n RANKS scaling_benchmark ising|rbm
#include "pearlite/kernel/native.hpp"
#include "pearlite/models/ising.hpp"
#include "pearlite/models/rbm.hpp"
#include "pearlite/sampler/annealed_importance.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>

using namespace pearlite;

namespace {

struct Work {
    Index blocks_per_rank;
    Index block;
    Index steps;
};

template <class M>
double best_seconds(const parallel::Communicator& ranks, M model, const Work& work) {
    constexpr int repeats = 40; // short ones, of which some are undisturbed on a busy machine
    const auto shared = std::make_shared<const M>(std::move(model));
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        sampler::AnnealedImportance<M, kernel::Native<M>> sampler(
            ranks, shared, path::linear_schedule(work.steps, 0.5), kernel::Native<M>(1),
            {work.blocks_per_rank * work.block * ranks.size(), work.block, 1});
        ranks.barrier();
        const auto begin = std::chrono::steady_clock::now();
        while (!sampler.finished())
            sampler.step();
        ranks.barrier();
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        best = std::min(best, ranks.max(elapsed.count()));
    }
    return best;
}

} // namespace

int main(int argc, char** argv) {
    parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    const std::string_view name = argc == 2 ? argv[1] : "";
    double seconds = 0;
    if (name == "ising") {
        seconds = best_seconds(ranks, models::Ising({32, 1.0, models::IsingSettings::Move::metropolis}), {2, 512, 400});
    } else if (name == "rbm") {
        seconds = best_seconds(ranks, models::Rbm(models::random_rbm(784, 500, 0.1, 0.5, 1)), {2, 128, 64});
    } else {
        std::fputs("usage: scaling_benchmark ising|rbm\n", stderr);
        return 2;
    }
    if (ranks.is_root())
        std::printf("%.6f\n", seconds);
    return 0;
}
