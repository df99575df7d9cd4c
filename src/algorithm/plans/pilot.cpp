#include "algorithm/plans/pilot.hpp"

#include "algorithm/common/annealed_population.hpp"
#include "pearlite/random/stream.hpp"

#include <utility>

namespace pearlite::algorithm {

std::unique_ptr<Sampler> after_population(const PilotTask& task, Piloted::MakeMain make_main,
                                          PilotReference reference) {
    return std::make_unique<Piloted>(
        task.ranks,
        annealed_population(task.ranks, task.target, task.temperatures, *task.kernel(nullptr), task.population),
        std::move(make_main), reference);
}

random::Seed pilot_seed(const random::Seed& seed) {
    return random::derive_seed(seed, std::uint64_t{1} << 63);
}

} // namespace pearlite::algorithm
