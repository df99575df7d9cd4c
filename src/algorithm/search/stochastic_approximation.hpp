#pragma once
/// Parallel and interacting stochastic approximation annealing (Karagiannis, Konomi, Lin & Liang 2017, Algorithm 3),
/// and by its settings SA, VFSA, SAA, PSAA, ASAMC and AESAMC.
///
///     log f_{theta,tau}(x) = -U(x)/tau - theta_{J(x)}
///     for t = 1..n:
///         sampling:   draw an operation; the chains x^(1..kappa) move by it, leaving f_{theta_{t-1}, tau_t} invariant
///         weights:    p_j = (1/kappa) #{i: J(x^i) = j};  theta' = theta_{t-1} + gamma_t (p - pi)   on S_t
///         truncation: theta_t = theta' if |theta'| <= M_c, else theta_t = 0 and c += 1
///         resampling: log w_i += log f_{theta_t, tau_{t+1}}(x^i) - log f_{theta_{t-1}, tau_t}(x^i); where few chains
///                     carry the weight they are resampled by it (if asked for; not in the paper)
///
/// U energy, J the region of energy, S_t the regions ever proposed to, gamma the gain, tau the temperature, pi the
/// desired frequencies. The chains are cut among the ranks; theta and all energies are on every rank, and one
/// collective of O(kappa) words per iteration keeps them so.

#include "algorithm/search/bias/weighted_moments.hpp"
#include "algorithm/search/chains/chain_weights.hpp"
#include "algorithm/search/chains/search_chains.hpp"

#include <memory>
#include <optional>

namespace pearlite::algorithm {

class StochasticApproximation {
  public:
    StochasticApproximation(const parallel::Communicator& ranks, std::shared_ptr<const model::Space> space,
                            SearchSettings settings);

    /// Collective. Draws the first states; not called for a search that is read from a checkpoint.
    void begin();
    bool finished() const { return stages_.finished(); }
    Index iteration() const { return stages_.iteration(); }
    /// Iterations of all stages, done and in all.
    Index iterations_done() const { return stages_.step(); }
    Index iterations_in_all() const { return stages_.steps(); }
    double best_energy() const { return memory_.best_energy(); }
    double temperature() const { return stages_.temperature(); }
    std::int64_t evaluations() const { return memory_.evaluations(); }
    const Block& chains() const { return chains_.states(); }
    const parallel::BlockLayout& layout() const { return chains_.layout(); }
    std::span<const double> energies() const { return memory_.energies(); } ///< of all chains, as last shared
    const model::EnergyPartition& partition() const { return memory_.partition(); }
    double theta(Index region) const { return memory_.theta(0, region); }
    /// Log weights of all chains since they were resampled; empty if they never are.
    std::span<const double> log_weights() const {
        return weights_ ? weights_->log_weights() : std::span<const double>();
    }

    /// Collective; begun and not finished. One iteration.
    void iterate();

    /// Collective; finished().
    SearchOutcome outcome() const;

    /// The state of the search, on any number of ranks; collective. Reading ends with evaluated states.
    void fields(Fields& f);

  private:
    /// Collective. Chains without a state of finite energy take copies of those that have one.
    void share_starts();
    /// Sampling. Crossovers need energies that are up to date, and two chains.
    void sample();
    /// Collective. Sends the reports of all chains since the last collective to every rank; then updates the weights
    /// and the truncation for each of these iterations.
    void learn();
    /// The weights of iteration t, and the truncation.
    void update_theta(Index t, double gain);
    /// Collective. Resamples the chains where that is due.
    void resample();
    /// Averages coordinates or edges with weights that undo the theta and the temperature of iteration t.
    void take_averages(Index t);
    /// Lists the nodes that the edges in `features_` join after them, as WeightedAverages says.
    void add_adjacencies();
    void begin_main_stage();
    void moment_fields(Fields& f);

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Space> space_;
    const model::PointStates* points_; ///< null if states have no coordinates
    const model::GraphStates* graphs_; ///< null if states are no graphs
    SearchSettings settings_;
    SearchStages stages_;
    OperationChoice choice_;
    DrawsAhead choices_; ///< the first number of each step is its operation's
    StartDraws start_;
    SearchMemory memory_;
    SearchChains chains_;
    ReportWindow window_;
    std::optional<ChainWeights> weights_; ///< if chains are resampled
    std::vector<double> theta_before_;    ///< scratch
    Index nodes_;                         ///< of graphs
    WeightedMoments moments_;             ///< of this rank's chains
    std::vector<Index> features_;         ///< scratch
};

} // namespace pearlite::algorithm
