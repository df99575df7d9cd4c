#include "population/selection.hpp"

#include "parallel/exchange.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/core/error.hpp"
#include "population/resampling.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace pearlite::population {

namespace {

constexpr std::int64_t largest_key = std::numeric_limits<std::int64_t>::max();

/// Doubles in the order of integers.
std::int64_t key_of(double value) {
    if (std::isnan(value))
        return largest_key;
    const auto bits = std::bit_cast<std::int64_t>(value + 0.0); // -0 becomes 0
    return bits >= 0 ? bits : bits ^ largest_key;
}
double value_of(std::int64_t key) {
    if (key == largest_key)
        return std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<double>(key >= 0 ? key : key ^ largest_key);
}

/// A search over keys asks for the counts up to seven keys at a time, so that it takes 21 rounds.
constexpr std::size_t n_probes = 7;

/// The key that cuts off j + 1 of 8 parts of low .. high.
std::int64_t probe(std::int64_t low, std::int64_t high, std::size_t j) {
    constexpr std::uint64_t parts = n_probes + 1;
    const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + width / parts * (j + 1) +
                                     width % parts * (j + 1) / parts);
}

/// A value, and how often it counts.
struct Group {
    std::int64_t key, count;
};

/// The mean ranks of the groups that the ranks sent, in their order; `before` values are below them all.
std::vector<std::vector<double>> ranks_of(const std::vector<std::vector<Group>>& arrived, double before) {
    struct Place {
        std::int64_t key, count;
        std::size_t from, item;
    };
    std::vector<Place> places;
    std::vector<std::vector<double>> mean_ranks;
    for (std::size_t from = 0; from < arrived.size(); ++from) {
        mean_ranks.emplace_back(arrived[from].size());
        for (std::size_t item = 0; item < arrived[from].size(); ++item)
            places.push_back({arrived[from][item].key, arrived[from][item].count, from, item});
    }
    std::ranges::sort(places, {}, &Place::key);
    for (std::size_t first = 0, last = 0; first < places.size(); first = last) {
        double count = 0;
        for (; last < places.size() && places[last].key == places[first].key; ++last)
            count += static_cast<double>(places[last].count);
        for (std::size_t i = first; i < last; ++i)
            mean_ranks[places[i].from][places[i].item] = before + 0.5 * (count + 1);
        before += count;
    }
    return mean_ranks;
}

} // namespace

SortedShard::SortedShard(const parallel::Communicator& ranks, std::span<const double> values,
                         std::span<const std::int64_t> counts)
    : ranks_(ranks) {
    sort(values, counts);
    meet(std::span(this, 1));
}

std::vector<SortedShard> SortedShard::of_sets(const parallel::Communicator& ranks,
                                              const std::vector<std::vector<double>>& sets,
                                              std::span<const std::int64_t> counts) {
    std::vector<SortedShard> shards(sets.size(), SortedShard(ranks));
    for (std::size_t k = 0; k < sets.size(); ++k)
        shards[k].sort(sets[k], counts);
    meet(shards);
    return shards;
}

void SortedShard::sort(std::span<const double> values, std::span<const std::int64_t> counts) {
    PEARLITE_EXPECTS(counts.empty() || counts.size() == values.size());
    std::vector<Group> groups;
    groups.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const std::int64_t count = counts.empty() ? 1 : counts[i]; count > 0)
            groups.push_back({key_of(values[i]), count});
    std::ranges::sort(groups, {}, &Group::key);
    keys_.reserve(groups.size());
    cumulated_.reserve(groups.size() + 1);
    cumulated_.push_back(0);
    for (const Group& group : groups) {
        keys_.push_back(group.key);
        cumulated_.push_back(cumulated_.back() + group.count);
    }
}

void SortedShard::meet(std::span<SortedShard> shards) {
    if (shards.empty())
        return;
    const auto& ranks = shards.front().ranks_;
    std::vector<std::int64_t> totals;
    std::vector<double> ends; // of each shard: the largest number, and the largest negative one; NaN is above all
    for (const auto& shard : shards) {
        totals.push_back(shard.cumulated_.back());
        const double largest = shard.keys_.empty() ? -infinity : value_of(shard.keys_.back());
        const double least = shard.keys_.empty() ? infinity : value_of(shard.keys_.front());
        ends.insert(ends.end(), {largest, std::isnan(least) ? -infinity : -least});
    }
    ranks.sum(std::span(totals));
    ranks.max(std::span(ends));
    for (std::size_t k = 0; k < shards.size(); ++k) {
        shards[k].total_ = totals[k];
        shards[k].highest_ = key_of(ends[2 * k]);
        shards[k].lowest_ = key_of(-ends[2 * k + 1]);
    }
}

std::int64_t SortedShard::count_up_to(std::int64_t key) const {
    return cumulated_[static_cast<std::size_t>(std::ranges::upper_bound(keys_, key) - keys_.begin())];
}

std::vector<double> SortedShard::at(std::span<const std::int64_t> targets) const {
    return at(std::span(this, 1), targets);
}

std::vector<double> SortedShard::at(std::span<const SortedShard> shards, std::span<const std::int64_t> targets) {
    PEARLITE_EXPECTS(!shards.empty() && targets.size() % shards.size() == 0);
    const auto shard_of = [&](std::size_t k) -> const SortedShard& {
        return shards[k / (targets.size() / shards.size())];
    };
    std::vector<std::int64_t> low, high, counts(n_probes * targets.size());
    for (std::size_t k = 0; k < targets.size(); ++k) {
        PEARLITE_EXPECTS(targets[k] >= 1 && targets[k] <= shard_of(k).total_);
        low.push_back(shard_of(k).lowest_);
        high.push_back(shard_of(k).highest_);
    }
    while (low != high) {
        for (std::size_t k = 0; k < targets.size(); ++k)
            for (std::size_t j = 0; j < n_probes; ++j)
                counts[n_probes * k + j] = shard_of(k).count_up_to(probe(low[k], high[k], j));
        shards.front().ranks_.sum(std::span(counts));
        for (std::size_t k = 0; k < targets.size(); ++k) {
            const auto of_target = std::span(counts).subspan(n_probes * k, n_probes);
            const auto j =
                static_cast<std::size_t>(std::ranges::lower_bound(of_target, targets[k]) - of_target.begin());
            const auto begin = low[k], end = high[k];
            low[k] = j > 0 ? std::min(probe(begin, end, j - 1) + 1, end) : begin;
            high[k] = j < n_probes ? probe(begin, end, j) : end;
        }
    }
    std::vector<double> values;
    values.reserve(low.size());
    for (const std::int64_t key : low)
        values.push_back(value_of(key));
    return values;
}

std::vector<std::int64_t> weights_as_counts(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                                            std::span<const double> log_weights) {
    const double log_max = largest_log_weight(ranks, layout, log_weights);
    if (log_max == log_zero)
        throw NumericalError("no particle has a positive weight");
    const int bits = std::bit_width(static_cast<std::uint64_t>(layout.size() - 1));
    const double scale = std::ldexp(1.0, 62 - bits);
    std::vector<std::int64_t> counts;
    counts.reserve(log_weights.size());
    for (const double log_weight : log_weights)
        counts.push_back(static_cast<std::int64_t>(std::nearbyint(std::exp(log_weight - log_max) * scale)));
    return counts;
}

std::vector<double> weighted_quantiles(const parallel::Communicator& ranks,
                                       const std::vector<std::vector<double>>& sets,
                                       std::span<const std::int64_t> counts, std::span<const double> p) {
    const auto shards = SortedShard::of_sets(ranks, sets, counts);
    std::vector<std::int64_t> targets;
    for (const auto& shard : shards)
        for (const double probability : p) {
            const double target = std::ceil(probability * static_cast<double>(shard.total()));
            targets.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(target), 1, shard.total()));
        }
    return SortedShard::at(shards, targets);
}

std::vector<double> mean_ranks(const parallel::Communicator& ranks, std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return key_of(values[i]); });
    std::vector<Group> groups;
    for (const std::size_t i : order) {
        const std::int64_t key = key_of(values[i]);
        if (groups.empty() || groups.back().key != key)
            groups.push_back({key, 0});
        ++groups.back().count;
    }

    // Each rank takes an equal part of the order, up to and with the value at which its part ends.
    const SortedShard sorted(ranks, values);
    if (sorted.total() == 0)
        return {};
    const parallel::BlockLayout parts(sorted.total(), 1, ranks.size(), ranks.rank());
    std::vector<std::int64_t> targets, ends;
    for (int rank = 1; rank < ranks.size(); ++rank)
        targets.push_back(std::max<std::int64_t>(parts.first_item(rank), 1));
    for (const double value : sorted.at(targets))
        ends.push_back(key_of(value));
    std::vector<std::vector<Group>> outgoing(static_cast<std::size_t>(ranks.size()));
    for (const Group& group : groups)
        outgoing[static_cast<std::size_t>(std::ranges::lower_bound(ends, group.key) - ends.begin())].push_back(group);

    const auto arrived = ranks.all_to_all(outgoing);
    WideCount here = 0;
    for (const auto& from : arrived)
        for (const Group& group : from)
            here += static_cast<WideCount>(group.count);
    const auto before = parallel::exclusive_scan(ranks, here).before;
    const auto answers = ranks.all_to_all(ranks_of(arrived, static_cast<double>(before)));

    std::vector<double> result(values.size());
    std::size_t place = 0;
    std::vector<double> of_groups;
    for (const auto& answer : answers) // groups went out in ascending order, and so to ascending ranks
        of_groups.insert(of_groups.end(), answer.begin(), answer.end());
    for (std::size_t group = 0; group < groups.size(); ++group)
        for (std::int64_t i = 0; i < groups[group].count; ++i)
            result[order[place++]] = of_groups[group];
    return result;
}

namespace {

// Copies offspring into a new generation; in resampling.cpp they take the places of the lost particles.

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
