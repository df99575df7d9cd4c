#pragma once
/// A density that stops growing early.

#include "pearlite/model/detail/growing_target.hpp"

#include <memory>

namespace pearlite::model {

/// The first n variables of a density that grows to more; `all` itself if it has just n. Only the capability
/// ParticleImages is kept. ContractViolation unless n is at least 1, and at most the number of variables.
std::shared_ptr<const GrowingTarget> first_variables(std::shared_ptr<const GrowingTarget> all, Index n);

} // namespace pearlite::model
