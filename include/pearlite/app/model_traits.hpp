#pragma once
/// Facts about a model that the other tables of a configuration depend on.

#include "pearlite/app/search_traits.hpp"
#include "pearlite/core/types.hpp"
#include "pearlite/sampler/reverse_start.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

struct ModelTraits {
    std::string name;
    Index default_block = 16;
    Index largest_block = 4096;
    bool continuous = false; ///< moved by a generic kernel with tuned proposals; else by the model's own transition
    double largest_inverse_temperature = 1;  ///< of path.inverse_temperature_end
    bool is_time_reversible = false;         ///< trajectories can run backwards
    std::optional<SearchTraits> search = {}; ///< of an energy to be searched; else the model is annealed
    std::string particles_key = {};          ///< key of [model] with the particles of an estimated likelihood
    /// How reverse trajectories can start, the best first; never empty. Known once the model is built.
    std::vector<sampler::ReverseStart> reverse_starts = {sampler::ReverseStart::exact, sampler::ReverseStart::mode,
                                                         sampler::ReverseStart::data, sampler::ReverseStart::weighted};
};

} // namespace pearlite::app
