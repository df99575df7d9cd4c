#include "algorithm/common/found.hpp"

#include "algorithm/common/sampler.hpp"
#include "parallel/states.hpp"

namespace pearlite::algorithm {

Found Found::replicate(Index r) const {
    PEARLITE_EXPECTS(has_replicate(r));
    return replicates.empty() ? *this : replicates[static_cast<std::size_t>(r)]->found();
}

Matrix Found::learnt() const {
    if (kernel)
        return kernel->learnt();
    return learnt_by_pilot ? *learnt_by_pilot : Matrix();
}

std::vector<population::Share> shares_of(const parallel::Communicator& ranks, const Found& found, Index replicate) {
    return population::shares_of(ranks,
                                 found.has_replicate(replicate) ? found.replicate(replicate).population : nullptr);
}

namespace {

struct Numbered {
    Index replicate = 0;

    void fields(Fields& f) { f("replicate", replicate); }
};

/// Collective. One state of each replicate, in their order, on rank 0.
template <class State, class Of>
std::vector<State> gather_by_replicate(const parallel::Communicator& ranks, const Found& found, const Of& of) {
    if (found.replicates.empty())
        return ranks.is_root() ? std::vector<State>{of(found)} : std::vector<State>();
    std::vector<State> mine;
    std::vector<Numbered> my_places;
    for (Index r = 0; r < found.n_replicates(); ++r)
        if (found.has_replicate(r)) {
            mine.push_back(of(found.replicate(r)));
            my_places.push_back({r});
        }
    const bool speaks = found.team_of(ranks).is_root();
    const auto states = parallel::gather_states(ranks, speaks, mine);
    const auto places = parallel::gather_states(ranks, speaks, my_places);
    std::vector<State> ordered(states.size());
    for (std::size_t k = 0; k < states.size(); ++k)
        ordered[static_cast<std::size_t>(places[k].replicate)] = states[k];
    return ordered;
}

} // namespace

std::vector<Trace> traces_of(const parallel::Communicator& ranks, const Found& found) {
    return gather_by_replicate<Trace>(ranks, found, [](const Found& one) { return *one.trace; });
}

std::vector<GrowthRecord> growth_records_of(const parallel::Communicator& ranks, const Found& found) {
    if (found.growth == nullptr)
        return {};
    return gather_by_replicate<GrowthRecord>(ranks, found, [](const Found& one) { return *one.growth; });
}

} // namespace pearlite::algorithm
