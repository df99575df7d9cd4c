#pragma once
/// A survey of a path, from which schedules are made: annealed trajectories of low cost that record the fluctuations of
/// u = d log f_b/db at every temperature and, held at some temperatures, the autocorrelation time of u under the
/// kernel.
///
///     x ~ p_0
///     for every temperature b_k of a pass:
///         log w += log f_{b_k}(x) - log f_{b_{k-1}}(x);  x ~ T_k(. | x);  record E[u], Var[u]
///         if b_k is a knot: x ~ T_k(. | x) again and again; record u; tau = 1 + 2 sum_t rho_t
///
/// Annealing may apply a kernel any number of times, so that trajectories continue after a hold. g = Var[u] alone gives
/// Kiwaki's schedule (2015), g tau that of the friction metric (Sivak & Crooks 2012).

#include "algorithm/common/prior_stage.hpp"
#include "algorithm/common/sampler.hpp"
#include "algorithm/pilot/survey_record.hpp"
#include "path/schedule.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace pearlite::algorithm {

struct SurveySettings {
    Index steps = 1000;       ///< temperatures of a pass
    Index trajectories = 100; ///< from 2 on
    Index block = 16;
    random::Seed seed = {};
    Index most_prior_draws = 0; ///< prior_stage.hpp
    enum class Holds { none, tau, mean };
    Holds holds = Holds::none;
    Index knots = 32;        ///< temperatures at which trajectories are held: for a mean evenly spaced, with both ends;
                             ///< for tau half of them even in b, half even in int sqrt(g) db
    Index hold_sweeps = 400; ///< of a hold; for tau at most, where fewer hold 20 tau after a quarter of them
};

/// Holds for tau follow a pass over a quarter of the steps, even in b, from which the knots and the steps of the second
/// pass are placed: half of these are even in b, half in int sqrt(g) db.
class Survey final : public Sampler {
  public:
    /// A kernel for a pass; it learns nothing.
    using MakeKernel = std::function<std::unique_ptr<kernel::Kernel>(const path::Schedule& schedule)>;
    /// `rough`: a pilot's profile of the path, whose kernel learnt at its temperatures; the survey then makes a single
    /// pass, along steps of both kinds.
    Survey(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target, double end,
           MakeKernel make_kernel, const SurveySettings& settings, const std::optional<path::PathProfile>& rough = {});

    void begin() override;
    bool finished() const override { return is_last_pass_ && !is_holding() && k_ == schedule_.steps(); }
    /// Collective. One temperature, or one sweep of a hold.
    void step() override;
    void fields(Fields& f) override;

    Progress progress() const override;
    /// The log ratio of the last pass, without an error.
    Outcome outcome() const override;
    /// The survey once finished().
    Found found() override;
    double log_ratio() const { return trace_.log_ratio.empty() ? 0 : trace_.log_ratio.back(); }

  private:
    Index updates_per_step() const;
    /// u of all trajectories at a hold, or their running sum.
    struct Hold {
        bool is_on = false;
        Index sweeps = 0;
        std::vector<double> u; ///< sweep after sweep
        double sum = 0;

        void fields(Fields& f);
    };
    bool is_holding() const { return hold_.is_on; }
    /// The first sweeps of a hold for a mean.
    Index uncounted_sweeps() const { return settings_.hold_sweeps / 6; }
    bool is_knot(Index k) const;
    void begin_pass(path::Schedule schedule, bool is_last);
    /// Steps of both kinds for the profile of a path, and the knots among them.
    path::Schedule refined(const path::PathProfile& rough) const;
    void place_knots(const std::optional<path::PathProfile>& rough);
    /// Collective. The kernel's moves at temperature k, after the weights' increments if there are any.
    void move(Index address, bool weighs);
    void record();
    void sweep();
    void next_temperature();
    /// The hold is long enough; records what it found.
    bool settle_hold();
    /// At the temperatures of the pass; where u has no finite variance the nearest number stands in.
    path::PathProfile measured() const;
    void make_record();

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    double end_;
    MakeKernel make_kernel_;
    SurveySettings settings_;
    population::Population population_;
    path::Schedule schedule_; ///< of the pass
    std::unique_ptr<kernel::Kernel> kernel_;
    std::vector<std::int64_t> knot_steps_;
    bool is_last_pass_ = true;
    Index k_ = 0, held_sweeps_ = 0;
    double evaluations_ = 0; ///< of densities and gradients
    Hold hold_;
    SurveyRecord record_; ///< knots as they are found, the rest at the end
    Trace trace_;         ///< of the pass
    std::vector<double> half_difference_, log_weight_variance_;
    std::vector<double> u_, log_weights_; ///< of all trajectories
    std::vector<double> derivatives_;     ///< of those here
};

} // namespace pearlite::algorithm
