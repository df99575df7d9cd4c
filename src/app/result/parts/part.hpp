#pragma once
/// Parts of a run's result: evidence, posterior, chains, a search ... Each part writes itself to every file of results,
/// and the writers do not depend on any part. list_of_parts.inl lists the kinds.

#include "app/result/verdict.hpp"
#include "io/container/container.hpp"
#include "io/files/digest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

struct SummaryParts;
struct PosteriorArrays;

/// A part overrides only the functions that concern it. Rank 0 has all it writes; elsewhere a part may be incomplete,
/// but every rank has the same parts.
class ResultPart {
  public:
    virtual ~ResultPart() = default;

    /// Collective. Adds the states and estimates that the digest of a run stands for; on rank 0.
    virtual void digest(io::Sha256&) {}
    /// Collective. Adds fields of results.h5; all ranks name the same ones. Sharded data must live until the file is
    /// written.
    virtual void write_fields(io::Writer&) {}

    // Called on rank 0 alone.

    /// Adds to summary.json.
    virtual void write_summary(SummaryParts&) const {}
    /// Adds to posterior.nc.
    virtual void write_posterior(PosteriorArrays&) const {}
    /// Writes further files into the run's directory. FileError if they cannot be written.
    virtual void write_files(const std::filesystem::path&) const {}
    /// The result in a number, with what was looked at to judge it; nothing if the part has none.
    virtual std::optional<Headline> headline() const { return {}; }
};

using ResultParts = std::vector<std::unique_ptr<ResultPart>>;

/// The result of a finished run.
struct RunResult {
    ResultParts parts;
    std::string digest;                    ///< of all parts; on rank 0
    std::vector<std::string> remarks = {}; ///< on parts that could not be made

    /// The part of type P; null if there is none.
    template <class P>
    const P* part() const {
        for (const auto& part : parts)
            if (const auto* found = dynamic_cast<const P*>(part.get()))
                return found;
        return nullptr;
    }
};

/// Collective.
RunResult result_of(ResultParts parts, std::vector<std::string> remarks = {});

using Json = nlohmann::ordered_json;

/// Contributions of the parts, in the order of the file.
struct SummaryParts {
    Json entries = Json::object();     ///< at the top level
    Json diagnostics = Json::object(); ///< in "diagnostics"
    std::vector<std::string> warnings;
};

/// The number as JSON, which has no infinities: they are written as text.
inline Json json_number(double value) {
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

/// The number under `key`; NaN if it is missing or was written as text.
inline double number_at(const Json& entry, const char* key) {
    const auto value = entry.find(key);
    return value != entry.end() && value->is_number() ? value->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// The whole number under `key`; `otherwise` if it is missing, a text, or none that fits.
inline std::int64_t whole_at(const Json& entry, const char* key, std::int64_t otherwise = 0) {
    constexpr double all_below_fit = 0x1p63;
    const auto value = entry.find(key);
    if (value == entry.end() || !value->is_number())
        return otherwise;
    if (value->is_number_float() && !(std::abs(value->get<double>()) < all_below_fit))
        return otherwise;
    return value->get<std::int64_t>();
}

} // namespace pearlite::app
