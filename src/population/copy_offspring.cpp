// Copies offspring into a new generation; in resampling.cpp they take the places of the lost particles.
#include "parallel/exchange.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "population/resampling.hpp"

#include <algorithm>
#include <cstring>

namespace pearlite::population {

namespace {

/// Places first .. end-1 of copies, in the order of their parents' slots, which is that of the children's slots.
struct CopyRange {
    Index first = 0, end = 0;
    Index size() const { return end - first; }
};

CopyRange common(const CopyRange& a, const CopyRange& b) {
    const Index first = std::max(a.first, b.first);
    return {first, std::max(first, std::min(a.end, b.end))};
}

/// The copies that each rank's parents give.
std::vector<CopyRange> given_by_ranks(const parallel::Communicator& ranks, Index first, Index here) {
    std::vector<CopyRange> given;
    Index end = first;
    for (const Index count : ranks.all_gather(here)) {
        given.push_back({end, end + count});
        end += count;
    }
    return given;
}

} // namespace

Index copy_offspring(const parallel::Communicator& ranks, const Generation& parents,
                     const std::vector<Index>& offspring, Generation& children, std::size_t particle_bytes,
                     Index first_slot, std::span<const double> log_weights) {
    PEARLITE_EXPECTS(log_weights.empty() || std::ssize(log_weights) == parents.local_size());
    std::vector<Index> sources; ///< local slot of each copy's parent
    for (std::size_t i = 0; i < offspring.size(); ++i)
        sources.insert(sources.end(), static_cast<std::size_t>(offspring[i]), static_cast<Index>(i));
    const auto given = given_by_ranks(ranks, first_slot, static_cast<Index>(sources.size()));
    PEARLITE_EXPECTS(given.back().end <= children.size());
    const auto taken_by = [&](int rank) {
        return CopyRange{children.layout().first_item(rank), children.layout().first_item(rank + 1)};
    };
    const auto me = static_cast<std::size_t>(ranks.rank());
    const auto here = taken_by(ranks.rank());

    const auto pack = [&](Index copy, std::span<std::byte> out) {
        const Index source = sources[static_cast<std::size_t>(copy - given[me].first)];
        parents.pack(source, out.first(particle_bytes));
        std::memcpy(out.data() + particle_bytes, &parents.eves()[static_cast<std::size_t>(source)],
                    sizeof(std::int64_t));
        const double log_weight = log_weights.empty() ? 0 : log_weights[static_cast<std::size_t>(source)];
        std::memcpy(out.data() + particle_bytes + sizeof(std::int64_t), &log_weight, sizeof(double));
    };
    const auto unpack = [&](Index copy, std::span<const std::byte> in) {
        children.unpack(copy - here.first, in.first(particle_bytes));
        const auto slot = static_cast<std::size_t>(copy - here.first);
        std::memcpy(&children.eves()[slot], in.data() + particle_bytes, sizeof(std::int64_t));
        std::memcpy(&children.log_weights()[slot], in.data() + particle_bytes + sizeof(std::int64_t), sizeof(double));
    };

    std::vector<std::byte> packed(particle_bytes + sizeof(std::int64_t) + sizeof(double));
    const auto kept = common(given[me], here);
    for (Index copy = kept.first; copy < kept.end; ++copy) {
        pack(copy, packed);
        unpack(copy, packed);
    }
    std::vector<CopyRange> leaving(given.size()), arriving(given.size());
    std::vector<parallel::Transfer> outgoing, incoming;
    for (int peer = 0; peer < ranks.size(); ++peer) {
        if (peer == ranks.rank())
            continue;
        const auto p = static_cast<std::size_t>(peer);
        leaving[p] = common(given[me], taken_by(peer));
        arriving[p] = common(given[p], here);
        if (leaving[p].size() > 0)
            outgoing.push_back({peer, leaving[p].size()});
        if (arriving[p].size() > 0)
            incoming.push_back({peer, arriving[p].size()});
    }
    parallel::exchange(
        ranks, packed.size(), outgoing, incoming,
        [&](int peer, Index item, std::span<std::byte> out) {
            pack(leaving[static_cast<std::size_t>(peer)].first + item, out);
        },
        [&](int peer, Index item, std::span<const std::byte> in) {
            unpack(arriving[static_cast<std::size_t>(peer)].first + item, in);
        });
    return given.back().end;
}

} // namespace pearlite::population
