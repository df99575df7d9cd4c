// ARM-anticipate: N_r = max(1, floor(R W_{n+1}^r)) copies of particle r, each of weight W_n^r/N_r, W normalised. Each
// particle has a copy, since a particle without one would be missing from p_n. The base set takes the places of the
// first copies after their moves: the next pass splits it there.
#include "algorithm/resample_move/generator.hpp"
#include "population/resampling.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

namespace {

class Anticipating final : public Generator {
  public:
    bool looks_ahead() const override { return true; }

    Added generate(const Enlargement& pass) const override {
        auto& base = pass.population.generation(0);
        const auto log_weights = base.log_weights();
        std::vector<Index> others(log_weights.size()); // copies beside the first one
        std::vector<double> of_copies(log_weights.size());
        const auto of_base = slots_of_base(pass.parts);
        std::vector<Index> of_part(pass.parts.size(), 0); // of these
        for (std::size_t r = 0; r < others.size(); ++r) {
            const Index copies = std::max<Index>(1, static_cast<Index>(std::floor(pass.next_shares[r])));
            others[r] = copies - 1;
            of_copies[r] = log_weights[r] - std::log(static_cast<double>(copies));
            of_part[of_base.part_of(base.layout().first_local_item() + static_cast<Index>(r), of_part.size())] +=
                others[r];
        }
        auto slots = of_base; // the first copies, then the others
        for (const Index more : of_part)
            slots.ends().push_back(slots.ends().back() + pass.ranks.sum(more));
        auto& split = pass.population.append(slots.ends().back(), pass.block);
        const auto copy = [&](const population::Generation& from, const std::vector<Index>& numbers,
                              population::Generation& to, Index first_slot, const std::vector<double>& weights) {
            population::copy_offspring(pass.ranks, from, numbers, to, pass.population.particle_bytes(), first_slot,
                                       weights);
        };
        copy(base, std::vector<Index>(others.size(), 1), split, 0, of_copies);
        copy(base, others, split, base.size(), of_copies);
        prepare_copies(pass, split);
        make_sweeps(pass.ranks, pass.stage, split, pass.sweeps, pass.seed, pass.tick);

        std::vector<Index> is_first(static_cast<std::size_t>(split.local_size()));
        for (std::size_t i = 0; i < is_first.size(); ++i)
            is_first[i] = split.layout().first_local_item() + static_cast<Index>(i) < base.size() ? 1 : 0;
        copy(split, is_first, base, 0, {});
        base.log_weights() = log_weights;
        prepare_copies(pass, base);
        return {split, std::move(slots)};
    }
};

} // namespace

std::unique_ptr<Generator> anticipating() {
    return std::make_unique<Anticipating>();
}

} // namespace pearlite::algorithm
