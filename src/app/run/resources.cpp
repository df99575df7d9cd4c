#include "app/run/resources.hpp"

#include <sys/resource.h>

namespace pearlite::app {

Resources resources_of(const parallel::Communicator& ranks) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto messages = parallel::message_count();
    return {ranks.max(static_cast<Index>(usage.ru_maxrss) * 1024), ranks.max(messages.sent_bytes),
            ranks.max(messages.reduced_words), ranks.max(messages.collected_bytes)};
}

} // namespace pearlite::app
