#pragma once
/// Ranks and their collectives, over Boost.MPI. This layer alone calls MPI.

#include "pearlite/core/types.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pearlite::parallel {

class CompactSum;

/// Starts MPI for its lifetime (one thread per rank). If it is destroyed while an exception is in flight, MPI is
/// aborted, so that the other ranks do not wait for ever.
class Environment {
  public:
    Environment(int& argc, char**& argv);
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /// Ends all ranks at once with this status: the way out when ranks can no longer agree.
    [[noreturn]] static void abort(int status);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// A group of ranks. Cheap to copy. All members but rank() and size() are collective: every rank calls them
/// in the same order. T is trivially copyable throughout. A call of MPI that fails throws.
class Communicator {
  public:
    /// All ranks of the job; alone() where no Environment has started MPI.
    static Communicator world();
    /// This rank alone; without an Environment it works too (collectives are then local copies).
    static Communicator alone();

    int rank() const;
    int size() const;
    bool is_root() const { return rank() == 0; }

    void barrier() const;
    /// Whether all ranks call this within `seconds` of this rank's call. If not, the ranks can no longer agree on
    /// anything, and the job has to end. The processor is free meanwhile.
    bool all_arrive(double seconds) const;
    /// The largest value of all ranks; NaN if any is NaN.
    double max(double value) const;
    void max(std::span<double> values) const;
    Index max(Index value) const;
    Index sum(Index value) const;
    void sum(std::span<std::int64_t> values) const;
    void sum(std::span<std::int32_t> values) const;
    /// The sums go to an array of the same length, which is faster than in place.
    void sum(std::span<const std::int16_t> values, std::span<std::int16_t> sums) const;
    void sum(std::span<const std::int32_t> values, std::span<std::int32_t> sums) const;
    /// By their operator, in any order: each in place.
    void sum(std::span<CompactSum> sums) const;

    template <class T>
    void broadcast(std::span<T> values, int root = 0) const {
        broadcast_bytes(std::as_writable_bytes(values), root);
    }
    std::string broadcast(const std::string& text, int root = 0) const;

    /// One value of each rank, in rank order, on every rank.
    template <class T>
    std::vector<T> all_gather(const T& value) const;
    /// The ranks' spans (lengths may differ) one after another in rank order: on every rank, or on `root` only
    /// (elsewhere an empty vector).
    template <class T>
    std::vector<T> all_gather(std::span<const T> values) const;
    /// The same of spans of equal length, into an array that holds size() of them.
    template <class T>
    void all_gather(std::span<const T> values, std::span<T> all) const;
    template <class T>
    std::vector<T> gather(std::span<const T> values, int root = 0) const;
    /// outgoing[r] goes to rank r; returns the bytes from each rank. outgoing.size() == size().
    template <class T>
    std::vector<std::vector<T>> all_to_all(const std::vector<std::vector<T>>& outgoing) const;

    /// Ranks of equal `color` form a new communicator, in the order of their ranks.
    Communicator split(int color) const;
    /// The same ranks; no single message is longer than `bytes` (1 .. 2^31 - 1; by default 2^30). Longer data travel in
    /// several messages, so this changes no result. Not collective, but all ranks must choose the same.
    Communicator with_largest_message(std::size_t bytes) const;
    std::size_t largest_message() const;

    // Byte forms under the templates above; counts in bytes, in rank order. Any number of bytes is legal.
    void broadcast_bytes(std::span<std::byte> bytes, int root) const;
    std::vector<std::byte> all_gather_bytes(std::span<const std::byte> bytes) const;
    void all_gather_bytes(std::span<const std::byte> bytes, std::span<std::byte> all) const;
    std::vector<std::byte> gather_bytes(std::span<const std::byte> bytes, int root) const;
    std::vector<std::vector<std::byte>> all_to_all_bytes(const std::vector<std::span<const std::byte>>& outgoing) const;

    /// Point to point, for exchange.hpp: nonblocking; the buffer must live until wait(). A receive that is destroyed
    /// before wait() is cancelled; a send cannot be.
    class Request {
      public:
        Request();
        Request(Request&&) noexcept;
        Request& operator=(Request&&) noexcept;
        ~Request();
        void wait();

      private:
        friend class Communicator;
        struct Implementation;
        std::unique_ptr<Implementation> implementation_;
    };
    /// Not for alone(), which has no peer. Tags are 0 .. 31999; both sides know the number of bytes.
    Request send(int destination, int tag, std::span<const std::byte> bytes) const;
    Request receive(int source, int tag, std::span<std::byte> bytes) const;

  private:
    friend class Mailbox;
    friend class MachineMemory;
    friend bool on_one_machine(const Communicator& ranks);
    friend struct Crowd most_crowded_machine(const Communicator& ranks, double quota);
    struct Implementation;
    explicit Communicator(std::shared_ptr<const Implementation> implementation);
    std::shared_ptr<const Implementation> implementation_;
};

} // namespace pearlite::parallel

#include "parallel/communicator_templates.hpp"
