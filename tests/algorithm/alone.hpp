#pragma once
/// The communicator of a process without others, on which tests of one rank run.

#include "parallel/communicator.hpp"

namespace pearlite::algorithm {

inline const auto alone = parallel::Communicator::alone();

} // namespace pearlite::algorithm
