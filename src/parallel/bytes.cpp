// The byte forms of the collectives. If one MPI call cannot count the bytes, several calls of the same kind or
// broadcasts rank by rank take its place; all ranks know all sizes, so that all choose the same way.
#include "parallel/communicator_implementation.hpp"

#include <boost/mpi/collectives.hpp>

#include <algorithm>
#include <numeric>

namespace pearlite::parallel {

namespace {

using detail::check;
using Bytes = std::vector<std::byte>;

std::vector<std::uint64_t> sizes_of_all(const boost::mpi::communicator& group, std::size_t mine) {
    std::vector<std::uint64_t> sizes;
    detail::count_collective(static_cast<std::size_t>(group.size()) * sizeof(std::uint64_t));
    boost::mpi::all_gather(group, static_cast<std::uint64_t>(mine), sizes);
    return sizes;
}

// The offset of each rank's bytes when they lie one after another; one entry more than ranks, the last is the total.
std::vector<std::uint64_t> offsets_of(const std::vector<std::uint64_t>& sizes) {
    std::vector<std::uint64_t> offsets(sizes.size() + 1, 0);
    std::partial_sum(sizes.begin(), sizes.end(), offsets.begin() + 1);
    return offsets;
}

std::vector<int> as_int(std::span<const std::uint64_t> values) {
    return {values.begin(), values.end()};
}

} // namespace

void Communicator::broadcast_bytes(std::span<std::byte> bytes, int root) const {
    PEARLITE_EXPECTS(root >= 0 && root < size());
    if (!implementation_->group)
        return;
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
        std::copy(bytes.begin(), bytes.end(), all.begin());
        return;
    }
    if (bytes.size() > implementation_->largest_message / ranks) {
        std::ranges::copy(all_gather_bytes(bytes), all.begin());
        return;
    }
    const int count = static_cast<int>(bytes.size());
    detail::count_collective(all.size());
    check(MPI_Allgather(bytes.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, *implementation_->group),
          "MPI_Allgather");
}

std::vector<std::byte> Communicator::all_gather_bytes(std::span<const std::byte> bytes) const {
    if (!implementation_->group)
        return {bytes.begin(), bytes.end()};
    const auto sizes = sizes_of_all(*implementation_->group, bytes.size());
    const auto offsets = offsets_of(sizes);
    Bytes gathered(offsets.back());
    if (offsets.back() <= implementation_->largest_message) {
        detail::count_collective(gathered.size());
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
        return {bytes.begin(), bytes.end()};
    const auto sizes = sizes_of_all(*implementation_->group, bytes.size());
    const auto offsets = offsets_of(sizes);
    Bytes gathered(rank() == root ? offsets.back() : 0);
    if (offsets.back() <= implementation_->largest_message) {
        detail::count_collective(offsets.back());
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
        return {Bytes(outgoing[0].begin(), outgoing[0].end())};
    std::vector<std::uint64_t> outgoing_sizes(outgoing.size());
    std::ranges::transform(outgoing, outgoing_sizes.begin(), &std::span<const std::byte>::size);
    std::vector<std::uint64_t> incoming_sizes;
    detail::count_collective(outgoing.size() * sizeof(std::uint64_t));
    boost::mpi::all_to_all(*implementation_->group, outgoing_sizes, incoming_sizes);

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

void Request::wait() {
    if (!implementation_)
        return;
    for (MPI_Request& part : implementation_->parts)
        detail::check(MPI_Wait(&part, MPI_STATUS_IGNORE), "MPI_Wait");
    implementation_.reset();
}

Request Communicator::send(int destination, int tag, std::span<const std::byte> bytes) const {
    PEARLITE_EXPECTS(implementation_->group.has_value());
    PEARLITE_EXPECTS(destination >= 0 && destination < size() && tag >= 0 && tag <= detail::largest_tag);
    Request request;
    request.implementation_ = std::make_unique<Request::Implementation>();
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
    const MPI_Comm group = *implementation_->group;
    detail::in_pieces(bytes.size(), implementation_->largest_message, [&](std::size_t first, std::size_t count) {
        MPI_Request& part = request.implementation_->parts.emplace_back(MPI_REQUEST_NULL);
        detail::check(MPI_Irecv(bytes.data() + first, static_cast<int>(count), MPI_BYTE, source, tag, group, &part),
                      "MPI_Irecv");
    });
    return request;
}

} // namespace pearlite::parallel
