#include "parallel/exchange.hpp"

#include "parallel/communicator_implementation.hpp"

#include <algorithm>
#include <deque>
#include <utility>

// Proof that no rank waits forever. A message has the key (distance from sender to receiver, number within the pair),
// which both ends compute alike. Every rank posts its sends in the order of their keys, and so its receives, as far as
// the rings reach, and waits only for the least key that it has posted. Take the least key of all messages not yet
// delivered: all messages that its two ends posted before it are delivered, so both have posted it, whatever the length
// of the rings, and it arrives.

namespace pearlite::parallel {

namespace {

struct Message {
    int distance = 0;
    int peer = 0;
    Index first = 0;
    Index count = 0;

    friend bool earlier(const Message& a, const Message& b) {
        return std::pair(a.distance, a.first) < std::pair(b.distance, b.first);
    }
};

// The messages of one direction in the order of their keys; a peer that is listed twice has its items in one sequence.
// Time and memory depend on the transfers, not on the number of ranks.
class Traffic {
  public:
    Traffic(std::span<const Transfer> transfers, const Communicator& ranks, int direction, Index chunk)
        : chunk_(chunk) {
        const int n = ranks.size();
        for (const Transfer& transfer : transfers) {
            PEARLITE_EXPECTS(transfer.peer >= 0 && transfer.peer < n && transfer.peer != ranks.rank());
            PEARLITE_EXPECTS(transfer.items >= 0);
            const int distance = (direction * (transfer.peer - ranks.rank()) + n) % n;
            legs_.push_back({distance, transfer.peer, transfer.items});
        }
        std::sort(legs_.begin(), legs_.end(), [](const Leg& a, const Leg& b) { return a.distance < b.distance; });
        std::size_t kept = 0;
        for (const Leg& leg : legs_) {
            if (kept > 0 && legs_[kept - 1].distance == leg.distance)
                legs_[kept - 1].items += leg.items;
            else
                legs_[kept++] = leg;
        }
        legs_.resize(kept);
    }

    std::optional<Message> next() {
        for (; leg_ < legs_.size(); ++leg_, first_ = 0) {
            const auto& [distance, peer, items] = legs_[leg_];
            if (first_ < items) {
                const Message message{distance, peer, first_, std::min(chunk_, items - first_)};
                first_ += message.count;
                return message;
            }
        }
        return std::nullopt;
    }

  private:
    struct Leg {
        int distance, peer; // direction +1: to rank + distance; -1: from rank - distance
        Index items;
    };
    Index chunk_;
    std::vector<Leg> legs_; // by distance
    std::size_t leg_ = 0;
    Index first_ = 0;
};

// Memory for one message after another, which holds anything before it is written.
class Buffer {
  public:
    void resize(std::size_t size) {
        if (size > capacity_) {
            data_ = std::make_unique_for_overwrite<std::byte[]>(size); // NOLINT(modernize-avoid-c-arrays)
            capacity_ = size;
        }
        size_ = size;
    }
    std::span<std::byte> bytes() const { return {data_.get(), size_}; }

  private:
    std::unique_ptr<std::byte[]> data_; // NOLINT(modernize-avoid-c-arrays)
    std::size_t size_ = 0, capacity_ = 0;
};

struct Posted {
    Message message;
    Buffer buffer;
    Communicator::Request request;
};

// A bounded queue of posted messages whose buffers are used again.
class Ring {
  public:
    Ring(Traffic traffic, std::size_t item_bytes, int size)
        : traffic_(std::move(traffic)),
          item_bytes_(item_bytes),
          room_(static_cast<std::size_t>(size)),
          upcoming_(traffic_.next()) {}

    template <class Post>
    void fill(Post&& post) {
        for (; upcoming_ && posted_.size() < room_; upcoming_ = traffic_.next()) {
            Buffer buffer;
            if (!free_.empty()) {
                buffer = std::move(free_.back());
                free_.pop_back();
            }
            buffer.resize(static_cast<std::size_t>(upcoming_->count) * item_bytes_);
            posted_.push_back({*upcoming_, std::move(buffer), {}});
            post(posted_.back());
        }
    }

    bool empty() const { return posted_.empty(); }
    const Message& oldest() const { return posted_.front().message; }

    /// Waits for the oldest message, shows it to `use`, and frees its buffer.
    template <class Use>
    void finish_oldest(Use&& use) {
        posted_.front().request.wait();
        use(posted_.front());
        free_.push_back(std::move(posted_.front().buffer));
        posted_.pop_front();
    }

  private:
    Traffic traffic_;
    std::size_t item_bytes_;
    std::size_t room_;
    std::optional<Message> upcoming_;
    std::deque<Posted> posted_; // its elements do not move while MPI writes into their buffers
    std::vector<Buffer> free_;
};

// Runs work(item, bytes) over the items of a message. After an error it skips the work, while the exchange continues
// for the other ranks.
template <class Bytes, class Work>
void for_each_item(const Message& message, Bytes bytes, std::size_t item_bytes, std::exception_ptr& error,
                   Work&& work) {
    if (error)
        return;
    try {
        for (Index i = 0; i < message.count; ++i)
            work(message.first + i, bytes.subspan(static_cast<std::size_t>(i) * item_bytes, item_bytes));
    } catch (...) {
        error = std::current_exception();
    }
}

} // namespace

std::exception_ptr exchange_deferring(const Communicator& ranks, std::size_t item_bytes,
                                      std::span<const Transfer> outgoing, std::span<const Transfer> incoming,
                                      const PackItem& pack, const UnpackItem& unpack, Index chunk, int ring) {
    PEARLITE_EXPECTS(chunk >= 1 && ring >= 1);
    Ring sends(Traffic(outgoing, ranks, +1, chunk), item_bytes, ring);
    Ring receives(Traffic(incoming, ranks, -1, chunk), item_bytes, ring);
    std::exception_ptr error;

    const auto post_receive = [&](Posted& posted) {
        posted.request = ranks.receive(posted.message.peer, detail::exchange_tag, posted.buffer.bytes());
    };
    const auto post_send = [&](Posted& posted) {
        for_each_item(posted.message, posted.buffer.bytes(), item_bytes, error,
                      [&](Index item, std::span<std::byte> out) { pack(posted.message.peer, item, out); });
        posted.request = ranks.send(posted.message.peer, detail::exchange_tag, posted.buffer.bytes());
    };
    const auto unpack_received = [&](const Posted& posted) {
        for_each_item(posted.message, std::span<const std::byte>(posted.buffer.bytes()), item_bytes, error,
                      [&](Index item, std::span<const std::byte> in) { unpack(posted.message.peer, item, in); });
    };

    for (;;) {
        receives.fill(post_receive);
        sends.fill(post_send);
        if (receives.empty() && sends.empty())
            break;
        if (sends.empty() || (!receives.empty() && !earlier(sends.oldest(), receives.oldest())))
            receives.finish_oldest(unpack_received);
        else
            sends.finish_oldest([](const Posted&) {});
    }
    return error;
}

void exchange(const Communicator& ranks, std::size_t item_bytes, std::span<const Transfer> outgoing,
              std::span<const Transfer> incoming, const PackItem& pack, const UnpackItem& unpack, Index chunk,
              int ring) {
    if (const auto error = exchange_deferring(ranks, item_bytes, outgoing, incoming, pack, unpack, chunk, ring))
        std::rethrow_exception(error);
}

} // namespace pearlite::parallel
