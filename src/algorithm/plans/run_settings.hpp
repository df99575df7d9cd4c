#pragma once
/// The table [run].

#include "pearlite/core/keys.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace pearlite::algorithm {

/// The default of run.block where a model chooses it, in words.
inline constexpr const char* block_of_model = "the model's, 16 unless its page says otherwise";

struct RunSettings {
    struct Facts {
        bool has_block = true;          ///< false: a block is a temperature, or a chain
        bool has_balance = false;       ///< blocks may change their ranks
        std::string block_default = {}; ///< in words, if the model chooses it
        Index largest_block = 4096;
    };

    std::uint64_t seed = 1;
    Index block = 16;
    bool balance = true;
    double checkpoint_every_seconds = 300;
    std::optional<double> time_limit_seconds;

    void keys(Keys& k, const Facts& facts);
};

} // namespace pearlite::algorithm
