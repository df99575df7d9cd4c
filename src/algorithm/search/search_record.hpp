#pragma once
/// The record of a search: the best states, the progress, the counts of accepted operations.

#include "core/fields.hpp"
#include "parallel/communicator.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// A state of low energy and where it was found. `before` orders finds in a way that does not depend on the order in
/// which they are compared.
struct Find {
    double energy = infinity;
    std::int64_t iteration = 0;
    std::int64_t chain = 0;
    std::vector<std::byte> state; ///< packed; empty on ranks that do not own the chain

    bool before(const Find& other) const {
        if (energy != other.energy)
            return energy < other.energy;
        return iteration != other.iteration ? iteration < other.iteration : chain < other.chain;
    }

    void fields(Fields& f);
};

/// Collective. The best of the ranks' finds, with its state of `bytes` bytes, on every rank.
Find best_of_ranks(const parallel::Communicator& ranks, const Find& mine, std::size_t bytes);

/// The best energy so far at iterations that are about equally far apart on a logarithmic scale, 40 a decade: the same
/// iterations in every run, so that runs can be averaged.
class ProgressCurve {
  public:
    static constexpr double per_decade = 40;

    bool is_due(std::int64_t iteration) const { return iteration >= next_; }
    void add(std::int64_t iteration, std::int64_t evaluations, double best, double temperature);

    const std::vector<std::int64_t>& iterations() const { return iterations_; }
    const std::vector<std::int64_t>& evaluations() const { return evaluations_; }
    const std::vector<double>& best() const { return best_; }
    const std::vector<double>& temperature() const { return temperature_; }

    void fields(Fields& f);

  private:
    std::int64_t next_ = 1;
    std::vector<std::int64_t> iterations_, evaluations_;
    std::vector<double> best_, temperature_;
};

/// How often one operation was proposed and accepted.
struct OperationCount {
    std::int64_t proposed = 0, accepted = 0;
    double rate() const {
        return proposed > 0 ? static_cast<double>(accepted) / static_cast<double>(proposed)
                            : std::numeric_limits<double>::quiet_NaN();
    }
};

/// The counts of all operations as a field.
void counts_field(Fields& f, std::vector<OperationCount>& counts);

/// Weighted averages over the course of a search: expectations under exp(-U), of coordinates, or of features of graphs
/// of n nodes: first whether there is an edge, parent * n + child, then, n^2 places later, whether there is one in any
/// direction, the smaller node * n + the larger.
struct WeightedAverages {
    std::vector<double> means, deviations; ///< of each coordinate or feature; empty if not asked for
    std::vector<double> errors;            ///< standard errors of features' means; empty with one chain
    /// (sum of weights)^2 / (sum of their squares), of states that are not independent.
    double effective_states = 0;
    double effective_chains = 0; ///< the same of the sums of the chains' weights

    void fields(Fields& f);
};

/// States drawn beside the first ones where none of these has a finite energy, by all chains, and how many had one.
struct StartDraws {
    std::int64_t draws = 0, feasible = 0;

    /// Fields of a checkpoint; none without draws, so that files of older versions can be read.
    void fields(Fields& f);
};

/// The outcome of a finished search; complete on the root of its ranks.
struct SearchOutcome {
    /// A region that is first visited after this share of all gain has been spent is a late one.
    static constexpr double late_share = 0.9;

    Find best;
    std::int64_t best_evaluations = 0; ///< proposals up to the find
    std::int64_t iterations = 0;       ///< of the main stage
    std::int64_t evaluations = 0;      ///< of all stages
    ProgressCurve curve;
    std::vector<std::string> operations;
    std::vector<OperationCount> counts;
    std::vector<double> scales;       ///< as frozen; NaN for operations without one
    std::vector<double> points;       ///< that cut the energies into regions
    std::vector<double> theta;        ///< normalised: logarithms of the regions' masses; -inf where never proposed
    std::vector<double> desired;      ///< pi_j
    std::vector<std::int64_t> visits; ///< of chains, per region
    std::vector<std::int64_t> first_visits; ///< the iteration in which a chain was first in each region; 0: none was
    std::vector<std::int64_t> late_regions; ///< first visited so late that their theta is not learnt
    std::vector<double> region_best;        ///< the lowest energy found in each region, +inf where none
    std::vector<std::byte> region_states;   ///< their states, packed, one after another; empty if not kept
    std::vector<double> final_energies;     ///< of the chains
    std::vector<double> final_log_weights;  ///< for tempered use: theta_J + U (1/tau_n - 1)
    WeightedAverages averages;              ///< if they were asked for
    StartDraws start;                       ///< if none of the first states had a finite energy
    std::int64_t truncations = 0;
    std::int64_t outside = 0; ///< chain iterations outside a space that shrinks

    void fields(Fields& f);
};

} // namespace pearlite::algorithm
