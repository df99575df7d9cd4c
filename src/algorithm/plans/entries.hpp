#pragma once
/// The entries of list_of_algorithms.inl, each defined in the algorithm's own folder.

#include "algorithm/plans/algorithm.hpp"

#include <memory>
#include <vector>

namespace pearlite::algorithm {

#define PEARLITE_ALGORITHM(name) std::shared_ptr<const Algorithm> name##_entry();
#define PEARLITE_ALGORITHM_FAMILY(name) std::vector<std::shared_ptr<const Algorithm>> name##_entries();
#include "algorithm/plans/list_of_algorithms.inl"
#undef PEARLITE_ALGORITHM
#undef PEARLITE_ALGORITHM_FAMILY

/// All of them, in the order of the list.
const std::vector<std::shared_ptr<const Algorithm>>& entries();

} // namespace pearlite::algorithm
