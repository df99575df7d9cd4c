#pragma once
/// Final particles as pictures.

#include "algorithm/common/sampler.hpp"
#include "parallel/communicator.hpp"
#include "pearlite/model/energy/detail/space.hpp"
#include "pearlite/model/target.hpp"

#include <optional>

namespace pearlite::app {

/// Final particles as pictures.
using model::Images;

/// Collective. The first hundred particles of a sampler's population that target the end of the path. Nothing elsewhere
/// than on rank 0. The target offers ParticleImages.
std::optional<Images> gather_images(const parallel::Communicator& ranks, const model::Target& target,
                                    algorithm::Sampler& sampler, double inverse_temperature_end);

} // namespace pearlite::app
