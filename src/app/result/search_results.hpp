#pragma once
/// What a search adds to results.h5.

#include "app/result/run.hpp"
#include "parallel/communicator.hpp"

namespace pearlite::app {

/// Collective. Rank 0's arrays; the others pass what they have, which is not looked at.
void write_search(const parallel::Communicator& ranks, io::Writer& writer, const SearchResult& search);

} // namespace pearlite::app
