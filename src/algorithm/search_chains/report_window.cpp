#include "algorithm/search_chains/report_window.hpp"

#include <algorithm>
#include <cstring>

namespace pearlite::algorithm {

ReportWindow::ReportWindow(const parallel::Communicator& ranks, const parallel::BlockLayout& chains, Index capacity)
    : ranks_(ranks), chains_(chains), capacity_(capacity) {
    for (int r = 0; r < ranks.size(); ++r)
        shares_.push_back(static_cast<std::size_t>(chains.first_item(r + 1) - chains.first_item(r)));
    stride_ = *std::max_element(shares_.begin(), shares_.end());
    mine_.assign(static_cast<std::size_t>(capacity) * stride_, {});
}

void ReportWindow::close(Index operation) {
    operations_.push_back(operation);
}

bool ReportWindow::share(bool failed) {
    if (shares_.size() == 1)
        return failed;
    for (auto& report : mine_)
        report.failed = failed ? 1 : 0;
    const auto bytes = ranks_.all_gather_bytes_of_equal_size(std::as_bytes(std::span(mine_)));
    all_.resize(mine_.size() * shares_.size());
    std::memcpy(all_.data(), bytes.data(), bytes.size());
    return std::any_of(all_.begin(), all_.end(), [](const ChainReport& report) { return report.failed != 0; });
}

void ReportWindow::clear() {
    operations_.clear();
}

void ReportWindow::fields(Fields& f) {
    f("window_operations", operations_);
    // An item is all reports of a chain.
    const std::size_t bytes = operations_.size() * sizeof(ChainReport);
    ShardedField reports{
        ItemType::bytes, bytes, chains_.size(), chains_.first_local_item(), chains_.local_items(), {}, {}};
    const auto place = [](Index item, Index s, std::size_t n) {
        return (static_cast<std::size_t>(item) * n + static_cast<std::size_t>(s)) * sizeof(ChainReport);
    };
    reports.pack = [this, place](Index first, Index count, std::span<std::byte> out) {
        for (Index i = 0; i < count; ++i)
            for (Index s = 0; s < size(); ++s)
                std::memcpy(out.data() + place(i, s, operations_.size()), &row(s)[static_cast<std::size_t>(first + i)],
                            sizeof(ChainReport));
    };
    reports.unpack = [this, place](Index first, Index count, std::span<const std::byte> in) {
        for (Index i = 0; i < count; ++i)
            for (Index s = 0; s < size(); ++s)
                std::memcpy(&row(s)[static_cast<std::size_t>(first + i)], in.data() + place(i, s, operations_.size()),
                            sizeof(ChainReport));
    };
    f.sharded("reports", reports);
}

} // namespace pearlite::algorithm
