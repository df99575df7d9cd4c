#pragma once
/// Replicates of a study, spread over the ranks.

#include "parallel/communicator.hpp"
#include "pearlite/random/stream.hpp"
#include "statistical/record.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pearlite::calibration {

/// Collective. One row of numbers per replicate, in order, on every rank; each replicate gets a different seed, derived
/// from `seed`. In a study's short run there is one row, which is recorded.
inline std::vector<std::vector<double>> rows_of(const parallel::Communicator& ranks, Index n, random::Seed seed,
                                                const std::function<std::vector<double>(random::Seed)>& replicate) {
    if (is_first_replicate())
        n = 1;
    std::vector<double> mine;
    for (Index r = ranks.rank(); r < n; r += ranks.size()) {
        const auto row = replicate(random::derive_seed(seed, static_cast<std::uint64_t>(r)));
        mine.insert(mine.end(), row.begin(), row.end());
    }
    if (is_first_replicate() && ranks.is_root())
        record_first(std::to_string(seed.value), mine);
    const auto all = ranks.all_gather(std::span<const double>(mine));
    const std::size_t width = all.size() / static_cast<std::size_t>(n);
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n));
    std::size_t next = 0;
    for (Index rank = 0; rank < ranks.size(); ++rank)
        for (Index r = rank; r < n; r += ranks.size(), next += width)
            rows[static_cast<std::size_t>(r)].assign(all.begin() + static_cast<std::ptrdiff_t>(next),
                                                     all.begin() + static_cast<std::ptrdiff_t>(next + width));
    return rows;
}

inline std::vector<double> column(const std::vector<std::vector<double>>& rows, std::size_t k) {
    std::vector<double> values;
    for (const auto& row : rows)
        values.push_back(row[k]);
    return values;
}

} // namespace pearlite::calibration
