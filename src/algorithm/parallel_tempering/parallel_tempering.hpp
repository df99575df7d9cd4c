#pragma once
/// Parallel tempering (replica exchange): all temperatures of the path at once, each sampled in equilibrium.
///
///     for n = 1..scans:
///         for t = 0..K:  x_t ~ T_t(. | x_t)                         (x_0 afresh from p_0)
///         for t of the parity of n:  exchange x_t and x_{t+1} with probability
///             min(1, f_t(x_{t+1}) f_{t+1}(x_t) / (f_t(x_t) f_{t+1}(x_{t+1})))
///
/// If a likelihood is zero at one of the first draws, the ladder starts at p_0 given a positive likelihood
/// (prior_stage.hpp): x_0 is a fresh draw where that is positive, and else stays, which leaves this density invariant.
/// The draws of all scans estimate the share p of p_0 beside those of the stage, and log p is added to all estimates.
///
/// R independent systems run side by side: block t of the population holds the R states at temperature b_t, and ranks
/// own runs of temperatures. States are exchanged (replica_exchange.hpp), temperatures stay.

#include "algorithm/common/prior_stage.hpp"
#include "algorithm/common/recorded_draws.hpp"
#include "algorithm/common/sampler.hpp"
#include "algorithm/parallel_tempering/replica_exchange.hpp"
#include "algorithm/parallel_tempering/tempering_sums.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace pearlite::algorithm {

struct TemperingSettings {
    Index replicas = 0; ///< R: independent systems
    Index scans = 0;
    Index burn_in = 0; ///< scans that are not measured, < scans
    random::Seed seed = {};
    /// The colder part of the ladder starts from the model's modes instead of p_0, so that slowly forming order is
    /// present from the beginning.
    bool cold_from_mode = false;
    std::optional<double> cold_from = {}; ///< the inverse temperature where that part begins; else the middle one
    /// Memory for the states at the end of the path that are recorded for the posterior, where there is one.
    std::size_t most_recorded_bytes = std::size_t{32} << 20;
    /// Memory for the values of u that are recorded for MBAR, where log f_b is linear in b; 0: no MBAR estimate.
    std::size_t most_energy_bytes = std::size_t{8} << 20;
    Index most_prior_draws = 0; ///< prior_stage.hpp
};

class ParallelTempering final : public Sampler {
  public:
    /// The kernel must not adapt.
    ParallelTempering(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                      path::Schedule schedule, const kernel::Kernel& kernel, const TemperingSettings& settings);

    void begin() override;

    bool finished() const override { return n_ == settings_.scans; }

    /// Collective. One scan: moves, measurements, exchanges.
    void step() override;

    /// Collective. Brings the trace up to date.
    void flush() override;

    Progress progress() const override;

    /// Collective; finished().
    Outcome outcome() const override;

    const path::Schedule& schedule() const { return schedule_; }
    /// The trace is that of the scans kept up to the last flush; see tempering_trace. The population has one
    /// generation: block t holds the states at b_t, and log weights are 0 at the last temperature, else log_zero. Draws
    /// are states at the end of the path after measured scans, if the target reports parameters.
    Found found() override;
    double log_ratio() const { return trace_.log_ratio.back(); }
    const Trace& trace() const { return trace_; }
    population::Population& population() { return population_; }

    void fields(Fields& f) override;

  private:
    static constexpr Index scans_per_reduction = 256;

    Index n_temperatures() const { return schedule_.steps() + 1; }
    Index kept_scans() const { return settings_.scans - settings_.burn_in; }
    Index first_half_scans() const { return kept_scans() / 2; }
    Index measured() const { return std::max<Index>(0, n_ - settings_.burn_in); }

    void draw_first(Block& block, Index t, const model::BlockStreams& streams) const;

    bool is_cold(Index t) const;
    bool starts_from_mode(Index t) const { return mode_ && settings_.cold_from_mode && is_cold(t); }

    void mark_wanted();
    /// Fresh draws in place of the states at p_0, all of them or, where the start is restricted, the positive ones.
    void renew_start(Block& block, const model::BlockStreams& streams);
    /// Collective. The fresh draws of all scans, and how many of them were positive.
    struct FreshDraws {
        Index made = 0, positive = 0;
    };
    FreshDraws fresh_draws() const;

    void move_and_measure();

    void measure(population::Generation& states, Index b, Index t);

    /// Notes in their tags that replicas are at an end of the ladder, if this rank holds that end.
    void note_visits();

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    path::Schedule schedule_;
    std::unique_ptr<kernel::Kernel> kernel_;
    TemperingSettings settings_;
    const model::ModeStart* mode_; ///< null if the model has no mode
    ReplicaExchange exchange_;
    population::Population population_;
    PriorStage starts_;
    std::int64_t positive_ = 0; ///< fresh draws of a restricted start on this rank
    Index n_ = 0;               ///< scans made
    Index scans_since_flush_ = 0;
    TemperingSums sums_;
    std::optional<TemperingMotion> motion_; ///< once the population is there
    std::optional<RecordedDraws> draws_;
    std::optional<RecordedEnergies> energies_;
    Trace trace_;
    std::vector<double> derivatives_, ratios_;
    parallel::DelayedFailure failure_; ///< of this rank; all learn of it in the next reduction
};

} // namespace pearlite::algorithm
