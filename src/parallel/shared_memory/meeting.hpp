#pragma once
/// Collectives of ranks that share the cores of one machine: a rank that waits sleeps.
///
/// MPI looks for messages again and again while it waits. Where ranks exceed cores, each of these looks takes the core
/// from a rank that has work, and a reduction of 32 ranks on two cores takes milliseconds.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pearlite::parallel {

/// All members but the constructor are collective. Every rank writes into its own place of memory that all share, and
/// reads the places of the others once all have written (futex(2) of Linux). There are two such places for each rank,
/// used in turn, so that one wait for each collective is enough.
class Meeting {
  public:
    static constexpr std::size_t most_bytes = std::size_t{1} << 16; ///< of a rank

    /// Opens the shared memory of this name, or makes it. `look` is called every now and then while a rank waits: MPI
    /// delivers pending messages only when it is called. Throws std::system_error.
    Meeting(const std::string& name, bool makes_it, int rank, int ranks, std::function<void()> look);
    ~Meeting();
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;

    /// Removes the name; the memory stays until all ranks have ended.
    static void remove_name(const std::string& name);

    /// Waits until all ranks have come, each with at most most_bytes. Their bytes stand until the next call.
    void meet(std::span<const std::byte> own);
    /// The bytes that a rank brought to the last meeting.
    const std::byte* brought(int rank) const;

  private:
    struct Shared;
    std::byte* place(int rank) const;
    void wait_for(std::uint32_t round);

    Shared* shared_ = nullptr;
    std::size_t size_;
    int rank_, ranks_;
    std::function<void()> look_;
    std::uint32_t round_ = 0; ///< of meetings that have begun
};

} // namespace pearlite::parallel
