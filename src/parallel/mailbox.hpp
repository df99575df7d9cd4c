#pragma once
/// Short letters from rank to rank, which the receiver takes when it likes.

#include "parallel/communicator.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::parallel {

/// Letters travel between machines and within one while the sender goes on; no collective call and no one-sided
/// communication is involved. Letters of one sender to one receiver keep their order. One mailbox at a time on a rank.
class Mailbox {
  public:
    struct Letter {
        int from = 0;
        std::vector<Index> words;
    };

    explicit Mailbox(const Communicator& ranks);
    /// Waits until all own letters have left, except while an exception is in flight.
    /// @pre every letter to this rank has been taken
    ~Mailbox();
    Mailbox(const Mailbox&) = delete;

    void post(int to, std::vector<Index> words);
    /// The oldest letter that has arrived, if there is one.
    std::optional<Letter> take();

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

} // namespace pearlite::parallel
