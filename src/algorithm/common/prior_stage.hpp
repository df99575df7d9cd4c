#pragma once
/// The prior stage: draws from the start of a path are repeated until every particle has a positive density on the path
/// beyond it, so that a likelihood may be zero nearly everywhere.
///
///     for i = 1..N:  draw x_i ~ p_0 again and again until f_b(x_i) > 0 for b > 0;  M = all draws made
///
/// M is a sum of N geometric numbers and does not depend on x_1..x_N, which are independent draws of p_0 given f_b > 0.
/// With p = p_0(f_b > 0), (N - 1)/(M - 1) is an unbiased estimate of p (Haldane 1945; N/M is not), with a relative
/// variance of about (1 - p)/N. Where the likelihood is an unbiased estimate, the state is the point with its estimate,
/// and p the probability that both give a positive number: the product with the rest of the path stays unbiased.

#include "algorithm/common/settings.hpp"
#include "population/population.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace pearlite::algorithm {

class PriorStage {
  public:
    /// No more draws for each particle, unless `most_draws` says otherwise.
    static constexpr Index most_draws_of_a_particle = 10'000;

    /// Further draws have addresses of their own: (seed of the stage, start, number of the draw, the particle's slot).
    /// most_draws: M beyond which the stage is an InputError; 0 for most_draws_of_a_particle x N.
    PriorStage(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
               const random::Seed& seed, Index most_draws);

    /// Which particles of a generation are draws from the start, by local slot.
    using TakesPart = std::function<bool(Index local_slot)>;
    /// Collective. Every particle has its first draw, at which d log f_b/db at b = 0 is `derivatives`; others than
    /// those that take part are left alone.
    void begin(const population::Generation& particles, std::span<const double> derivatives,
               const TakesPart& takes_part = {});
    /// Some particles have no positive density yet.
    bool is_looking() const { return found_ < particles_; }
    /// Collective; is_looking(). Some more draws for each of them. The derivatives of changed blocks are the caller's.
    void step(population::Generation& particles);
    /// Collective. All steps.
    void complete(population::Generation& particles);

    /// Whether some draws had density zero, so that the path starts at p_0 given f_b > 0.
    bool is_restricted() const { return draws_ > particles_; }
    /// Which of the block's particles have density zero on the path beyond its start, by derivatives at the start. The
    /// support of f_b must not grow with b.
    static std::vector<bool> are_zero(const model::Target& target, const Block& block,
                                      std::span<const double> derivatives);

    /// The estimate of log p from this stage and `further` other draws, of which `positive` had a positive density; 0
    /// if no draw of the stage had density zero.
    double log_share(Index further = 0, Index positive = 0) const;
    /// Its variance, (1 - p)/(number of positive draws) to leading order.
    double variance(Index further = 0, Index positive = 0) const;
    /// Densities computed in steps, of all ranks, including those of batches beyond the draw that is kept.
    Index evaluations() const { return evaluations_; }
    /// For Progress::stage while the stage is looking; else empty.
    std::string progress() const;
    /// N and M.
    Index particles() const { return particles_; }
    Index draws() const { return draws_; }

    /// Fields of a checkpoint; none where no draw had density zero, so that files of older versions can be read.
    void fields(Fields& f, const population::Generation& particles);

  private:
    /// The width of a batch of draws for one particle, and how many such batches a step makes.
    struct Batches {
        Index width = 1, number = 1;
    };
    Batches batches(const population::Generation& particles) const;
    /// Makes batches for one particle until one of its draws is positive. Whether there was one.
    bool look(population::Generation& particles, Index local_slot, const Batches& batches, Block& batch);
    /// Collective. The ranks agree on `failure`.
    void count(const std::exception_ptr& failure);
    void require_fewer_draws() const;

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    random::Seed seed_;
    Index most_draws_;
    Index particles_ = 0, found_ = 0, draws_ = 0, evaluations_ = 0;
    /// The number of draws of each local particle while the stage is looking, with a minus sign if none was positive; 0
    /// if it takes no part.
    std::vector<std::int64_t> made_;
    Index made_evaluations_ = 0; ///< of this rank in the present step
    std::vector<std::byte> packed_;
};

/// Adds an independent estimate and its variance to one of log Z, to its standard error and interval.
void add_independent(estimator::Estimate& estimate, double value, double variance);

} // namespace pearlite::algorithm
