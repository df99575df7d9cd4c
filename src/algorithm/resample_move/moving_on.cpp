// ARM: S = R copies of a base set that moves on.
#include "algorithm/resample_move/generator.hpp"
#include "parallel/agreement.hpp"

#include <cstddef>
#include <vector>

namespace pearlite::algorithm {

namespace {

class MovingOn final : public Generator {
  public:
    population::Generation& generate(const Enlargement& pass) const override {
        auto& base = pass.population.generation(0);
        make_sweeps(pass.ranks, pass.stage, base, pass.sweeps, pass.seed, pass.tick);
        auto& copy = pass.population.append(base.size(), pass.block);
        parallel::together(pass.ranks, [&] {
            std::vector<std::byte> packed(pass.population.particle_bytes());
            for (Index slot = 0; slot < base.local_size(); ++slot) {
                base.pack(slot, packed);
                copy.unpack(slot, packed);
            }
            for (Index b = 0; b < copy.local_blocks(); ++b)
                pass.stage.prepare(copy.block(b));
        });
        copy.log_weights() = base.log_weights();
        return copy;
    }
};

} // namespace

std::unique_ptr<Generator> moving_on() {
    return std::make_unique<MovingOn>();
}

} // namespace pearlite::algorithm
