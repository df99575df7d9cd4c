#pragma once
/// A density that stops growing early.

#include "pearlite/model/detail/growing_target.hpp"

#include <memory>

namespace pearlite::model {

/// The first n variables of a density that grows to more; the same if there are no more. Of its capabilities it has
/// ParticleImages. ContractViolation unless n is 1 or more, and at most as many as there are.
std::shared_ptr<const GrowingTarget> first_variables(std::shared_ptr<const GrowingTarget> all, Index n);

} // namespace pearlite::model
