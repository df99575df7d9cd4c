// ARM: the base set moves, and S = R copies of its particles after the moves are new.
#include "algorithm/resample_move/generator.hpp"

namespace pearlite::algorithm {

namespace {

class MovingOn final : public Generator {
  public:
    Added generate(const Enlargement& pass) const override {
        auto& base = pass.population.generation(0);
        make_sweeps(pass.ranks, pass.stage, base, pass.sweeps, pass.seed, pass.tick);
        return append_copy_of_base(pass);
    }
};

} // namespace

std::unique_ptr<Generator> moving_on() {
    return std::make_unique<MovingOn>();
}

} // namespace pearlite::algorithm
