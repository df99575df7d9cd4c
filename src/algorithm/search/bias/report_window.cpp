#include "algorithm/search/bias/report_window.hpp"

#include "pearlite/core/detail/lane_padding.hpp"

#include <algorithm>

namespace pearlite::algorithm {

namespace {

std::vector<std::size_t> shares_of(const parallel::BlockLayout& chains) {
    std::vector<std::size_t> shares;
    shares.reserve(static_cast<std::size_t>(chains.ranks()));
    for (int rank = 0; rank < chains.ranks(); ++rank)
        shares.push_back(static_cast<std::size_t>(chains.first_item(rank + 1) - chains.first_item(rank)));
    return shares;
}

/// A report in a file.
struct StoredReport {
    double energy = 0;
    std::int32_t proposed_region = 0;
    std::uint8_t is_active = 0, is_accepted = 0;
    std::uint16_t padding = 0;
};

} // namespace

ReportWindow::ReportWindow(const parallel::Communicator& ranks, const parallel::BlockLayout& chains, Index capacity)
    : chains_(chains),
      capacity_(capacity),
      shares_(shares_of(chains)),
      stride_(static_cast<std::size_t>(lane_padded(static_cast<Index>(std::ranges::max(shares_))))),
      reports_(ranks, bytes_of_a_rank()),
      present_(ranks.size() > 1 ? Reports::bytes_of(stride_) : 0) {}

void ReportWindow::close(Index operation) {
    std::copy(present_.begin(), present_.end(), row(size()));
    operations_.push_back(operation);
}

bool ReportWindow::share(bool failed) {
    const std::uint64_t mine = failed ? 1 : 0;
    std::memcpy(row(capacity_), &mine, sizeof mine);
    reports_.gather();
    bool has_any_failed = false;
    for (int rank = 0; rank < chains_.ranks(); ++rank) {
        const std::byte* const rows = reports_.of(rank).data();
        for (Index s = 0; s < rows_ahead; ++s)
            prefetch(rows, s);
        std::uint64_t its = 0;
        std::memcpy(&its, rows + place_of(capacity_), sizeof its);
        has_any_failed |= its != 0;
    }
    return has_any_failed;
}

void ReportWindow::clear() {
    operations_.clear();
}

void ReportWindow::fields(Fields& f) {
    f("window_operations", operations_);
    // An item is all reports of a chain.
    const std::size_t n = operations_.size(), bytes = n * sizeof(StoredReport);
    ShardedField reports{
        ItemType::bytes, bytes, chains_.size(), chains_.first_local_item(), chains_.local_items(), {}, {}};
    reports.pack = [this, n](Index first, Index count, std::span<std::byte> out) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            for (std::size_t s = 0; s < n; ++s) {
                const Reports its(row(static_cast<Index>(s)), stride_);
                const std::size_t k = static_cast<std::size_t>(first) + i;
                const StoredReport report{its.energies[k], its.proposed_regions[k], its.is_active[k],
                                          its.is_accepted[k], 0};
                std::memcpy(out.data() + (i * n + s) * sizeof report, &report, sizeof report);
            }
    };
    reports.unpack = [this, n](Index first, Index count, std::span<const std::byte> in) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            for (std::size_t s = 0; s < n; ++s) {
                const Reports its(row(static_cast<Index>(s)), stride_);
                const std::size_t k = static_cast<std::size_t>(first) + i;
                StoredReport report;
                std::memcpy(&report, in.data() + (i * n + s) * sizeof report, sizeof report);
                its.energies[k] = report.energy;
                its.proposed_regions[k] = report.proposed_region;
                its.is_active[k] = report.is_active;
                its.is_accepted[k] = report.is_accepted;
            }
    };
    f.sharded("reports", reports);
}

} // namespace pearlite::algorithm
