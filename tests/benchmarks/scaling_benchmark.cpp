// Wall-clock seconds of a run, the best of several. A perfect machine prints the same number on any number of ranks.
//
//     mpirun -n RANKS scaling_benchmark NAME
//
// ising, rbm: annealed importance sampling with the same number of whole blocks on every rank; seconds.
// logistic, toenail, volatility: tempered SMC of one population of the same size on any number of ranks; seconds times
// ranks.
// uneven: likewise, for a volatility whose filters take 32 to 3200 particles, depending on theta; uneven-equal-runs:
// without load balance. Tempered SMC on several ranks also prints the imbalance: the busiest rank's work over the mean.
#include "algorithm/annealed_importance/annealed_importance.hpp"
#include "algorithm/smc/smc.hpp"
#include "kernel/density/random_walk.hpp"
#include "kernel/native.hpp"
#include "models/lattice/ising.hpp"
#include "models/mixed_logistic/mixed_logistic.hpp"
#include "models/rbm/rbm.hpp"
#include "models/regression/logistic_regression.hpp"
#include "models/state_space/stochastic_volatility.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "pearlite/path/tempered.hpp"
#include "toenail_sized.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>

using namespace pearlite;

namespace {

/// The best time of the slowest rank, in seconds, for a run of the sampler that make() makes anew each time.
template <class Make>
double best_seconds(const parallel::Communicator& ranks, int repeats, const Make& make) {
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        auto sampler = make();
        sampler.begin();
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

struct Work {
    Index blocks_per_rank;
    Index block;
    Index steps;
};

template <class M>
double annealing(const parallel::Communicator& ranks, M model, const Work& work) {
    constexpr int repeats = 40; // short repeats, of which some are undisturbed on a busy machine
    const auto target = model::target_of(std::move(model));
    return best_seconds(ranks, repeats, [&] {
        return algorithm::AnnealedImportance(ranks, target, path::linear_schedule(work.steps, 0.5),
                                             kernel::Native(target),
                                             {work.blocks_per_rank * work.block * ranks.size(), work.block, 1});
    });
}

struct Population {
    Index particles;
    Index moves;
    int repeats;
    bool balance = true;
};

template <class D>
double tempering(const parallel::Communicator& ranks, D density, const Population& population) {
    const auto path = path::tempered(std::move(density));
    population::WorkAccount work;
    const double seconds = best_seconds(ranks, population.repeats, [&] {
        struct Accounted {
            ~Accounted() { sum += *smc.progress().work; }
            void begin() { smc.begin(); }
            bool finished() const { return smc.finished(); }
            void step() { smc.step(); }
            algorithm::Smc smc;
            population::WorkAccount& sum;
        };
        return Accounted{{ranks,
                          path,
                          path::AdaptiveSchedule{1, 0.9},
                          kernel::RandomWalk(path, population.moves),
                          {population.particles, 16, 1},
                          {.balance = population.balance}},
                         work};
    });
    if (ranks.is_root() && ranks.size() > 1)
        std::fprintf(stderr, "imbalance %.3f, of equal runs %.3f, %lld deals\n", work.busiest / work.mean,
                     work.busiest_of_equal_runs / work.mean, static_cast<long long>(work.deals));
    return seconds * ranks.size();
}

models::LogisticRegression logistic() {
    constexpr Index n_rows = 532, n_coefficients = 8;
    random::Stream stream({2, random::Purpose::synthetic_data, 0, 0});
    models::LogisticRegressionData data;
    data.design = Matrix::NullaryExpr(n_rows, n_coefficients, [&](Index, Index) { return stream.normal(); });
    data.response = Vector::NullaryExpr(n_rows, [&](Index) { return stream.bernoulli(0.4) ? 1.0 : 0.0; });
    data.names.assign(n_coefficients, "b");
    return models::LogisticRegression(data);
}

models::StochasticVolatility volatility(bool uneven) {
    random::Stream stream({3, random::Purpose::synthetic_data, 0, 0});
    models::StochasticVolatilitySettings settings;
    settings.returns = models::simulate_volatility({.mu = -1, .phi = 0.97, .sigma = 0.18}, 200, stream).returns;
    settings.filter.particles = 320;
    if (uneven)
        settings.constant_variance = {
            {.variance = 0.5, .pilot_particles = 64, .pilot_runs = 4, .smallest = 32, .largest = 3200}};
    return models::StochasticVolatility(settings);
}

double seconds_of(const parallel::Communicator& ranks, std::string_view name) {
    if (name == "ising")
        return annealing(ranks, models::Ising({32, 1.0, models::IsingSettings::Move::metropolis}), {2, 512, 400});
    if (name == "rbm")
        return annealing(ranks, models::Rbm(models::random_rbm(784, 500, 0.1, 0.5, 1)), {2, 128, 64});
    if (name == "logistic")
        return tempering(ranks, logistic(), {1024, 20, 10});
    if (name == "toenail")
        return tempering(ranks, models::MixedLogistic(benchmarks::toenail_sized(false, 32)), {256, 1, 5});
    if (name == "volatility")
        return tempering(ranks, volatility(false), {256, 2, 5});
    if (name == "uneven" || name == "uneven-equal-runs")
        return tempering(ranks, volatility(true), {512, 1, 3, name == "uneven"});
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    const double seconds = seconds_of(ranks, argc == 2 ? argv[1] : "");
    if (seconds == 0) {
        std::fputs("usage: scaling_benchmark ising|rbm|logistic|toenail|volatility|uneven|uneven-equal-runs\n", stderr);
        return 2;
    }
    if (ranks.is_root())
        std::printf("%.6f\n", seconds);
    return 0;
}
