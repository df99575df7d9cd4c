#pragma once
/// The parts of a set of particles: the whole set, or two halves, each of which is enlarged by the gamma of the other;
/// and whether the smoothing weights move.

#include "pearlite/model/detail/growing_target.hpp"
#include "population/population.hpp"

#include <span>
#include <utility>
#include <vector>

namespace pearlite::algorithm {

/// Slots of the base set that are enlarged together.
struct Part {
    Index begin = 0, end = 0;
    double log_weight = 0; ///< log of the sum of its weights
    double gamma = 1;      ///< of the particles that decide whether it is enlarged: its own, or those of the other half

    Index size() const { return end - begin; }
};

/// A generation's slots by part: those up to ends[0] belong to the first one, from there up to ends[1] to the second
/// one, the next ones to the first again, and so on in turns. With a single part there is a single end or more.
class SlotsByPart {
  public:
    SlotsByPart() = default;
    explicit SlotsByPart(std::vector<std::int64_t> ends) : ends_(std::move(ends)) {}

    /// The index, below `parts`, of the part to which a global slot belongs.
    std::size_t part_of(Index slot, std::size_t parts) const {
        std::size_t turn = 0;
        while (slot >= ends_[turn])
            ++turn;
        return turn % parts;
    }
    std::vector<std::int64_t>& ends() { return ends_; }

  private:
    std::vector<std::int64_t> ends_;
};

/// The base set's.
SlotsByPart slots_of_base(std::span<const Part> parts);

/// Generations of a population, from `begin` up to `end`.
struct Generations {
    Index begin = 0, end = 0;
    bool has(Index g) const { return g >= begin && g < end; }
};

/// Particles as they stand for p_n: their weights w, and smoothing weights W over exp(log_scale).
struct WeightSums {
    double log_scale = 0;
    double particles = 0;
    std::vector<double> shares;                            ///< of them in each of their generations
    double weight = 0, first = 0, second = 0, squares = 0; ///< sums of w, w W, w W^2, (w W)^2

    double log_mean() const; ///< log sum w W
    double gamma() const;    ///< (sum w W)^2/(sum w sum w W^2), 0 if no particle has a positive weight
    double ess() const;      ///< (sum w W)^2/sum (w W)^2
    /// Both together, which have one scale, without shares.
    friend WeightSums operator+(const WeightSums& a, const WeightSums& b);
};

/// Collective. By part, the particles of some generations, each generation's weights times its share of the part's
/// particles in all of them. `log_smoothing` and `slots` are by generation.
std::vector<WeightSums> weight_sums_by_part(const parallel::Communicator& ranks,
                                            const population::Population& population,
                                            const std::vector<std::vector<double>>& log_smoothing,
                                            const std::vector<SlotsByPart>& slots,
                                            std::span<const Generations> generations_of_part);

/// Weights of the particles that stand for p_n become those at n + 1, w W over their sum exp(log_mean); all others
/// weigh nothing.
void weigh(population::Population& population, const std::vector<std::vector<double>>& log_smoothing,
           const std::vector<SlotsByPart>& slots, std::span<const Generations> generations_of_part,
           std::span<const WeightSums> parts, double log_mean);

// The mobility of the smoothing weights, on which the next step depends, under the sweeps.

/// Takes the smoothing weights of the first 1024 particles before and after the sweeps at n variables, enough for a
/// mobility to a few per cent whatever the population's size.
class SmoothingWatch {
  public:
    /// Collective. Before the sweeps. `tick`: the step of the random numbers that the weights after the sweeps will
    /// take, so that a particle that stays has the same weight twice.
    void remember(const parallel::Communicator& ranks, const model::GrowingStage& stage,
                  population::Generation& particles, const random::Seed& seed, Index tick);
    /// Collective. E (W_n(x') - W_n(x))^2/(2 Var W_n) over particles x before and x' after the sweeps: 0 if all stand
    /// still, 1 if x' is independent of x; NaN where all weights are equal. `log_weights`: log W_n(x').
    double mobility(const parallel::Communicator& ranks, const population::Generation& particles,
                    const std::vector<double>& log_weights) const;

  private:
    std::vector<double> before_; ///< log W_n(x) by local slot, 0 where not watched
};

} // namespace pearlite::algorithm
