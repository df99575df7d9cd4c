#include "population/resampling.hpp"

#include "core/log_space.hpp"
#include "parallel/exchange.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace pearlite::population {

namespace {

/// Integer weights: round(w / max w * 2^(62 - ceil(log2 M))), so that their sum over M particles stays below 2^63.
std::vector<std::uint64_t> integer_weights(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                                           std::span<const double> log_weights) {
    const double log_max = largest_log_weight(ranks, layout, log_weights);
    if (log_max == log_zero)
        throw NumericalError("resampling: no particle has a positive weight");
    const int bits = std::bit_width(static_cast<std::uint64_t>(layout.size() - 1));
    const double scale = std::ldexp(1.0, 62 - bits);
    std::vector<std::uint64_t> weights(log_weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = static_cast<std::uint64_t>(std::nearbyint(std::exp(log_weights[i] - log_max) * scale));
    return weights;
}

/// The stream that gives point n of a resampling its position.
random::Stream point(const random::Seed& seed, Index generation, Index n, std::uint32_t step) {
    return random::Stream({seed, random::Purpose::resample, random::slot_id(generation, n), step});
}

/// Offspring from the number of points below a prefix sum, count(prefix), which must be monotone.
template <class Count>
std::vector<Index> by_prefix(std::span<const std::uint64_t> weights, WideCount before, Count&& count) {
    std::vector<Index> numbers(weights.size());
    WideCount prefix = before;
    Index below = count(prefix);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        prefix += weights[i];
        const Index next = count(prefix);
        numbers[i] = next - below;
        below = next;
    }
    return numbers;
}

/// Adds to `numbers` the outcome of n_points independent draws of a particle with probability weight / total. Each rank
/// draws its share of the points and sends their positions to the ranks that own them.
void add_multinomial(const parallel::Communicator& ranks, std::span<const WideCount> weights, Index n_points,
                     Index generation, const random::Seed& seed, std::uint32_t step, std::vector<Index>& numbers) {
    WideCount local_total = 0;
    std::vector<WideCount> ends(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
        ends[i] = local_total += weights[i];

    std::vector<WideCount> rank_ends = ranks.all_gather(local_total);
    for (std::size_t r = 1; r < rank_ends.size(); ++r)
        rank_ends[r] += rank_ends[r - 1];
    const WideCount total = rank_ends.back();
    const WideCount before = rank_ends[static_cast<std::size_t>(ranks.rank())] - local_total;

    const parallel::BlockLayout shares(n_points, 1, ranks.size(), ranks.rank());
    std::vector<std::vector<WideCount>> outgoing(static_cast<std::size_t>(ranks.size()));
    for (Index n = shares.first_local_item(); n < shares.first_local_item() + shares.local_items(); ++n) {
        const WideCount position = point(seed, generation, n, step).index128(total);
        const auto owner = std::upper_bound(rank_ends.begin(), rank_ends.end(), position) - rank_ends.begin();
        outgoing[static_cast<std::size_t>(owner)].push_back(position);
    }
    for (const auto& positions : ranks.all_to_all(outgoing))
        for (const WideCount position : positions)
            ++numbers[static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), position - before) -
                                               ends.begin())];
}

/// floor(M W) copies for certain, the rest multinomial on the remainders (Liu & Chen 1998).
std::vector<Index> residual(const parallel::Communicator& ranks, std::span<const std::uint64_t> weights,
                            WideCount total, Index size, Index generation, const random::Seed& seed,
                            std::uint32_t step) {
    std::vector<Index> numbers(weights.size());
    std::vector<WideCount> remainders(weights.size());
    Index certain = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const WideCount scaled = static_cast<WideCount>(size) * weights[i];
        numbers[i] = static_cast<Index>(scaled / total);
        remainders[i] = scaled % total;
        certain += numbers[i];
    }
    const Index left = size - ranks.sum(certain);
    if (left > 0)
        add_multinomial(ranks, remainders, left, generation, seed, step, numbers);
    return numbers;
}

} // namespace

std::vector<Index> offspring(const parallel::Communicator& ranks, const parallel::BlockLayout& layout, Index generation,
                             std::span<const double> log_weights, Resampling scheme, const random::Seed& seed,
                             std::uint32_t step, std::optional<Index> n_offspring) {
    PEARLITE_EXPECTS(static_cast<Index>(log_weights.size()) == layout.local_items() && layout.size() >= 1);
    const auto weights = integer_weights(ranks, layout, log_weights);
    WideCount local = 0;
    for (const auto w : weights)
        local += w;
    const auto [before, total] = parallel::exclusive_scan(ranks, local);
    const Index n_points = n_offspring.value_or(layout.size());
    const auto size = static_cast<WideCount>(n_points);

    switch (scheme) {
    case Resampling::systematic: {
        // Points (U + n T)/M of M, n = 0..M-1, U uniform on 0..T-1: below prefix P lie ceil((M P - U)/T).
        const WideCount u = point(seed, generation, 0, step).index128(total);
        return by_prefix(weights, before, [&, t = total](WideCount prefix) {
            const WideCount scaled = size * prefix;
            return scaled <= u ? Index{0} : static_cast<Index>((scaled - u + t - 1) / t);
        });
    }
    case Resampling::stratified:
        // Points (U_n + n T)/M: those of all strata wholly below the prefix, and perhaps that of the stratum it cuts.
        return by_prefix(weights, before, [&, t = total](WideCount prefix) {
            const WideCount scaled = size * prefix;
            const auto whole = static_cast<Index>(scaled / t);
            if (whole == n_points)
                return whole;
            const WideCount u = point(seed, generation, whole, step).index128(t);
            return whole + (u < scaled % t ? 1 : 0);
        });
    case Resampling::multinomial: {
        std::vector<Index> numbers(weights.size());
        const std::vector<WideCount> wide(weights.begin(), weights.end());
        add_multinomial(ranks, wide, n_points, generation, seed, step, numbers);
        return numbers;
    }
    case Resampling::residual:
        return residual(ranks, weights, total, n_points, generation, seed, step);
    }
    throw ContractViolation("offspring: unknown resampling scheme");
}

Relocation plan_relocation(const parallel::Communicator& ranks, const std::vector<Index>& offspring) {
    struct Counts {
        Index surplus, empty;
    };
    Counts local{0, 0};
    std::vector<Index> empty_slots;
    for (std::size_t i = 0; i < offspring.size(); ++i) {
        local.surplus += std::max<Index>(offspring[i] - 1, 0);
        if (offspring[i] == 0)
            empty_slots.push_back(static_cast<Index>(i));
    }
    local.empty = static_cast<Index>(empty_slots.size());

    // The global indices of each rank's first surplus copy and first empty slot.
    const auto counts = ranks.all_gather(local);
    std::vector<Index> surplus_begin{0}, empty_begin{0};
    for (const auto& c : counts) {
        surplus_begin.push_back(surplus_begin.back() + c.surplus);
        empty_begin.push_back(empty_begin.back() + c.empty);
    }
    PEARLITE_EXPECTS(surplus_begin.back() == empty_begin.back());

    const auto n_ranks = static_cast<std::size_t>(ranks.size());
    const auto me = static_cast<std::size_t>(ranks.rank());
    Relocation plan;
    plan.departures.resize(n_ranks);
    plan.targets.resize(n_ranks);
    Index copy = surplus_begin[me];
    std::size_t owner = 0;
    for (std::size_t i = 0; i < offspring.size(); ++i)
        for (Index left = offspring[i] - 1; left > 0;) {
            while (copy >= empty_begin[owner + 1])
                ++owner;
            const Index here = std::min(left, empty_begin[owner + 1] - copy);
            const auto source = static_cast<Index>(i);
            if (owner == me)
                for (Index k = 0; k < here; ++k)
                    plan.local.push_back({source, empty_slots[static_cast<std::size_t>(copy + k - empty_begin[me])]});
            else
                plan.departures[owner].push_back({source, here});
            copy += here;
            left -= here;
        }

    std::vector<std::vector<Index>> multiplicities(n_ranks);
    for (std::size_t r = 0; r < n_ranks; ++r)
        for (const auto& departure : plan.departures[r])
            multiplicities[r].push_back(departure.copies);
    plan.arrivals = ranks.all_to_all(multiplicities);

    for (std::size_t r = 0; r < n_ranks; ++r) {
        if (r == me)
            continue;
        const Index first = std::max(surplus_begin[r], empty_begin[me]);
        const Index last = std::min(surplus_begin[r + 1], empty_begin[me + 1]);
        for (Index j = first; j < last; ++j)
            plan.targets[r].push_back(empty_slots[static_cast<std::size_t>(j - empty_begin[me])]);
    }
    return plan;
}

Traffic relocate(const parallel::Communicator& ranks, Generation& generation, const std::vector<Index>& offspring,
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
