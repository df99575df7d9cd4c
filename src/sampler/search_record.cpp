#include "pearlite/sampler/search_record.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::sampler {

Find best_of_ranks(const parallel::Communicator& ranks, const Find& mine, std::size_t bytes) {
    struct Key {
        double energy;
        std::int64_t iteration, chain;
    };
    const auto keys = ranks.all_gather(Key{mine.energy, mine.iteration, mine.chain});
    Find best;
    std::size_t owner = 0;
    for (std::size_t r = 0; r < keys.size(); ++r) {
        const Find find{keys[r].energy, keys[r].iteration, keys[r].chain, {}};
        if (r == 0 || find.before(best)) {
            best = find;
            owner = r;
        }
    }
    const bool is_mine = static_cast<int>(owner) == ranks.rank();
    if (is_mine)
        best.state = mine.state;
    best.state.resize(bytes);
    ranks.broadcast(std::span<std::byte>(best.state), static_cast<int>(owner));
    return best;
}

void ProgressCurve::add(std::int64_t iteration, std::int64_t evaluations, double best, double temperature) {
    iterations_.push_back(iteration);
    evaluations_.push_back(evaluations);
    best_.push_back(best);
    temperature_.push_back(temperature);
    const double step = std::ceil(static_cast<double>(iteration) * std::pow(10.0, 1 / per_decade));
    next_ = std::max(iteration + 1, static_cast<std::int64_t>(step));
}

} // namespace pearlite::sampler
