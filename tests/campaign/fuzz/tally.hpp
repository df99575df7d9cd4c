#pragma once
/// Counts of outcomes in a file, which survives a crash of the process that writes it.

#include "campaign/fuzz/input_kind.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace pearlite::fuzz {

struct Tally {
    std::int64_t accepted, refused, failed; ///< failed: another status than 0 and 2
    std::int64_t current;                   ///< the number of the input that is being tried
    std::array<char, 2048> message;         ///< of the last failure

    void add(Outcome outcome, const std::string& what);
    std::int64_t tried() const { return accepted + refused + failed; }
};

/// A tally that processes share through a file, which is made anew, all zero, or as it is if `again`. It stays until
/// the process ends.
Tally& shared_tally(const std::filesystem::path& file, bool again = false);

} // namespace pearlite::fuzz
