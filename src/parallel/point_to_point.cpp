#include "parallel/communicator_implementation.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <utility>

namespace pearlite::parallel {

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
