#pragma once
/// The result of the replicates of a search.

#include "app/result/parts/part.hpp"
#include "app/result/parts/search/edges.hpp"
#include "pearlite/model/energy/detail/descent.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <optional>
#include <span>
#include <vector>

namespace pearlite::app {

using model::Images;

/// The end of the descent from a replicate's best state.
struct PolishedState {
    double energy = 0;
    std::int64_t energies = 0, gradients = 0; ///< computed by the descent
    double gradient_error = 0; ///< error of the energy's own gradient at the start, relative to the gradient's size
    std::vector<double> point;
};

/// Results that algorithm.polish adds to a search.
struct PolishResult {
    std::vector<PolishedState> replicates;
    std::size_t best_replicate = 0; ///< the replicate with the lowest energy after the descent
    model::StateDescription best;   ///< description of that replicate's state
};

struct SearchResult {
    std::vector<algorithm::SearchOutcome> replicates;
    std::vector<std::uint64_t> seeds;
    std::size_t best_replicate = 0;
    model::StateDescription best;
    Matrix region_states; ///< of the best replicate: the best state of each region, one per row
    std::optional<double> known_minimum;
    std::optional<double> success_below;
    bool can_polish = false; ///< the energy is one of points of a box, so that a search alone ends above its minima
    std::optional<PolishResult> polish;
    /// For each replicate, logarithms of the masses of its regions at its last temperature; empty if not known.
    std::vector<std::vector<double>> exact_log_masses;
    EdgeProbabilities edges; ///< empty unless states are graphs and averages were asked for
};

/// The log masses of the regions as a search has learnt them: theta_j + log(pi_j + pi_e), normalised, where pi_e is the
/// share of the regions never proposed to (Karagiannis et al. 2017, section 3.3), for which the result is -inf. Empty
/// without a theta.
std::vector<double> learnt_log_masses(const algorithm::SearchOutcome& outcome);
/// The error of log masses, over the regions in which both are finite.
struct ThetaError {
    double squared = 0; ///< sum of the squared errors
    double largest = 0; ///< in absolute value
};
ThetaError theta_error(const std::vector<double>& learnt, const std::vector<double>& exact);

/// Energies that differ by less count as the same: known minima are given to about six digits.
double energy_tolerance(double energy);

class SearchPart final : public ResultPart {
  public:
    SearchPart(const parallel::Communicator& ranks, SearchResult search) : ranks_(ranks), search_(std::move(search)) {}

    /// Adds data of all replicates: best states, also polished, energies of the chains at the end, theta, counts,
    /// averages.
    void digest(io::Sha256& hash) override;
    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;
    /// best.png and observed.png of an image, best.dot (Graphviz) of a network, nothing of other states; edges.csv if
    /// there are probabilities of edges.
    void write_files(const std::filesystem::path& directory) const override;
    std::optional<Headline> headline() const override;

  private:
    std::string verdict() const;

    parallel::Communicator ranks_;
    SearchResult search_;
};

/// Whether SearchPart::write_files() makes files of this name.
bool is_best_file(const std::string& name);
/// Warnings that the settings did not suit the search.
std::vector<std::string> search_warnings(const SearchResult& search);

// The end of a search in a box: descents from the best states of its replicates to the nearest minima.

/// Whether the space has descents; only energies of points of a box do.
bool can_polish(const model::Space& space);

/// Collective. `outcomes`: those of the replicates, on the root. The ranks share the descents, whose results do not
/// depend on the number of ranks. Complete on the root; elsewhere empty. ContractViolation unless can_polish(space).
PolishResult polish(const parallel::Communicator& ranks, const model::Space& space,
                    const std::vector<algorithm::SearchOutcome>& outcomes, Index replicates);

/// Distance of the energy's own gradient at x from differences, relative to its size; differences of an energy U are no
/// better than 1e-5 or so of max(1, |U|). 0 without a gradient.
double gradient_error(const model::Descent& energy, std::span<const double> x);

} // namespace pearlite::app
