#pragma once
/// Settings of stochastic approximation annealing and its relatives (Karagiannis et al. 2017, sections 2 to 4).

#include "core/fields.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/energy/detail/energy_partition.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace pearlite::algorithm {

/// tau_t, t = 1, 2, ...
struct TemperatureLadder {
    enum class Kind {
        square_root, ///< high sqrt(n / max(t, n)) + low
        geometric,   ///< from high at t = 1 to low at t = n, constant afterwards
        constant     ///< low
    };
    Kind kind = Kind::square_root;
    double high = 1, low = 0.01; ///< tau_h and tau_*
    Index n = 1;                 ///< n^(tau)

    double operator()(Index t) const;
};

/// gamma_t = (n / max(t, n))^beta.
struct GainFactor {
    Index n = 1000;
    double beta = 0.55;

    double operator()(Index t) const;
};

struct SearchSettings {
    /// The chains that share a self-adjusting bias theta.
    enum class Bias {
        none,  ///< there is none: simulated annealing, VFSA
        own,   ///< each chain has its own: SAA, PSAA
        shared ///< all chains have one: PISAA
    };
    /// The chains that take part in a crossover.
    enum class Crossover {
        population, ///< half of the chains with partners from the other half, or all in pairs
        single      ///< one chain, or one pair
    };

    Index chains = 1;     ///< kappa
    Index iterations = 0; ///< n
    random::Seed seed = {};
    Bias bias = Bias::shared;
    Crossover crossover = Crossover::population;
    TemperatureLadder temperature;
    GainFactor gain;
    double lambda = 0.1; ///< pi_j ~ exp(-lambda j)
    /// The regions; without them a stage of `range_iterations` finds the range of energies and cuts it at
    /// `range_points` points.
    std::optional<model::EnergyPartition> partition;
    Index range_iterations = 0;
    Index range_points = 100;
    /// States that are drawn in all chains together where none of the first has a finite energy, at most.
    Index most_start_draws = 100'000;
    /// The first iterations, in which scales are adapted to the wanted acceptance; frozen afterwards.
    Index pilot_iterations = 0;
    double wanted_acceptance = 0.234;
    bool scale_by_region = false;       ///< scales grow with the region: s j / (m + 1)
    double selection_temperature = 0.1; ///< T_sel
    /// The space shrinks to the regions up to J(E_best + aleph), as in ASAMC and AESAMC.
    std::optional<double> aleph;
    /// Iterations between two collectives. More than 1 changes the algorithm: theta and the energies by which partners
    /// are chosen lag by up to as many, and crossovers happen only in the first iteration of each such window.
    Index sync_every = 1;
    /// Ranks that share the chains of a replicate, at most; nothing: as many as make it faster, by a measurement. No
    /// result depends on it.
    std::optional<Index> ranks;
    /// Coordinates, or edges of graphs, are averaged over the iterations after this one, with the weights of exp(-U).
    /// From then on theta stays fixed, since the states that it would learn from are biased. Needs sync_every = 1 and
    /// model::PointStates or model::GraphStates.
    std::optional<Index> average_from;
    Index average_every = 1; ///< iterations from one term of the averages to the next
    /// Chains are resampled by their weights (ChainWeights) where the effective number of them falls below this share;
    /// nothing: never. Needs sync_every = 1 and a bias that all chains share or none, and goes neither with aleph nor
    /// with average_from.
    std::optional<double> resample_below;
    /// The rates of the operations, in their order; empty: equal.
    std::vector<double> rates;
    /// For tests: theta stays at these values, one per region.
    std::vector<double> fixed_theta;

    /// ContractViolation for numbers that make no search.
    void check() const;
};

// The stages of a search and its progress through them.

/// A search has one stage, or two: without given regions a first stage finds the range of energies.
class SearchStages {
  public:
    explicit SearchStages(const SearchSettings& settings)
        : main_iterations_(settings.iterations),
          range_iterations_(settings.partition ? 0 : settings.range_iterations),
          pilot_iterations_(settings.pilot_iterations),
          ladder_(settings.temperature),
          quench_{TemperatureLadder::Kind::geometric, settings.temperature(1),
                  settings.temperature(settings.iterations), settings.range_iterations},
          gain_(settings.gain),
          stage_(settings.partition ? Stage::main : Stage::range) {}

    bool is_main() const { return stage_ == Stage::main; }
    bool finished() const { return is_main() && iteration_ == main_iterations_; }
    /// The present iteration of the stage, from 1; 0 before the first.
    Index iteration() const { return iteration_; }
    /// Iterations begun, of all stages: the step by which random numbers are addressed.
    Index step() const { return step_; }
    Index steps() const { return main_iterations_ + range_iterations_; }
    /// The main stage's iteration at a step; 0 before that stage.
    Index main_iteration_at(Index step) const { return std::max<Index>(0, step - range_iterations_); }
    /// Whether the present iteration is the stage's last.
    bool is_last() const { return iteration_ == (is_main() ? main_iterations_ : range_iterations_); }
    bool is_last(Index t) const { return t == (is_main() ? main_iterations_ : range_iterations_); }
    /// Whether the upper end of the range of energies is read off after iteration t of the first stage.
    bool is_range_top(Index t) const { return !is_main() && t == std::max<Index>(1, range_iterations_ / 10); }

    /// tau_t; the range stage quenches from the highest temperature to the lowest.
    double temperature(Index t) const { return is_main() ? ladder_(t) : quench_(t); }
    double temperature() const { return temperature(std::max<Index>(iteration_, 1)); }
    /// gamma_t of the main stage.
    double gain(Index t) const { return gain_(t); }
    bool adapts_scales(Index t) const { return !is_main() || t <= pilot_iterations_; }

    void advance() {
        ++iteration_;
        ++step_;
    }
    void begin_main() {
        stage_ = Stage::main;
        iteration_ = 0;
    }

    void fields(Fields& f) {
        f("iteration", iteration_);
        f("address_step", step_);
        auto stage = static_cast<std::int64_t>(stage_);
        f("stage", stage);
        PEARLITE_EXPECTS(stage == 0 || stage == 1);
        stage_ = static_cast<Stage>(stage);
        PEARLITE_EXPECTS(iteration_ >= 0 && iteration_ <= (is_main() ? main_iterations_ : range_iterations_));
        PEARLITE_EXPECTS(step_ == iteration_ + (is_main() ? range_iterations_ : 0));
    }

  private:
    enum class Stage : std::int64_t { range = 0, main = 1 };

    Index main_iterations_, range_iterations_, pilot_iterations_;
    TemperatureLadder ladder_, quench_;
    GainFactor gain_;
    Stage stage_;
    Index iteration_ = 0, step_ = 0;
};

} // namespace pearlite::algorithm
