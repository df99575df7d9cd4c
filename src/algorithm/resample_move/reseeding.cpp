// ARM-reseed: S = max(ceil((1 - gamma/threshold) R), 100) chains that know nothing of the base set, which they
// join.
#include "algorithm/common/streams.hpp"
#include "algorithm/resample_move/generator.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

namespace {

constexpr Index fewest = 100;

class Reseeding final : public Generator {
  public:
    explicit Reseeding(Index sweeps) : sweeps_(sweeps) {}

    bool joins_base() const override { return true; }
    Index ticks(Index) const override { return sweeps_; }

    population::Generation& generate(const Enlargement& pass) const override {
        const auto base = static_cast<double>(pass.population.generation(0).size());
        const auto lacking = static_cast<Index>(std::ceil((1 - pass.gamma / pass.threshold) * base));
        auto& chains = pass.population.append(std::max(lacking, fewest), pass.block);
        parallel::together(pass.ranks, [&] {
            for (Index b = 0; b < chains.local_blocks(); ++b)
                pass.stage.draw_seeds(chains.block(b), block_streams(chains, b, pass.seed, pass.tick));
        });
        make_sweeps(pass.ranks, pass.stage, chains, sweeps_, pass.seed, pass.tick);
        std::fill(chains.log_weights().begin(), chains.log_weights().end(),
                  -std::log(static_cast<double>(chains.size())));
        return chains;
    }

  private:
    Index sweeps_;
};

} // namespace

std::unique_ptr<Generator> reseeding(Index sweeps) {
    return std::make_unique<Reseeding>(sweeps);
}

} // namespace pearlite::algorithm
