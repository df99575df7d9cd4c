#pragma once
/// Work on blocks of unequal cost, shared among ranks. Nothing here changes a number.

#include "pearlite/model/target.hpp"
#include "population/population.hpp"
#include "population/work_balance.hpp"

#include <optional>
#include <vector>

namespace pearlite::algorithm {

/// Collective, once a step. Runs of the blocks of generation 0 that give the ranks more equal work, if it is time to
/// look and dealing the blocks would pay.
std::optional<std::vector<Index>> better_runs(const parallel::Communicator& ranks, const model::Target& target,
                                              const population::Population& population, population::WorkBalance& work);

/// Collective. Gives rank r the blocks of generation 0 from first_blocks[r] up to first_blocks[r + 1].
void deal_blocks(const parallel::Communicator& ranks, const model::Target& target, population::Population& population,
                 std::vector<Index> first_blocks);

} // namespace pearlite::algorithm
