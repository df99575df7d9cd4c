#pragma once
/// Reversed moves of lattices of two sites a side, whose states fit into a byte.

#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/random/stream.hpp"
#include "random/statistics.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace pearlite::models::testing {

/// The weights exp(-b E) of packed states.
template <class Lattice>
std::vector<double> weights_of(const Lattice& lattice, const std::vector<std::byte>& states, double b) {
    auto block = lattice.make_block(1);
    std::vector<double> weights;
    for (const std::byte state : states) {
        block.unpack(0, std::array{state});
        lattice.prepare(block);
        std::array log_weight{0.0};
        lattice.add_log_ratio(block, 0, b, log_weight);
        weights.push_back(std::exp(log_weight[0]));
    }
    return weights;
}

/// Flows between states: counts of (x, y) from equilibrium under move, and of (y, x) under move_reversed, must have
/// the same distribution. p-value of the chi-square of two samples over the cells of at least 10 counts. `states` are
/// all that there are; one chain of a block, for the others may share its sites. `wrongly` takes move for both.
template <class Lattice>
double p_value_of_reversal(const Lattice& lattice, const std::vector<std::byte>& states, double b, bool wrongly) {
    const auto weights = weights_of(lattice, states, b);
    std::map<std::pair<std::byte, std::byte>, std::array<double, 2>> flows;
    auto block = lattice.make_block(1);
    for (Index n = 0; n < 60000; ++n) {
        random::Stream start({{4}, random::Purpose::test, static_cast<std::uint64_t>(n), 0});
        const std::byte x = states[static_cast<std::size_t>(start.categorical(weights))];
        block.unpack(0, std::array{x});
        lattice.prepare(block);
        const bool is_forward = n % 2 == 0;
        const model::BlockStreams streams{4, 1, 0, 512 * n, n};
        is_forward || wrongly ? lattice.move(block, b, streams) : lattice.move_reversed(block, b, streams);
        std::array<std::byte, 1> y{};
        block.pack(0, y);
        flows[is_forward ? std::pair(x, y[0]) : std::pair(y[0], x)][is_forward ? 0 : 1] += 1;
    }
    double statistic = 0, cells = 0;
    for (const auto& [cell, counts] : flows)
        if (counts[0] + counts[1] >= 10) {
            statistic += (counts[0] - counts[1]) * (counts[0] - counts[1]) / (counts[0] + counts[1]);
            cells += 1;
        }
    return random::testing::chi_squared_p_value(statistic, cells);
}

} // namespace pearlite::models::testing
