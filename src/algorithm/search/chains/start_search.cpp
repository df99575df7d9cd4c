#include "algorithm/search/chains/search_chains.hpp"

#include "pearlite/core/detail/point_error.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

/// The part of a search's seed for draws of starts: beyond the numbers of replicates.
constexpr std::uint64_t part_of_starts = std::uint64_t{1} << 62;
/// Draws go on until they are this many times those that found the first feasible state.
constexpr std::int64_t patience = 10;

} // namespace

StartDraws SearchChains::seek_start(std::vector<double>& energies) {
    const auto chains = static_cast<std::int64_t>(energies.size());
    const auto seed = random::derive_seed(settings_.seed, part_of_starts);
    const auto fresh = space_->make_chains(layout_.local_items());
    std::vector<double> fresh_energies(energies_.size(), 0.0);
    std::vector<Index> source(n_, -1);
    StartDraws start;
    std::int64_t left = chains, last = settings_.most_start_draws;
    for (std::uint32_t round = 1; left > 0 && start.draws < last; ++round) {
        failure_.guard(ranks_, [&] {
            try {
                space_->draw_start(*fresh, {seed, round, 0, first_, 0});
                space_->evaluate(*fresh, fresh_energies);
            } catch (const PointError& error) {
                error.throw_at(fmt::format("start, chain {}", first_ + error.point()));
            }
            for (std::size_t i = 0; i < n_; ++i) {
                require_number(fresh_energies[i], i, 0);
                const bool is_taken = energies_[i] == infinity && fresh_energies[i] < infinity;
                source[i] = is_taken ? static_cast<Index>(i) : -1;
                energies_[i] = is_taken ? fresh_energies[i] : energies_[i];
            }
            space_->copy_states(*fresh, source, *chains_);
        });
        std::array<std::int64_t, 2> counts{}; // of chains without a feasible state, and of feasible draws
        for (std::size_t i = 0; i < n_; ++i) {
            counts[0] += energies_[i] < infinity ? 0 : 1;
            counts[1] += fresh_energies[i] < infinity ? 1 : 0;
        }
        ranks_.sum(std::span<std::int64_t>(counts));
        failure_.agree(ranks_);
        start.draws += chains;
        if (start.feasible == 0 && counts[1] > 0)
            last = std::min(last, patience * start.draws);
        start.feasible += counts[1];
        left = counts[0];
    }
    if (start.feasible == 0)
        throw InputError(fmt::format(
            "none of {} states drawn has a finite energy, so that no chain can start: the energy must be finite where "
            "chains start (start_lower and start_upper of a box), or grow with the distance from the states that are "
            "allowed; algorithm.most_start_draws draws more",
            chains + start.draws));
    energies = ranks_.all_gather(std::span<const double>(energies_).first(n_));
    return start;
}

} // namespace pearlite::algorithm
