#pragma once
// Declarations shared by the sources of the communicator. A communicator without MPI (alone) has no `group`.

#include "parallel/communicator.hpp"
#include "parallel/rank_costs.hpp"
#include "parallel/shared_memory/meeting.hpp"

#include <boost/mpi/communicator.hpp>
#include <cstddef>
#include <optional>
#include <vector>

namespace pearlite::parallel {

struct Communicator::Implementation {
    std::optional<boost::mpi::communicator> group;
    std::size_t largest_message = std::size_t{1} << 30; // bytes; MPI 3 counts in int
    std::shared_ptr<Meeting> meeting = {};              // of ranks that share cores: collectives that fit use it
};

struct Communicator::Request::Implementation {
    std::vector<MPI_Request> parts; // one for each message of at most largest_message bytes
    bool sending = false;
    bool sleeps = false; // while it waits, because ranks share cores
};

namespace detail {

/// Tags from 32000 to the largest that MPI promises are the layer's own.
inline constexpr int largest_tag = 32767;
inline constexpr int exchange_tag = 32000;
inline constexpr int gather_tag = 32001;
inline constexpr int all_to_all_tag = 32002;
inline constexpr int no_message_tag = 32003;
inline constexpr int letter_tag = 32004;

/// The counts behind message_count() and forgone_count().
MessageCount& counted();
MessageCount& forgone();

inline void count_reduction(std::size_t words, MessageCount& count = counted()) {
    ++count.reductions;
    count.reduced_words += static_cast<Index>(words);
}
inline void count_collective(std::size_t bytes, MessageCount& count = counted()) {
    ++count.other_collectives;
    count.collected_bytes += static_cast<Index>(bytes);
}
inline void count_send(std::size_t bytes) {
    ++counted().sends;
    counted().sent_bytes += static_cast<Index>(bytes);
}

/// Collective over all ranks of the job, at its start: for on_this_host(), and to know whether ranks share cores.
void find_hosts();
/// Collective over the group. Null unless its ranks share cores of one machine, or if there is no memory for it.
std::shared_ptr<Meeting> open_meeting(const boost::mpi::communicator& group);

/// Turns a failed call of MPI into an Error that names it.
void check(int code, const char* routine);

/// Calls work(first, count) for the runs of at most `limit` that cover 0 .. size.
template <class Work>
void in_pieces(std::size_t size, std::size_t limit, Work&& work) {
    for (std::size_t first = 0; first < size; first += limit)
        work(first, size - first < limit ? size - first : limit);
}

} // namespace detail

} // namespace pearlite::parallel
