#pragma once
/// The crew of a search: the ranks that share its chains. A short search costs less on one rank than the messages of
/// several would.

#include "algorithm/search/search_settings.hpp"
#include "parallel/communicator.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// The size of a crew, and the trials by which it was chosen.
struct SearchCrew {
    struct Trial {
        int ranks = 1;
        double seconds = 0; ///< of an iteration, wall time; +inf if the trial failed
    };

    int size = 1;
    std::vector<Trial> trials; ///< none where nothing had to be measured

    /// "an iteration takes 1.4 us on 1 rank, 2.9 us on 2"; empty without trials.
    std::string describe() const;
};

/// Collective. The first `size` ranks of `team` are to make the search: settings.ranks of them, or as many as make its
/// iterations fastest, never more than there are chains. Trials of some milliseconds measure that by the wall clock:
/// the choice may differ from run to run, but no number of a search depends on it. A failure of a trial is left to the
/// search itself.
SearchCrew choose_crew(const parallel::Communicator& team, const std::shared_ptr<const model::Space>& space,
                       const SearchSettings& settings);

} // namespace pearlite::algorithm
