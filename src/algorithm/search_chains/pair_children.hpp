#pragma once
/// The children of pairs, and a pair's log acceptance of them.

#include "algorithm/searches/search_settings.hpp"
#include "algorithm/stochastic_approximation/search_memory.hpp"
#include "parallel/layout.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The facts of a child by which its pair decides.
struct Child {
    double energy = 0, log_ratio = 0;
    Index region = 0;
};

/// Collective. The children of all chains on every rank, from the proposals of this rank's chains.
std::vector<Child> gather_children(const parallel::Communicator& ranks, const parallel::BlockLayout& chains,
                                   const model::Proposals& proposals, std::span<const Index> proposed_regions);

/// The log acceptance of the pair of chains `one` and `other`; `children` holds the children of all chains.
double log_acceptance_of_pair(const SearchMemory& memory, const SearchSettings& settings, double temperature,
                              std::span<const Child> children, std::size_t one, std::size_t other);

} // namespace pearlite::algorithm
