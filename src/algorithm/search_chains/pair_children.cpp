#include "algorithm/search_chains/pair_children.hpp"

#include "algorithm/search_chains/meetings.hpp"
#include "core/log_space.hpp"

#include <cstring>

namespace pearlite::algorithm {

std::vector<Child> gather_children(const parallel::Communicator& ranks, const parallel::BlockLayout& chains,
                                   const model::Proposals& proposals, std::span<const Index> proposed_regions) {
    // Equal shares, so that one collective suffices.
    const auto share = static_cast<std::size_t>((chains.size() + ranks.size() - 1) / ranks.size());
    std::vector<Child> mine(share), all(static_cast<std::size_t>(chains.size()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(chains.local_items()); ++i)
        mine[i] = {proposals.energies[i], proposals.log_ratios[i], proposed_regions[i]};
    if (ranks.size() == 1)
        return mine;
    const auto bytes = ranks.all_gather_bytes_of_equal_size(std::as_bytes(std::span(mine)));
    for (int r = 0; r < ranks.size(); ++r)
        std::memcpy(all.data() + chains.first_item(r),
                    bytes.data() + static_cast<std::size_t>(r) * share * sizeof(Child),
                    static_cast<std::size_t>(chains.first_item(r + 1) - chains.first_item(r)) * sizeof(Child));
    return all;
}

double log_acceptance_of_pair(const SearchMemory& memory, const SearchSettings& settings, double temperature,
                              std::span<const Child> children, std::size_t one, std::size_t other) {
    const auto energies = memory.energies();
    double log_alpha = 0;
    for (const std::size_t chain : {one, other})
        log_alpha += memory.log_acceptance(chain, energies[chain], memory.region(chain), children[chain].energy,
                                           children[chain].region, children[chain].log_ratio, temperature);
    if (settings.crossover == SearchSettings::Crossover::single && log_alpha > log_zero)
        log_alpha += pair_log_ratio(energies, one, other, children[one].energy, children[other].energy,
                                    settings.selection_temperature);
    return log_alpha;
}

} // namespace pearlite::algorithm
