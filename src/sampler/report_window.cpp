#include "pearlite/sampler/report_window.hpp"

#include <algorithm>
#include <cstring>

namespace pearlite::sampler {

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

} // namespace pearlite::sampler
