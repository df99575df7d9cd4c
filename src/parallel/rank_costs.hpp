#pragma once
/// Costs of this rank: messages, collectives, and processor time.

#include "pearlite/core/types.hpp"

namespace pearlite::parallel {

/// Counts since the program started, over all communicators but those of alone().
struct MessageCount {
    Index reductions = 0, reduced_words = 0;          ///< sums and maxima over ranks; words of 8 bytes
    Index other_collectives = 0, collected_bytes = 0; ///< broadcasts, gathers: bytes that a rank gets
    Index sends = 0, sent_bytes = 0;                  ///< messages to one other rank

    MessageCount operator-(const MessageCount& earlier) const {
        return {reductions - earlier.reductions,
                reduced_words - earlier.reduced_words,
                other_collectives - earlier.other_collectives,
                collected_bytes - earlier.collected_bytes,
                sends - earlier.sends,
                sent_bytes - earlier.sent_bytes};
    }
    MessageCount operator+(const MessageCount& other) const { return *this - (MessageCount{} - other); }
    bool operator==(const MessageCount&) const = default;
};

/// The count so far.
MessageCount message_count();
/// The collectives of alone() so far, which more ranks would have to make; no messages are among them.
MessageCount forgone_count();

/// Processor seconds of this thread, from an arbitrary beginning: waiting, and time given to other programs, do
/// not count. A call takes some 0.3 us. The clock may decide which rank gets which work; results never depend on it.
double work_seconds();

} // namespace pearlite::parallel
