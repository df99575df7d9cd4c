#pragma once
/// What a session of a run has needed.

#include "parallel/communicator.hpp"
#include "parallel/message_count.hpp"

namespace pearlite::app {

/// Since the program started, each on the rank that needed most of it.
struct Resources {
    Index peak_memory_bytes = 0; ///< resident
    Index sent_bytes = 0;        ///< from rank to rank
    Index reduced_words = 0;     ///< of 8 bytes, in sums and maxima
    Index collected_bytes = 0;   ///< that all ranks handed in together to gathers and broadcasts
};

/// Collective; the same on every rank.
Resources resources_of(const parallel::Communicator& ranks);

} // namespace pearlite::app
