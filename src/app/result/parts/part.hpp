#pragma once
/// Parts of a run's result: evidence, posterior, chains, a search ... Each part writes itself to every file of results,
/// and the writers do not depend on any part. kinds.hpp lists the kinds.

#include "app/result/headline.hpp"
#include "io/container/container.hpp"
#include "io/files/digest.hpp"

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
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
    /// The result in a reader's words; nothing if the part has none. `has_warnings`: some part warns.
    virtual std::optional<Headline> headline(bool /*has_warnings*/) const { return {}; }
};

using ResultParts = std::vector<std::unique_ptr<ResultPart>>;

/// The result of a finished run.
struct RunResult {
    ResultParts parts;
    std::string digest; ///< of all parts; on rank 0

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
RunResult result_of(ResultParts parts);

} // namespace pearlite::app
