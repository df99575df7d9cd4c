// ARM-anticipate: N_r = max(1, floor(R W_{n+1}^r)) copies of particle r, each of weight W_n^r/N_r, W normalised. A
// particle without a copy would be missing from p_n, so each has one.
#include "algorithm/resample_move/generator.hpp"
#include "parallel/agreement.hpp"
#include "population/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pearlite::algorithm {

namespace {

class Anticipating final : public Generator {
  public:
    population::Generation& generate(const Enlargement& pass) const override {
        auto& base = pass.population.generation(0);
        const auto& log_weights = base.log_weights();
        const auto wanted = static_cast<double>(base.size());
        std::vector<Index> copies(log_weights.size());
        std::vector<double> of_copies(log_weights.size());
        Index all = 0;
        for (std::size_t r = 0; r < copies.size(); ++r) {
            const double next = std::exp(log_weights[r] + pass.log_smoothing[r] - pass.log_mean);
            copies[r] = std::max<Index>(1, static_cast<Index>(std::floor(wanted * next)));
            of_copies[r] = log_weights[r] - std::log(static_cast<double>(copies[r]));
            all += copies[r];
        }
        auto& split = pass.population.append(pass.ranks.sum(all), pass.block);
        population::copy_offspring(pass.ranks, base, copies, split, pass.population.particle_bytes(), 0, of_copies);
        parallel::together(pass.ranks, [&] {
            for (Index b = 0; b < split.local_blocks(); ++b)
                pass.stage.prepare(split.block(b));
        });
        make_sweeps(pass.ranks, pass.stage, split, pass.sweeps, pass.seed, pass.tick);
        return split;
    }
};

} // namespace

std::unique_ptr<Generator> anticipating() {
    return std::make_unique<Anticipating>();
}

} // namespace pearlite::algorithm
