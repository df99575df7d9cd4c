#pragma once
/// The keys of the searches for low energies, in [algorithm], [schedule] and [kernel].

#include "algorithm/search/search.hpp"
#include "pearlite/model/model_entry.hpp"

#include <optional>

namespace pearlite::algorithm {

/// The traits by which members of the family differ. Keys that a member does not use are set aside, so that one
/// configuration serves all members.
struct SearchMember {
    algorithm::SearchSettings::Bias bias = algorithm::SearchSettings::Bias::shared;
    bool has_one_chain = false;
    bool crosses = true;
    bool shrinks = false; ///< its space, at a constant temperature
    algorithm::TemperatureLadder::Kind ladder = algorithm::TemperatureLadder::Kind::square_root;
};

struct SearchKeys {
    algorithm::SearchPlan plan;
    std::optional<double> energy_low, energy_high; ///< of the regions; else the search finds them

    /// Keys of [algorithm] but its name, and of [schedule] and [kernel].
    void keys(Keys& k, const SearchMember& member, const model::SearchTraits& traits);

  private:
    void list_temperature(Keys& k, const SearchMember& member);
    void list_regions(Keys& k, const SearchMember& member);
    void list_crossovers(Keys& k, const SearchMember& member);
    void list_resampling(Keys& k, const SearchMember& member);
    void list_averages(Keys& k, const SearchMember& member, const model::SearchTraits& traits);
    void list_operations(Keys& k, const SearchMember& member, const model::SearchTraits& traits);
    void leave_out_crossovers(Keys& k, const model::SearchTraits& traits);
};

} // namespace pearlite::algorithm
