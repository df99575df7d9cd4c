#pragma once
/// Resampling: the same offspring on any number of ranks, and only surplus copies travel.
///
/// Weights become integers relative to the largest, so that prefix sums over ranks are exact. A particle with offspring
/// keeps its slot; the j-th surplus copy in global order fills the j-th empty slot, so survivors are never overwritten
/// and no second population is needed.

#include "pearlite/parallel/communicator.hpp"
#include "pearlite/parallel/exchange.hpp"
#include "pearlite/population/generation.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pearlite::population {

/// How offspring numbers are drawn (Douc, Cappe & Moulines 2005); each has E[offspring_i] = M W_i.
enum class Resampling { multinomial, stratified, systematic, residual };

/// The names under which configurations know them, in the order of the enumeration.
const std::vector<std::string>& resampling_names();

/// Collective. Offspring numbers of the local particles of `layout`; they sum to layout.size() over all ranks. Random
/// numbers are addressed by (seed, resample, slot of `generation`, step). NumericalError if a weight is NaN or
/// infinite, or none is > 0.
std::vector<Index> offspring(const parallel::Communicator& ranks, const parallel::BlockLayout& layout, Index generation,
                             std::span<const double> log_weights, Resampling scheme, std::uint64_t seed,
                             std::uint32_t step);

/// A copy plan for one rank: sources and targets are local slots.
struct Relocation {
    struct Copy {
        Index source;
        Index target;
    };
    /// A surplus particle bound for another rank, to be copied there `copies` times.
    struct Departure {
        Index source;
        Index copies;
    };
    std::vector<Copy> local;
    std::vector<std::vector<Departure>> departures; ///< by rank, in the order in which they are sent
    std::vector<std::vector<Index>> arrivals;       ///< by rank: the number of copies of each item that comes
    std::vector<std::vector<Index>> targets;        ///< by rank: local slots that the copies fill, in order
};

/// Collective. The plan by which `offspring` (of the local slots) is realised.
Relocation plan_relocation(const parallel::Communicator& ranks, const std::vector<Index>& offspring);

/// What a relocation moved, in particles, on this rank.
struct Traffic {
    Index local_copies = 0;
    Index sent = 0;
    Index received = 0;
};

/// Collective. Replaces the generation's particles by their offspring; Eves are inherited, log weights become 0.
/// Quantities derived from the states must be recomputed (the model's prepare) afterwards. `particle_bytes` is the size
/// of a packed particle (a rank may hold none to ask).
template <ParticleBlock B>
Traffic relocate(const parallel::Communicator& ranks, Generation<B>& generation, const std::vector<Index>& offspring,
                 std::size_t particle_bytes) {
    const auto plan = plan_relocation(ranks, offspring);
    Traffic traffic;
    auto& eves = generation.eves();

    std::vector<std::byte> packed(particle_bytes);
    for (const auto& copy : plan.local) {
        generation.pack(copy.source, packed);
        generation.unpack(copy.target, packed);
        eves[static_cast<std::size_t>(copy.target)] = eves[static_cast<std::size_t>(copy.source)];
        ++traffic.local_copies;
    }

    std::vector<parallel::Transfer> outgoing, incoming;
    for (int peer = 0; peer < ranks.size(); ++peer) {
        const auto p = static_cast<std::size_t>(peer);
        if (!plan.departures[p].empty())
            outgoing.push_back({peer, static_cast<Index>(plan.departures[p].size())});
        if (!plan.arrivals[p].empty())
            incoming.push_back({peer, static_cast<Index>(plan.arrivals[p].size())});
    }
    std::vector<std::size_t> filled(static_cast<std::size_t>(ranks.size()), 0);
    parallel::exchange(
        ranks, particle_bytes + sizeof(std::int64_t), outgoing, incoming,
        [&](int peer, Index item, std::span<std::byte> out) {
            const auto source = plan.departures[static_cast<std::size_t>(peer)][static_cast<std::size_t>(item)].source;
            generation.pack(source, out.first(particle_bytes));
            std::memcpy(out.data() + particle_bytes, &eves[static_cast<std::size_t>(source)], sizeof(std::int64_t));
            ++traffic.sent;
        },
        [&](int peer, Index item, std::span<const std::byte> in) {
            const auto p = static_cast<std::size_t>(peer);
            for (Index copy = 0; copy < plan.arrivals[p][static_cast<std::size_t>(item)]; ++copy) {
                const Index target = plan.targets[p][filled[p]++];
                generation.unpack(target, in.first(particle_bytes));
                std::memcpy(&eves[static_cast<std::size_t>(target)], in.data() + particle_bytes, sizeof(std::int64_t));
            }
            ++traffic.received;
        });
    std::fill(generation.log_weights().begin(), generation.log_weights().end(), 0.0);
    return traffic;
}

} // namespace pearlite::population
