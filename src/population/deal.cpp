#include "pearlite/population/deal.hpp"

#include <algorithm>

namespace pearlite::population::detail {

Run common_run(const parallel::BlockLayout& a, int from, const parallel::BlockLayout& b, int to) {
    const Index first = std::max(a.first_item(from), b.first_item(to));
    return {first, std::max(first, std::min(a.first_item(from + 1), b.first_item(to + 1)))};
}

} // namespace pearlite::population::detail
