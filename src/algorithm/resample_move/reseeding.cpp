// ARM-reseed: S = max(ceil((1 - gamma/threshold) R), 100) chains, independent of the base set, join it. With two
// halves, each gets the number of chains that the other half's gamma gives, at least 50.
#include "algorithm/common/streams.hpp"
#include "algorithm/resample_move/generator.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace pearlite::algorithm {

namespace {

constexpr Index fewest = 100;

class Reseeding final : public Generator {
  public:
    explicit Reseeding(Index sweeps) : sweeps_(sweeps) {}

    bool joins_base() const override { return true; }
    Index ticks(Index) const override { return sweeps_; }

    Added generate(const Enlargement& pass) const override {
        const auto parts = static_cast<Index>(pass.parts.size());
        std::vector<std::int64_t> sizes, ends;
        for (const auto& part : pass.parts) {
            const double lacking = (1 - part.gamma / pass.threshold) * static_cast<double>(part.size());
            sizes.push_back(std::max(static_cast<Index>(std::ceil(lacking)), (fewest + parts - 1) / parts));
        }
        std::partial_sum(sizes.begin(), sizes.end(), std::back_inserter(ends));
        auto& chains = pass.population.append(ends.back(), pass.block);
        parallel::together(pass.ranks, [&] {
            for (Index b = 0; b < chains.local_blocks(); ++b)
                pass.stage.draw_seeds(chains.block(b), block_streams(chains, b, pass.seed, pass.tick));
        });
        make_sweeps(pass.ranks, pass.stage, chains, sweeps_, pass.seed, pass.tick);
        SlotsByPart slots(std::move(ends));
        for (Index slot = 0; slot < chains.local_size(); ++slot) {
            const auto p = slots.part_of(chains.layout().first_local_item() + slot, pass.parts.size());
            chains.log_weights()[at(slot)] = pass.parts[p].log_weight - std::log(static_cast<double>(sizes[p]));
        }
        return {chains, std::move(slots)};
    }

  private:
    Index sweeps_;
};

} // namespace

std::unique_ptr<Generator> reseeding(Index sweeps) {
    return std::make_unique<Reseeding>(sweeps);
}

} // namespace pearlite::algorithm
