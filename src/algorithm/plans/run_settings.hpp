#pragma once
/// The table [run], and limits that other tables share.

#include "pearlite/core/keys.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <optional>
#include <string>

namespace pearlite::algorithm {

/// Random numbers are addressed by slots of 40 bits, and steps of 32.
inline constexpr Index largest_population = Index{1} << 40;
inline constexpr Index largest_step = 4'000'000'000;
/// Every temperature is recorded on every rank.
inline constexpr Index most_temperatures = 100'000'000;

/// Stands for a name or a number that the program chooses.
inline constexpr const char* auto_word = "auto";

/// The default of run.block where a model chooses it, in words.
inline constexpr const char* block_of_model = "the model's, 16 unless its page says otherwise";

struct RunSettings {
    struct Facts {
        bool has_block = true;          ///< false: a block is a temperature, or a chain
        bool has_balance = false;       ///< blocks may change their ranks
        bool has_spot_check = false;    ///< leaves particles and an evidence
        std::string block_default = {}; ///< in words, if the model chooses it
        Index largest_block = 4096;
        random::Generator generator = random::Generator::philox; ///< by default
    };

    enum class GeneratorChoice { automatic, philox, ars };

    random::Seed seed = 1; ///< with the generator that was chosen
    GeneratorChoice generator = GeneratorChoice::automatic;
    Index block = 16;
    bool balance = true;
    bool checks_spots = true;
    std::optional<double> checkpoint_every_seconds = 300; ///< none: from their cost and the failures
    double mean_time_between_failures = 86400;            ///< of the job, seconds
    std::optional<double> time_limit_seconds;
    bool is_short = false; ///< applied by io::Configuration

    void keys(Keys& k, const Facts& facts);
};

} // namespace pearlite::algorithm
