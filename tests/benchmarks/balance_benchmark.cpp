// Load balance of tempered SMC where a likelihood takes exp(2 theta) times 10 us, 55 times that at most, with theta ~
// N(0, 1) a priori: 512 particles in blocks of 4, 20 temperatures, one small or large move each. A line for each way of
// dealing blocks: the busiest rank's work over the mean of all ranks, from the costs of likelihoods at the particles
// after each step, and wall-clock seconds.
//
//     mpirun -n RANKS balance_benchmark
#include "algorithm/smc/smc.hpp"
#include "kernel/density/random_walk.hpp"
#include "models/gaussian/noisy_likelihood.hpp"
#include "pearlite/path/tempered.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>

using namespace pearlite;

namespace {

double cost_at(std::span<const double> x) {
    return std::exp(std::min(2 * x[0], 4.0));
}

/// A likelihood that does not state its cost.
struct Costly : models::NoisyLikelihood {
    Costly() : NoisyLikelihood({.data = Vector{{0.5, -1.0}}, .noise_variance = 1.5}) {}
    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        NoisyLikelihood::estimate(points, streams, log_prior, log_likelihood);
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            const double end = parallel::work_seconds() + 1e-5 * cost_at({points.col(static_cast<Index>(i)).data(), 2});
            while (parallel::work_seconds() < end) {
            }
        }
    }
};
struct Declared : Costly {
    double cost(std::span<const double> x) const { return cost_at(x); }
};

std::vector<double> costs_of_blocks(const parallel::Communicator& ranks, const population::Generation& particles) {
    std::vector<double> local;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = path::points_of(particles.block(b));
        local.push_back(0);
        for (Index i = 0; i < block.size(); ++i)
            local.back() += cost_at({block.points.col(i).data(), 2});
    }
    return ranks.all_gather(std::span<const double>(local));
}

template <class D>
void report(const parallel::Communicator& ranks, const char* way, bool balance, double step_size) {
    const auto path = path::tempered(D{});
    algorithm::Smc sampler(ranks, path, path::linear_schedule(20, 1),
                           kernel::RandomWalk::constant(path, 1, step_size * Matrix::Identity(2, 2)), {512, 4, 6},
                           {.balance = balance});
    sampler.begin();
    double mean = 0, most = 0, seconds = 0;
    while (!sampler.finished()) {
        const auto begin = std::chrono::steady_clock::now();
        sampler.step();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        const auto& particles = sampler.population().generation(0);
        const auto costs = costs_of_blocks(ranks, particles);
        mean += std::accumulate(costs.begin(), costs.end(), 0.0) / ranks.size();
        most += population::work_of_busiest_rank(particles.layout(), costs);
    }
    if (ranks.is_root())
        std::printf("moves of %.1f, %-18s busiest / mean %.3f, %lld deals, %.3f s\n", step_size, way, most / mean,
                    static_cast<long long>(sampler.progress().work->deals), seconds);
}

} // namespace

int main(int argc, char** argv) {
    parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    for (const double step_size : {0.1, 0.5}) {
        report<Costly>(ranks, "equal runs:", false, step_size);
        report<Costly>(ranks, "measured costs:", true, step_size);
        report<Declared>(ranks, "declared costs:", true, step_size);
    }
    return 0;
}
