#pragma once
/// Reports of chains on the iterations since the ranks of a search last met, and the collective in which they meet.

#include "core/fields.hpp"
#include "core/prefetch.hpp"
#include "parallel/layout.hpp"
#include "parallel/shared_memory/shared_gather.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace pearlite::algorithm {

/// The reports of some chains on an iteration: an array for each part, for loops in lanes. Byte: std::byte, or const.
template <class Byte>
struct ReportRow {
    template <class T>
    using Part = std::conditional_t<std::is_const_v<Byte>, const T, T>;

    Part<double>* energies;               ///< of the states afterwards
    Part<std::int32_t>* proposed_regions; ///< the state's region, if a chain proposed nothing inside the space
    Part<std::uint8_t>*is_active, *is_accepted;

    /// Lays out a row of bytes_of(chains) bytes for the reports of `chains` chains, a multiple of lane_padding.
    ReportRow(Byte* row, std::size_t chains)
        : energies(reinterpret_cast<Part<double>*>(row)),
          proposed_regions(reinterpret_cast<Part<std::int32_t>*>(energies + chains)),
          is_active(reinterpret_cast<Part<std::uint8_t>*>(proposed_regions + chains)),
          is_accepted(is_active + chains) {}
    static constexpr std::size_t bytes_of(std::size_t chains) { return 14 * chains; }
};
using Reports = ReportRow<std::byte>;
using ConstReports = ReportRow<const std::byte>;

/// The reports of up to `capacity` iterations.
class ReportWindow {
  public:
    ReportWindow(const parallel::Communicator& ranks, const parallel::BlockLayout& chains, Index capacity);

    Index size() const { return static_cast<Index>(operations_.size()); }
    bool is_empty() const { return operations_.empty(); }
    bool is_full() const { return size() == capacity_; }
    /// The reports of this rank's chains in the present iteration, for the caller to fill: no padding is active or
    /// accepted.
    Reports present() {
        if (present_.empty())
            return Reports(row(size()), stride_);
        prefetch_to_write({row(size()), present_.size()});
        return Reports(present_.data(), stride_);
    }
    /// Ends the present iteration, in which `operation` was made.
    void close(Index operation);

    /// Collective: every rank has all reports afterwards. Returns whether any rank failed.
    bool share(bool failed);
    Index operation(Index s) const { return operations_[static_cast<std::size_t>(s)]; }
    /// Calls visit(first, n, reports) for the reports of chains first .. first + n - 1, rank after rank, so that all
    /// chains are visited in their order, in iteration s of the window; after share().
    template <class Visit>
    void for_each_rank(Index s, Visit visit) const {
        std::size_t first = 0;
        for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
            const std::byte* const rows = reports_.of(static_cast<int>(rank)).data();
            prefetch(rows, s + rows_ahead);
            visit(first, shares_[rank], ConstReports(rows + place_of(s), stride_));
            first += shares_[rank];
        }
    }
    std::size_t bytes_of_a_rank() const { return place_of(capacity_) + sizeof(std::uint64_t); }
    void clear();

    /// Collective. Each chain's reports from its owner.
    void fields(Fields& f);

  private:
    static constexpr Index rows_ahead = 2; ///< that are on their way while a row is visited
    std::size_t place_of(Index s) const { return static_cast<std::size_t>(s) * Reports::bytes_of(stride_); }
    void prefetch(const std::byte* rows, Index s) const {
        if (shares_.size() > 1 && s < capacity_)
            prefetch_to_read({rows + place_of(s), Reports::bytes_of(stride_)});
    }
    std::byte* row(Index s) { return reports_.own().data() + place_of(s); }
    parallel::BlockLayout chains_;
    Index capacity_;
    std::vector<std::size_t> shares_; ///< chains of each rank
    std::size_t stride_;              ///< the largest of these numbers, padded
    parallel::SharedGather reports_;  ///< of each rank: capacity rows, and whether it failed
    std::vector<std::byte>
        present_; ///< the present row of several ranks: a core waits longer to write in shared memory
    std::vector<Index> operations_;
};

} // namespace pearlite::algorithm
