#pragma once
/// Packed point-to-point exchange through a bounded ring of buffers.

#include "parallel/communicator.hpp"

#include <exception>
#include <functional>
#include <span>

namespace pearlite::parallel {

/// A run of items to send to, or expect from, one peer.
struct Transfer {
    int peer = 0;
    Index items = 0;
};

using PackItem = std::function<void(int peer, Index item, std::span<std::byte> out)>;
using UnpackItem = std::function<void(int peer, Index item, std::span<const std::byte> in)>;

/// Sends and receives fixed-size items. Items for a peer are numbered 0.. in the order in which they are packed; the
/// peer unpacks them in that order. Collective over the ranks that have transfers; both sides must list matching counts
/// (nothing is negotiated). Memory: at most `ring` buffers of `chunk` items each way, whatever the traffic.
/// `pack(peer, item, out)` and `unpack(peer, item, in)` are called once per item; a peer equal to this rank is a
/// contract violation.
void exchange(const Communicator& ranks, std::size_t item_bytes, std::span<const Transfer> outgoing,
              std::span<const Transfer> incoming, const PackItem& pack, const UnpackItem& unpack, Index chunk = 256,
              int ring = 16);

/// The same; returns the first failure of `pack` or `unpack` on this rank, which no other rank learns of. All items are
/// exchanged nevertheless.
std::exception_ptr exchange_deferring(const Communicator& ranks, std::size_t item_bytes,
                                      std::span<const Transfer> outgoing, std::span<const Transfer> incoming,
                                      const PackItem& pack, const UnpackItem& unpack, Index chunk = 256, int ring = 16);

} // namespace pearlite::parallel
