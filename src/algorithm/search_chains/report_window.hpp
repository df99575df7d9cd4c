#pragma once
/// Reports of chains on the iterations since the ranks of a search last met, and the collective in which they meet.

#include "core/fields.hpp"
#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// A chain's report on an iteration.
struct ChainReport {
    double energy = 0;                ///< of its state afterwards
    std::int32_t proposed_region = 0; ///< the state's region, if it proposed nothing inside the space
    std::uint8_t is_active = 0, is_accepted = 0;
    std::uint8_t failed = 0; ///< the chain's rank has a failure to be agreed upon
    std::uint8_t padding = 0;
};

/// The reports of up to `capacity` iterations.
class ReportWindow {
  public:
    ReportWindow(const parallel::Communicator& ranks, const parallel::BlockLayout& chains, Index capacity);

    Index size() const { return static_cast<Index>(operations_.size()); }
    bool is_empty() const { return operations_.empty(); }
    bool is_full() const { return size() == capacity_; }
    /// The reports of this rank's chains in the present iteration, for the caller to fill.
    std::span<ChainReport> present() { return row(size()); }
    /// Ends the present iteration, in which `operation` was made.
    void close(Index operation);

    /// Collective: every rank has all reports afterwards. Returns whether any rank failed.
    bool share(bool failed);
    Index operation(Index s) const { return operations_[static_cast<std::size_t>(s)]; }
    /// Calls visit(chain, report) for all chains, in their order, in iteration s of the window; after share().
    template <class Visit>
    void for_each(Index s, Visit visit) const {
        std::size_t chain = 0;
        for (std::size_t r = 0; r < shares_.size(); ++r) {
            const auto first = (r * static_cast<std::size_t>(capacity_) + static_cast<std::size_t>(s)) * stride_;
            for (std::size_t i = 0; i < shares_[r]; ++i)
                visit(chain++, shared()[first + i]);
        }
    }
    void clear();

    /// Collective. Each chain's reports from its owner.
    void fields(Fields& f);

  private:
    std::span<ChainReport> row(Index s) {
        return std::span(mine_).subspan(static_cast<std::size_t>(s) * stride_,
                                        shares_[static_cast<std::size_t>(chains_.rank())]);
    }
    const std::vector<ChainReport>& shared() const { return shares_.size() == 1 ? mine_ : all_; }

    parallel::Communicator ranks_;
    parallel::BlockLayout chains_;
    Index capacity_;
    std::vector<std::size_t> shares_; ///< chains of each rank
    std::size_t stride_;              ///< the largest of these numbers
    std::vector<ChainReport> mine_;   ///< capacity rows of `stride` reports
    std::vector<ChainReport> all_;    ///< the reports of every rank
    std::vector<Index> operations_;
};

} // namespace pearlite::algorithm
