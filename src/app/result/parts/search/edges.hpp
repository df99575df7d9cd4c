#pragma once
/// Probabilities of the edges of a graph, from the averages of a search.

#include "algorithm/search/search_record.hpp"
#include "io/container/container.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pearlite::app {

/// Means over the replicates, of which each counts the same, and standard errors: from the differences of the chains
/// within the replicates, or, with one chain each, of two replicates or more; else the errors are NaN. Matrices have a
/// row for each parent and a column for each child.
struct EdgeProbabilities {
    std::vector<std::string> nodes;
    Matrix probability, standard_error;
    Matrix adjacent, adjacent_standard_error; ///< of an edge in any direction; symmetric
    Matrix replicates;                        ///< a row of `probability`, row by row, for each replicate
    std::vector<double> effective_states;     ///< of each replicate

    bool empty() const { return nodes.empty(); }
    /// Pairs parent, child with a probability above 0, the most probable first.
    std::vector<std::pair<Index, Index>> by_probability() const;
    /// A line for each pair of by_probability().
    std::string csv() const;
    nlohmann::json summary() const;
    void write(io::Writer& writer) const;
};

/// Empty if no averages were asked for, or none of graphs.
EdgeProbabilities edge_probabilities(const std::vector<algorithm::SearchOutcome>& replicates,
                                     std::vector<std::string> nodes);

} // namespace pearlite::app
