#include "population/resampling.hpp"

#include "parallel/exchange.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pearlite::population {

namespace {

/// Particles of all generations on all ranks.
Index size_of(std::span<const WeightedParticles> generations) {
    Index size = 0;
    for (const auto& generation : generations)
        size += generation.layout->size();
    return size;
}

/// The particles of several generations here, one after another, with integer weights round(w / max w * 2^(62 -
/// ceil(log2 M))), so that the sum over all M particles stays below 2^63.
struct IntegerWeights {
    std::vector<std::uint64_t> here;
    std::vector<std::size_t> begins; ///< of each generation in `here`, and its end
    std::vector<WideCount> before;   ///< of each generation: the sum over all particles before its first one here
    WideCount total = 0;

    std::span<const std::uint64_t> of(std::size_t g) const {
        return std::span(here).subspan(begins[g], begins[g + 1] - begins[g]);
    }
};

/// Where the sums begin that follow each other generation by generation, and within them rank by rank.
template <class Weights>
void find_sums(const parallel::Communicator& ranks, const Weights& here, std::span<const std::size_t> begins,
               std::vector<WideCount>& before, WideCount& total) {
    total = 0;
    before.clear();
    for (std::size_t g = 0; g + 1 < begins.size(); ++g) {
        WideCount local = 0;
        for (std::size_t i = begins[g]; i < begins[g + 1]; ++i)
            local += here[i];
        const auto scan = parallel::exclusive_scan(ranks, local);
        before.push_back(total + scan.before);
        total += scan.total;
    }
}

double largest_of(const parallel::Communicator& ranks, std::span<const WeightedParticles> generations) {
    double log_max = log_zero;
    for (const auto& generation : generations)
        log_max = std::max(log_max, largest_log_weight(ranks, *generation.layout, generation.log_weights));
    return log_max;
}

IntegerWeights integer_weights(const parallel::Communicator& ranks, std::span<const WeightedParticles> generations,
                               double log_max) {
    if (log_max == log_zero)
        throw NumericalError("resampling: no particle has a positive weight");
    const int bits = std::bit_width(static_cast<std::uint64_t>(size_of(generations) - 1));
    const double scale = std::ldexp(1.0, 62 - bits);
    IntegerWeights weights{{}, {0}, {}, 0};
    for (const auto& generation : generations) {
        for (const double log_weight : generation.log_weights)
            weights.here.push_back(static_cast<std::uint64_t>(std::nearbyint(std::exp(log_weight - log_max) * scale)));
        weights.begins.push_back(weights.here.size());
    }
    find_sums(ranks, weights.here, weights.begins, weights.before, weights.total);
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

/// Adds to `numbers` the outcome of n_points independent draws of a particle with probability weight / total; weights
/// of several generations are one after another, as `begins` says. Each rank draws its share of the points and sends
/// their positions to the ranks that own them.
void add_multinomial(const parallel::Communicator& ranks, std::span<const WideCount> weights,
                     std::span<const std::size_t> begins, Index n_points, Index generation, const random::Seed& seed,
                     std::uint32_t step, std::vector<Index>& numbers) {
    std::vector<WideCount> before;
    WideCount total = 0;
    find_sums(ranks, weights, begins, before, total);
    std::vector<WideCount> ends(weights.size()), run_ends; // of the run of each generation here
    for (std::size_t g = 0; g < before.size(); ++g) {
        WideCount end = before[g];
        for (std::size_t i = begins[g]; i < begins[g + 1]; ++i)
            ends[i] = end += weights[i];
        run_ends.push_back(end);
    }
    // In the order of the sums: generation by generation, the ranks within it.
    const auto n_ranks = static_cast<std::size_t>(ranks.size());
    const auto gathered = ranks.all_gather(std::span<const WideCount>(run_ends));
    std::vector<WideCount> all_ends;
    for (std::size_t g = 0; g < before.size(); ++g)
        for (std::size_t r = 0; r < n_ranks; ++r)
            all_ends.push_back(gathered[r * before.size() + g]);

    const parallel::BlockLayout shares(n_points, 1, ranks.size(), ranks.rank());
    std::vector<std::vector<WideCount>> outgoing(n_ranks);
    for (Index n = shares.first_local_item(); n < shares.first_local_item() + shares.local_items(); ++n) {
        const WideCount position = point(seed, generation, n, step).index128(total);
        const auto run = std::upper_bound(all_ends.begin(), all_ends.end(), position) - all_ends.begin();
        outgoing[static_cast<std::size_t>(run) % n_ranks].push_back(position);
    }
    for (const auto& positions : ranks.all_to_all(outgoing))
        for (const WideCount position : positions)
            ++numbers[static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), position) - ends.begin())];
}

/// floor(M W) copies for certain, the rest multinomial on the remainders (Liu & Chen 1998).
std::vector<Index> residual(const parallel::Communicator& ranks, const IntegerWeights& weights, Index size,
                            Index generation, const random::Seed& seed, std::uint32_t step) {
    std::vector<Index> numbers(weights.here.size());
    std::vector<WideCount> remainders(weights.here.size());
    Index certain = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const WideCount scaled = static_cast<WideCount>(size) * weights.here[i];
        numbers[i] = static_cast<Index>(scaled / weights.total);
        remainders[i] = scaled % weights.total;
        certain += numbers[i];
    }
    const Index left = size - ranks.sum(certain);
    if (left > 0)
        add_multinomial(ranks, remainders, weights.begins, left, generation, seed, step, numbers);
    return numbers;
}

} // namespace

std::vector<std::vector<Index>> offspring(const parallel::Communicator& ranks,
                                          std::span<const WeightedParticles> generations, Index generation,
                                          Resampling scheme, const random::Seed& seed, std::uint32_t step,
                                          Index n_offspring, std::optional<double> log_max) {
    for (const auto& each : generations)
        PEARLITE_EXPECTS(std::ssize(each.log_weights) == each.layout->local_items() && each.layout->size() >= 1);
    const auto weights = integer_weights(ranks, generations, log_max ? *log_max : largest_of(ranks, generations));
    const auto size = static_cast<WideCount>(n_offspring), total = weights.total;
    const auto split = [&](const std::vector<Index>& numbers) {
        std::vector<std::vector<Index>> lists;
        for (std::size_t g = 0; g < generations.size(); ++g)
            lists.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(weights.begins[g]),
                               numbers.begin() + static_cast<std::ptrdiff_t>(weights.begins[g + 1]));
        return lists;
    };
    const auto by_prefixes = [&](const auto& count) {
        std::vector<std::vector<Index>> lists;
        for (std::size_t g = 0; g < generations.size(); ++g)
            lists.push_back(by_prefix(weights.of(g), weights.before[g], count));
        return lists;
    };

    switch (scheme) {
    case Resampling::systematic: {
        // Points (U + n T)/M of M, n = 0..M-1, U uniform on 0..T-1: below prefix P lie ceil((M P - U)/T).
        const WideCount u = point(seed, generation, 0, step).index128(total);
        return by_prefixes([&](WideCount prefix) {
            const WideCount scaled = size * prefix;
            return scaled <= u ? Index{0} : static_cast<Index>((scaled - u + total - 1) / total);
        });
    }
    case Resampling::stratified:
        // Points (U_n + n T)/M: those of all strata wholly below the prefix, and perhaps that of the stratum it cuts.
        return by_prefixes([&](WideCount prefix) {
            const WideCount scaled = size * prefix;
            const auto whole = static_cast<Index>(scaled / total);
            if (whole == n_offspring)
                return whole;
            const WideCount u = point(seed, generation, whole, step).index128(total);
            return whole + (u < scaled % total ? 1 : 0);
        });
    case Resampling::multinomial: {
        std::vector<Index> numbers(weights.here.size());
        const std::vector<WideCount> wide(weights.here.begin(), weights.here.end());
        add_multinomial(ranks, wide, weights.begins, n_offspring, generation, seed, step, numbers);
        return split(numbers);
    }
    case Resampling::residual:
        return split(residual(ranks, weights, n_offspring, generation, seed, step));
    }
    throw ContractViolation("offspring: unknown resampling scheme");
}

std::vector<Index> offspring(const parallel::Communicator& ranks, const parallel::BlockLayout& layout, Index generation,
                             std::span<const double> log_weights, Resampling scheme, const random::Seed& seed,
                             std::uint32_t step, std::optional<Index> n_offspring, std::optional<double> log_max) {
    const WeightedParticles particles{&layout, log_weights};
    return offspring(ranks, {&particles, 1}, generation, scheme, seed, step, n_offspring.value_or(layout.size()),
                     log_max)
        .front();
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
