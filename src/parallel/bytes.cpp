// The byte forms of the collectives. If one MPI call cannot count the bytes, several calls of the same kind or
// broadcasts rank by rank take its place; all ranks know all sizes, so that all choose the same way.
#include "parallel/communicator_implementation.hpp"

#include <boost/mpi/collectives.hpp>
#include <chrono>
#include <thread>

#include <algorithm>
#include <numeric>

namespace pearlite::parallel {

namespace {

using detail::check;
using Bytes = std::vector<std::byte>;

/// All ranks bring as many bytes; `all` has room for them, one rank after another.
void gather_at(Meeting& meeting, std::span<const std::byte> own, std::span<std::byte> all) {
    meeting.meet(own);
    for (std::size_t first = 0; first < all.size(); first += own.size())
        std::copy_n(meeting.brought(static_cast<int>(first / own.size())), own.size(),
                    all.begin() + static_cast<std::ptrdiff_t>(first));
}

std::vector<std::uint64_t> sizes_of_all(const boost::mpi::communicator& group, std::size_t mine) {
    std::vector<std::uint64_t> sizes;
    detail::count_collective(static_cast<std::size_t>(group.size()) * sizeof(std::uint64_t));
    boost::mpi::all_gather(group, static_cast<std::uint64_t>(mine), sizes);
    return sizes;
}

/// Each rank brings the size of its bytes and, if they fit, the bytes. Returns all sizes.
std::vector<std::uint64_t> bring_with_size(Meeting& meeting, int ranks, std::span<const std::byte> own) {
    const std::uint64_t size = own.size();
    Bytes brought(sizeof(size));
    std::memcpy(brought.data(), &size, sizeof(size));
    if (sizeof(size) + own.size() <= Meeting::most_bytes)
        brought.insert(brought.end(), own.begin(), own.end());
    detail::count_collective(static_cast<std::size_t>(ranks) * sizeof(size));
    meeting.meet(brought);
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(ranks));
    for (std::size_t r = 0; r < sizes.size(); ++r)
        std::memcpy(&sizes[r], meeting.brought(static_cast<int>(r)), sizeof(size));
    return sizes;
}

/// After bring_with_size(): all bytes in the order of ranks, if they have fitted.
bool take_after_sizes(const Meeting* meeting, const std::vector<std::uint64_t>& sizes, std::span<std::byte> all) {
    if (meeting == nullptr || sizeof(std::uint64_t) + std::ranges::max(sizes) > Meeting::most_bytes)
        return false;
    for (std::size_t first = 0, r = 0; !all.empty() && r < sizes.size(); first += sizes[r++])
        std::copy_n(meeting->brought(static_cast<int>(r)) + sizeof(std::uint64_t), sizes[r],
                    all.begin() + static_cast<std::ptrdiff_t>(first));
    return true;
}

bool fits(const Meeting* meeting, std::size_t bytes) {
    return meeting != nullptr && bytes <= Meeting::most_bytes;
}

// The offset of each rank's bytes when they lie one after another; one entry more than ranks, the last is the total.
std::vector<std::uint64_t> offsets_of(const std::vector<std::uint64_t>& sizes) {
    std::vector<std::uint64_t> offsets(sizes.size() + 1, 0);
    std::partial_sum(sizes.begin(), sizes.end(), offsets.begin() + 1);
    return offsets;
}

Bytes copy_of_one_rank(std::span<const std::byte> bytes) {
    detail::count_collective(bytes.size(), detail::forgone());
    return {bytes.begin(), bytes.end()};
}

std::vector<int> as_int(std::span<const std::uint64_t> values) {
    return {values.begin(), values.end()};
}

} // namespace

void Communicator::broadcast_bytes(std::span<std::byte> bytes, int root) const {
    PEARLITE_EXPECTS(root >= 0 && root < size());
    if (!implementation_->group)
        return detail::count_collective(bytes.size(), detail::forgone());
    if (fits(implementation_->meeting.get(), bytes.size())) {
        detail::count_collective(bytes.size());
        auto& meeting = *implementation_->meeting;
        meeting.meet(rank() == root ? std::span<const std::byte>(bytes) : std::span<const std::byte>());
        std::copy_n(meeting.brought(root), bytes.size(), bytes.begin());
        return;
    }
    const MPI_Comm group = *implementation_->group;
    detail::in_pieces(bytes.size(), implementation_->largest_message, [&](std::size_t first, std::size_t count) {
        detail::count_collective(count);
        check(MPI_Bcast(bytes.data() + first, static_cast<int>(count), MPI_BYTE, root, group), "MPI_Bcast");
    });
}

void Communicator::all_gather_bytes(std::span<const std::byte> bytes, std::span<std::byte> all) const {
    const auto ranks = static_cast<std::size_t>(size());
    PEARLITE_EXPECTS(all.size() == ranks * bytes.size());
    if (!implementation_->group) {
        detail::count_collective(bytes.size(), detail::forgone());
        std::copy(bytes.begin(), bytes.end(), all.begin());
        return;
    }
    if (bytes.size() > implementation_->largest_message / ranks) {
        std::ranges::copy(all_gather_bytes(bytes), all.begin());
        return;
    }
    const int count = static_cast<int>(bytes.size());
    detail::count_collective(all.size());
    if (fits(implementation_->meeting.get(), bytes.size()))
        return gather_at(*implementation_->meeting, bytes, all);
    check(MPI_Allgather(bytes.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, *implementation_->group),
          "MPI_Allgather");
}

std::vector<std::byte> Communicator::all_gather_bytes(std::span<const std::byte> bytes) const {
    if (!implementation_->group)
        return copy_of_one_rank(bytes);
    auto* const meeting = implementation_->meeting.get();
    const auto sizes =
        meeting ? bring_with_size(*meeting, size(), bytes) : sizes_of_all(*implementation_->group, bytes.size());
    const auto offsets = offsets_of(sizes);
    Bytes gathered(offsets.back());
    if (offsets.back() <= implementation_->largest_message) {
        detail::count_collective(gathered.size());
        if (take_after_sizes(meeting, sizes, gathered))
            return gathered;
        check(MPI_Allgatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, gathered.data(),
                             as_int(sizes).data(), as_int(offsets).data(), MPI_BYTE, *implementation_->group),
              "MPI_Allgatherv");
        return gathered;
    }
    std::ranges::copy(bytes, gathered.begin() + static_cast<std::ptrdiff_t>(offsets[static_cast<std::size_t>(rank())]));
    for (std::size_t r = 0; r < sizes.size(); ++r)
        broadcast_bytes(std::span(gathered).subspan(offsets[r], sizes[r]), static_cast<int>(r));
    return gathered;
}

std::vector<std::byte> Communicator::gather_bytes(std::span<const std::byte> bytes, int root) const {
    PEARLITE_EXPECTS(root >= 0 && root < size());
    if (!implementation_->group)
        return copy_of_one_rank(bytes);
    auto* const meeting = implementation_->meeting.get();
    const auto sizes =
        meeting ? bring_with_size(*meeting, size(), bytes) : sizes_of_all(*implementation_->group, bytes.size());
    const auto offsets = offsets_of(sizes);
    Bytes gathered(rank() == root ? offsets.back() : 0);
    if (offsets.back() <= implementation_->largest_message) {
        detail::count_collective(offsets.back());
        if (take_after_sizes(meeting, sizes, gathered))
            return gathered;
        check(MPI_Gatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, gathered.data(), as_int(sizes).data(),
                          as_int(offsets).data(), MPI_BYTE, root, *implementation_->group),
              "MPI_Gatherv");
        return gathered;
    }
    std::vector<Request> receives;
    if (rank() == root)
        for (std::size_t r = 0; r < sizes.size(); ++r)
            receives.push_back(
                receive(static_cast<int>(r), detail::gather_tag, std::span(gathered).subspan(offsets[r], sizes[r])));
    send(root, detail::gather_tag, bytes).wait();
    for (Request& request : receives)
        request.wait();
    return gathered;
}

std::vector<std::vector<std::byte>>
Communicator::all_to_all_bytes(const std::vector<std::span<const std::byte>>& outgoing) const {
    PEARLITE_EXPECTS(outgoing.size() == static_cast<std::size_t>(size()));
    if (!implementation_->group)
        return {copy_of_one_rank(outgoing[0])};
    std::vector<std::uint64_t> outgoing_sizes(outgoing.size());
    std::ranges::transform(outgoing, outgoing_sizes.begin(), &std::span<const std::byte>::size);
    std::vector<std::uint64_t> incoming_sizes(outgoing.size());
    const auto all_sizes = std::as_bytes(std::span(outgoing_sizes));
    detail::count_collective(all_sizes.size());
    if (auto* const meeting = implementation_->meeting.get(); fits(meeting, all_sizes.size())) {
        meeting->meet(all_sizes);
        for (std::size_t r = 0; r < outgoing.size(); ++r)
            incoming_sizes[r] = reinterpret_cast<const std::uint64_t*>(
                meeting->brought(static_cast<int>(r)))[static_cast<std::size_t>(rank())];
    } else {
        boost::mpi::all_to_all(*implementation_->group, outgoing_sizes, incoming_sizes);
    }

    // Who has nothing for a rank sends it no message: of many ranks a rank meets few.
    const auto own = static_cast<std::size_t>(rank());
    std::vector<Bytes> incoming(outgoing.size());
    incoming[own].assign(outgoing[own].begin(), outgoing[own].end());
    std::vector<Request> requests;
    for (std::size_t r = 0; r < incoming.size(); ++r)
        if (r != own && incoming_sizes[r] > 0) {
            incoming[r].resize(incoming_sizes[r]);
            requests.push_back(receive(static_cast<int>(r), detail::all_to_all_tag, incoming[r]));
        }
    for (std::size_t r = 0; r < outgoing.size(); ++r)
        if (r != own && !outgoing[r].empty())
            requests.push_back(send(static_cast<int>(r), detail::all_to_all_tag, outgoing[r]));
    for (Request& request : requests)
        request.wait();
    return incoming;
}

using Request = Communicator::Request;

Request::Request() = default;
Request::Request(Request&&) noexcept = default;

Request& Request::operator=(Request&& other) noexcept {
    std::swap(implementation_, other.implementation_); // the earlier request of this object ends with `other`
    return *this;
}

Request::~Request() {
    if (!implementation_)
        return;
    for (MPI_Request& part : implementation_->parts) {
        if (implementation_->sending) {
            MPI_Request_free(&part); // MPI cannot take back a message on its way
        } else {
            MPI_Cancel(&part);
            MPI_Wait(&part, MPI_STATUS_IGNORE);
        }
    }
}

namespace {

/// Looks now and then, less often the longer it takes.
void sleep_until_done(MPI_Request& request) {
    constexpr std::chrono::microseconds shortest(20), longest(1000);
    auto pause = shortest;
    for (int is_done = 0;;) {
        check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        if (is_done != 0)
            return;
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, longest);
    }
}

} // namespace

void Request::wait() {
    if (!implementation_)
        return;
    for (MPI_Request& part : implementation_->parts)
        if (implementation_->sleeps)
            sleep_until_done(part);
        else
            detail::check(MPI_Wait(&part, MPI_STATUS_IGNORE), "MPI_Wait");
    implementation_.reset();
}

Request Communicator::send(int destination, int tag, std::span<const std::byte> bytes) const {
    PEARLITE_EXPECTS(implementation_->group.has_value());
    PEARLITE_EXPECTS(destination >= 0 && destination < size() && tag >= 0 && tag <= detail::largest_tag);
    Request request;
    request.implementation_ = std::make_unique<Request::Implementation>();
    request.implementation_->sleeps = implementation_->meeting != nullptr;
    request.implementation_->sending = true;
    const MPI_Comm group = *implementation_->group;
    detail::in_pieces(bytes.size(), implementation_->largest_message, [&](std::size_t first, std::size_t count) {
        MPI_Request& part = request.implementation_->parts.emplace_back(MPI_REQUEST_NULL);
        if (destination != rank())
            detail::count_send(count);
        detail::check(
            MPI_Isend(bytes.data() + first, static_cast<int>(count), MPI_BYTE, destination, tag, group, &part),
            "MPI_Isend");
    });
    return request;
}

Request Communicator::receive(int source, int tag, std::span<std::byte> bytes) const {
    PEARLITE_EXPECTS(implementation_->group.has_value());
    PEARLITE_EXPECTS(source >= 0 && source < size() && tag >= 0 && tag <= detail::largest_tag);
    Request request;
    request.implementation_ = std::make_unique<Request::Implementation>();
    request.implementation_->sleeps = implementation_->meeting != nullptr;
    const MPI_Comm group = *implementation_->group;
    detail::in_pieces(bytes.size(), implementation_->largest_message, [&](std::size_t first, std::size_t count) {
        MPI_Request& part = request.implementation_->parts.emplace_back(MPI_REQUEST_NULL);
        detail::check(MPI_Irecv(bytes.data() + first, static_cast<int>(count), MPI_BYTE, source, tag, group, &part),
                      "MPI_Irecv");
    });
    return request;
}

} // namespace pearlite::parallel
