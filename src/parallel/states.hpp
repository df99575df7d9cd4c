#pragma once
/// States that list their fields, between ranks.

#include "core/stored_fields.hpp"
#include "parallel/communicator.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::parallel {

/// Collective. The states of the ranks that speak, in the order of ranks, on the root; elsewhere none.
template <class State>
std::vector<State> gather_states(const Communicator& ranks, bool speaks, std::vector<State>& mine) {
    std::vector<std::byte> bytes;
    for (auto& state : mine)
        if (speaks)
            append_piece(bytes, store(state).values);
    const auto all = ranks.gather(std::span<const std::byte>(bytes));
    std::vector<State> states;
    for (std::span<const std::byte> rest(all); !rest.empty();) {
        const auto values = take_piece(rest);
        restore(states.emplace_back(), {{values.begin(), values.end()}, {}});
    }
    return states;
}

/// Collective. Rank `root`'s state on all ranks; without its sharded fields.
template <class State>
void broadcast_state(const Communicator& ranks, State& state, int root) {
    std::string text;
    if (ranks.rank() == root) {
        const auto values = store(state).values;
        text.assign(reinterpret_cast<const char*>(values.data()), values.size());
    }
    text = ranks.broadcast(text, root);
    const auto values = std::as_bytes(std::span(text));
    if (ranks.rank() != root)
        restore(state, {{values.begin(), values.end()}, {}});
}

} // namespace pearlite::parallel
