#pragma once
/// Blocks dealt to ranks in several ways.

#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <vector>

namespace pearlite::population::testing {

/// `size` items in blocks of `block`: in equal runs, all with the last rank, and in runs cut at random. The same on all
/// ranks.
inline std::vector<parallel::BlockLayout> uneven_layouts(const parallel::Communicator& ranks, Index size, Index block) {
    const parallel::BlockLayout equal(size, block, ranks.size(), ranks.rank());
    random::Stream stream({63, random::Purpose::test, static_cast<std::uint64_t>(size), 0});
    std::vector<Index> last(static_cast<std::size_t>(ranks.size()) + 1, 0), cut{0};
    last.back() = equal.blocks();
    for (int rank = 1; rank < ranks.size(); ++rank)
        cut.push_back(static_cast<Index>(stream.index(static_cast<std::uint64_t>(equal.blocks()) + 1)));
    cut.push_back(equal.blocks());
    std::sort(cut.begin(), cut.end());
    return {equal, equal.with_runs(last), equal.with_runs(cut)};
}

} // namespace pearlite::population::testing
