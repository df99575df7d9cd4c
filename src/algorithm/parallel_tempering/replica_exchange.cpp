#include "algorithm/parallel_tempering/replica_exchange.hpp"

#include "parallel/exchange.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

ExchangeDecision decide_exchange(std::span<const double> below, std::span<const double> above,
                                 const model::BlockStreams& streams) {
    PEARLITE_EXPECTS(below.size() == above.size());
    ExchangeDecision decision{std::vector<std::uint8_t>(below.size()), std::vector<double>(below.size())};
    for (std::size_t i = 0; i < below.size(); ++i) {
        const double log_alpha = below[i] + above[i];
        random::Stream stream(streams.at(random::Purpose::swap, static_cast<Index>(i)));
        decision.which[i] = std::log(stream.uniform()) < log_alpha;
        decision.probability[i] = log_alpha >= 0 ? 1 : std::exp(log_alpha);
    }
    return decision;
}

void ReplicaExchange::exchange(population::Generation& states, Index scan, std::span<std::int64_t> tags,
                               std::span<double> expected, parallel::DelayedFailure& failure) const {
    const Scan now{states, scan, tags, expected, failure};
    const auto& layout = states.layout();
    const Index first = layout.first_local_block(), end = first + layout.local_blocks();
    for (Index t = first; t + 1 < end; ++t)
        if (is_due(t, scan))
            failure.guard(ranks_, [&] { exchange_here(now, t); });
    if (layout.local_blocks() > 0)
        exchange_with_neighbours(now);
}

std::vector<double> ReplicaExchange::log_ratios(const Scan& scan, Index from, Index to) const {
    std::vector<double> ratios(static_cast<std::size_t>(scan.replicas()), 0.0);
    target_->add_log_ratio(scan.block(from), schedule_[from], schedule_[to], ratios);
    return ratios;
}

std::vector<std::uint8_t> ReplicaExchange::decide(const Scan& scan, Index t, std::span<const double> below,
                                                  std::span<const double> above) const {
    const auto decision =
        decide_exchange(below, above, {seed_, static_cast<std::uint32_t>(scan.number), 0, t * scan.replicas(), t});
    if (!scan.expected.empty() && scan.local_block(t) >= 0)
        for (std::size_t i = 0; i < decision.probability.size(); ++i)
            scan.expected[scan.first_slot(t) + i] += decision.probability[i];
    return decision.which;
}

void ReplicaExchange::exchange_here(const Scan& scan, Index t) const {
    const auto which = decide(scan, t, log_ratios(scan, t, t + 1), log_ratios(scan, t + 1, t));
    const std::size_t low = scan.first_slot(t), high = scan.first_slot(t + 1);
    for (std::size_t i = 0; i < which.size(); ++i)
        if (which[i])
            std::swap(scan.tags[low + i], scan.tags[high + i]);
    auto &below = scan.block(t), &above = scan.block(t + 1);
    if (swap_) {
        swap_->swap_states(below, above, which);
    } else {
        std::vector<std::byte> x(particle_bytes_), y(x);
        for (std::size_t i = 0; i < which.size(); ++i)
            if (which[i]) {
                below.pack(static_cast<Index>(i), x);
                above.pack(static_cast<Index>(i), y);
                below.unpack(static_cast<Index>(i), y);
                above.unpack(static_cast<Index>(i), x);
            }
        target_->prepare(below);
        target_->prepare(above);
    }
}

void ReplicaExchange::exchange_with_neighbours(const Scan& scan) const {
    const auto& layout = scan.states.layout();
    const Index first = layout.first_local_block(), last = first + layout.local_blocks() - 1;
    std::vector<Side> sides;
    if (is_due(first - 1, scan.number))
        sides.push_back(side_of(scan, first, first - 1));
    if (is_due(last, scan.number))
        sides.push_back(side_of(scan, last, last + 1));
    if (sides.empty())
        return;
    send_and_receive(scan, sides);
    for (const Side& side : sides)
        scan.failure.guard(ranks_, [&] { take(scan, side); });
}

ReplicaExchange::Side ReplicaExchange::side_of(const Scan& scan, Index own, Index other) const {
    const auto n = static_cast<std::size_t>(scan.replicas());
    Side side{scan.states.layout().owner_of_block(other),
              own,
              other,
              std::vector<double>(n),
              std::vector<double>(n),
              std::vector<std::int64_t>(n),
              std::vector<std::byte>(n * particle_bytes_)};
    scan.failure.guard(ranks_, [&] { side.own_ratios = log_ratios(scan, own, other); });
    return side;
}

void ReplicaExchange::send_and_receive(const Scan& scan, std::vector<Side>& sides) const {
    const std::size_t state_bytes = particle_bytes_, item = state_bytes + 2 * sizeof(double);
    std::vector<parallel::Transfer> transfers;
    transfers.reserve(sides.size());
    for (const Side& side : sides)
        transfers.push_back({side.peer, scan.replicas()});
    const auto with = [&](int peer) -> Side& { return sides.front().peer == peer ? sides.front() : sides.back(); };
    parallel::exchange(
        ranks_, item, transfers, transfers,
        [&](int peer, Index i, std::span<std::byte> out) {
            const Side& side = with(peer);
            const auto slot = static_cast<std::size_t>(i);
            scan.block(side.own).pack(i, out.first(state_bytes));
            std::memcpy(out.data() + state_bytes, &side.own_ratios[slot], sizeof(double));
            std::memcpy(out.data() + state_bytes + sizeof(double), &scan.tags[scan.first_slot(side.own) + slot],
                        sizeof(double));
        },
        [&](int peer, Index i, std::span<const std::byte> in) {
            Side& side = with(peer);
            const auto slot = static_cast<std::size_t>(i);
            std::copy(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(state_bytes),
                      side.other_states.begin() + static_cast<std::ptrdiff_t>(slot * state_bytes));
            std::memcpy(&side.other_ratios[slot], in.data() + state_bytes, sizeof(double));
            std::memcpy(&side.other_tags[slot], in.data() + state_bytes + sizeof(double), sizeof(double));
        });
}

void ReplicaExchange::take(const Scan& scan, const Side& side) const {
    const bool is_lower = side.own < side.other;
    const auto which = decide(scan, std::min(side.own, side.other), is_lower ? side.own_ratios : side.other_ratios,
                              is_lower ? side.other_ratios : side.own_ratios);
    auto& block = scan.block(side.own);
    const std::size_t state_bytes = particle_bytes_;
    for (std::size_t i = 0; i < which.size(); ++i)
        if (which[i]) {
            block.unpack(static_cast<Index>(i), std::span(side.other_states).subspan(i * state_bytes, state_bytes));
            scan.tags[scan.first_slot(side.own) + i] = side.other_tags[i];
        }
    target_->prepare(block);
}

} // namespace pearlite::algorithm
