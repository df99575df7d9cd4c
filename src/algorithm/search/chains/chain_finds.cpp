#include "algorithm/search/chains/chain_finds.hpp"

#include "core/stored_fields.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

void ChainFinds::begin_regions(Index regions) {
    const auto n = static_cast<std::size_t>(regions);
    const bool has_room = n <= room / std::max<std::size_t>(bytes_, 1);
    energies_.assign(has_room ? n : 0, infinity);
    iterations_.assign(energies_.size(), 0);
    chains_.assign(energies_.size(), 0);
    states_.assign(energies_.size() * bytes_, std::byte{0});
}

ChainFinds ChainFinds::gathered(const parallel::Communicator& ranks, const parallel::BlockLayout& chains) const {
    ChainFinds all = *this;
    all.best_ = best_of_ranks(ranks, best_, bytes_);
    const std::size_t n = energies_.size();
    // The least energy, of those the first iteration, of those the lowest chain; each is negated for the maximum.
    std::vector<double> least(n);
    std::vector<bool> is_candidate(n, true);
    const auto reduce = [&](auto value_of, auto& to) {
        for (std::size_t j = 0; j < n; ++j)
            least[j] = is_candidate[j] ? -static_cast<double>(value_of(j)) : -infinity;
        ranks.max(std::span(least));
        for (std::size_t j = 0; j < n; ++j) {
            is_candidate[j] = is_candidate[j] && static_cast<double>(value_of(j)) == -least[j];
            to[j] = static_cast<std::remove_reference_t<decltype(to[j])>>(-least[j]);
        }
    };
    reduce([&](std::size_t j) { return energies_[j]; }, all.energies_);
    reduce([&](std::size_t j) { return iterations_[j]; }, all.iterations_);
    reduce([&](std::size_t j) { return chains_[j]; }, all.chains_);

    std::vector<std::byte> mine;
    const auto owner_of = [&](std::size_t j) { return chains.owner_of_item(all.chains_[j]); };
    for (std::size_t j = 0; j < n; ++j)
        if (all.energies_[j] < infinity && owner_of(j) == ranks.rank())
            mine.insert(mine.end(), states_.begin() + static_cast<std::ptrdiff_t>(j * bytes_),
                        states_.begin() + static_cast<std::ptrdiff_t>((j + 1) * bytes_));
    const auto states = ranks.all_gather(std::span<const std::byte>(mine));
    // States arrive rank by rank, and within a rank region by region.
    std::size_t next = 0;
    for (int r = 0; r < ranks.size(); ++r)
        for (std::size_t j = 0; j < n; ++j)
            if (all.energies_[j] < infinity && owner_of(j) == r) {
                std::copy_n(states.begin() + static_cast<std::ptrdiff_t>(next), bytes_,
                            all.states_.begin() + static_cast<std::ptrdiff_t>(j * bytes_));
                next += bytes_;
            }
    return all;
}

void ChainFinds::check(Index chains, Index regions) const {
    const auto is_chain = [&](std::int64_t chain) { return chain >= 0 && chain < chains; };
    PEARLITE_EXPECTS(is_chain(best_.chain) && (best_.state.empty() || best_.state.size() == bytes_));
    PEARLITE_EXPECTS(energies_.empty() || std::ssize(energies_) == regions);
    PEARLITE_EXPECTS(std::ranges::all_of(chains_, is_chain));
}

void ChainFinds::fields(Fields& f) {
    best_.fields(f);
    f("region_energies", energies_);
    f("region_iterations", iterations_);
    f("region_chains", chains_);
    bytes_field(f, "region_states", states_);
    if (!f.is_reading())
        return;
    const std::size_t n = energies_.size();
    PEARLITE_EXPECTS(iterations_.size() == n && chains_.size() == n && states_.size() == n * bytes_);
    PEARLITE_EXPECTS(std::ranges::none_of(energies_, [](double energy) { return std::isnan(energy); }));
}

} // namespace pearlite::algorithm
