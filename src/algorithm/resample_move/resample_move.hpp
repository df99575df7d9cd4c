#pragma once
/// Resample-move along targets of growing dimension, and its adaptive form, which enlarges the population where the
/// next density is far (Fraccaro, Paquet & Winther 2016, algorithms 1 and 2):
///
///     R equal particles from p_1;  log Z = log Z_1
///     for n = 1..N-1:
///         x ~ K(. | x), K leaving p_n invariant;  w = W_n(x) W;  gamma = (sum w)^2/sum W W_n^2
///         if gamma < gamma_thr: R_n = 0, or R if new particles join the base set
///         while gamma < gamma_thr, i_max times at most:
///             S new particles that target p_n: old weights times R_n/(R_n + S), new ones times S/(R_n + S)
///             R_n += S;  w = W_n(x) W;  gamma
///         log Z += log sum w;  W = w/sum w
///         if the set was enlarged, or ESS(W) < r_min R: resample R of them, W = 1/R
///         x_{n+1} ~ p(x_{n+1} | x_1..x_n)
///
/// W: weights that sum to 1; W_n: smoothing weights (growing_target.hpp). Without passes, i_max = 0, it is
/// resample-move, whose Z is unbiased. With passes Z is consistent: the stopping rule reads the weights that it then
/// averages. Two allocations keep Z unbiased:
///
/// `crossed`: the base set has two halves, and each is enlarged until the gamma of the other one reaches gamma_thr.
/// Given all particles as step n - 1 left them the halves are independent, so that no rule reads the weights that it
/// averages. Both make as many passes as the slower one needs; those of the faster one after its end only decide for
/// the other.
///
/// `theorem`: R_n by Theorem 1, R min(i_max, ceil(sqrt(v_n/(1/gamma_thr - 1)))) with the v_n of the base set, which is
/// then left out of the average.

#include "algorithm/common/sampler.hpp"
#include "algorithm/resample_move/generator.hpp"
#include "target/grown_target.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace pearlite::algorithm {

struct ResampleMoveSettings {
    enum class Allocation { threshold, crossed, theorem };

    Index sweeps = 1;                      ///< of a move
    double gamma_threshold = 0.7;          ///< gamma_thr
    Index most_passes = 50;                ///< i_max
    double resample_below = 0.9;           ///< r_min
    std::optional<double> most_moved = {}; ///< a limit of R_tot/((N-1) R), beyond which the set is enlarged no more
    Allocation allocation = Allocation::crossed;
    population::Resampling resampling = population::Resampling::residual;
};

class ResampleMove final : public Sampler {
  public:
    /// Without a generator it is resample-move.
    ResampleMove(const parallel::Communicator& ranks, std::shared_ptr<const model::GrowingTarget> target,
                 std::shared_ptr<const Generator> generator, const PopulationSettings& settings,
                 const ResampleMoveSettings& growth);

    void begin() override;
    bool finished() const override { return n() == n_variables_; }
    /// Collective. A pass at n variables, the first with the base set; the last one leads to n + 1.
    void step() override;
    void fields(Fields& f) override;

    Progress progress() const override;
    Outcome outcome() const override;
    Found found() override;
    /// log Z_n/Z_0, Z_0 that of no variables.
    double log_ratio() const { return log_ratio_; }
    const Trace& trace() const { return trace_; }
    population::Population& population() { return population_; }
    const GrowthRecord& record() const { return record_; }

  private:
    Index n() const { return grown_->stage().n(); }
    void begin_stage();
    void smooth(population::Generation& particles);
    /// The standing of each part after its number of passes.
    std::vector<WeightSums> weight_sums(std::span<const std::int64_t> passes) const;
    Generations generations_after(Index passes) const;
    std::vector<Generations> generations_after(std::span<const std::int64_t> passes) const; ///< by part
    WeightSums all_of(const std::vector<WeightSums>& parts) const;
    void see_base_set(const std::vector<WeightSums>& parts);
    /// Ends the enlarging of parts whose set is large enough.
    void decide(const std::vector<WeightSums>& parts);
    bool is_large_enough(double deciding_gamma) const;
    void enlarge();
    std::vector<double> next_shares();
    /// Whether the base set may stand for p_n after a pass, so that a copy of it must stay where it was.
    bool keeps_base() const;
    /// Whether it does so beside new particles.
    bool joins_base() const { return generator_->joins_base() && !leaves_base_out(); }
    /// Whether the base set chooses the number of passes, so that it cannot represent p_n itself.
    bool leaves_base_out() const { return growth_.allocation == ResampleMoveSettings::Allocation::theorem; }
    bool is_crossed() const { return growth_.allocation == ResampleMoveSettings::Allocation::crossed && generator_; }
    /// Passes that Theorem 1 asks for.
    Index passes_of_theorem() const;
    void end_stage(const std::vector<WeightSums>& parts);
    void resample();
    void augment();
    void record_stage(const WeightSums& all, bool resampled);
    Index take_ticks(Index n);

    parallel::Communicator ranks_;
    Index n_variables_;
    std::shared_ptr<model::GrownTarget> grown_;
    std::shared_ptr<const Generator> generator_;
    PopulationSettings settings_;
    ResampleMoveSettings growth_;
    population::Population population_;
    std::vector<std::vector<double>> log_smoothing_; ///< log W_n of the particles here, by generation
    std::vector<SlotsByPart> slots_;                 ///< by generation
    std::vector<Part> parts_;
    static constexpr Index undecided = -1;
    std::vector<std::int64_t> passes_of_part_; ///< those that its particles stand for p_n after
    bool is_enlarging_ = false;                ///< at n variables the base set was too small
    Index passes_ = 0;
    Index tick_ = 0; ///< steps that have addressed random numbers
    double moved_ = 0, all_moved_ = 0;
    double log_ratio_ = 0, ess_ = 0;
    double first_gamma_ = 1; ///< of the base set
    SmoothingWatch watch_;
    static constexpr double unknown_mobility = std::numeric_limits<double>::quiet_NaN();
    double mobility_ = unknown_mobility;
    GrowthRecord record_;
    Trace trace_;
};

} // namespace pearlite::algorithm
