#pragma once
/// Estimated likelihoods whose size can be chosen, and their variances and times.

#include "algorithm/common/settings.hpp"
#include "estimator/likelihood_cost.hpp"
#include "path/schedule.hpp"
#include "pearlite/path/tempered.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::app {

// The interface of a model with an estimated likelihood that `tune` uses to choose the number of particles.

struct LikelihoodPilotSettings {
    algorithm::PopulationSettings population;
    kernel::MoveSettings moves;
    path::AdaptiveSchedule schedule;
};

/// The particles with which a pilot ended, in slot order, the same on every rank.
struct LikelihoodPilot {
    Matrix points;         ///< d x M, as samplers move them
    Vector log_prior;      ///< M
    Vector log_likelihood; ///< M, the estimates with which the points were accepted
    path::Schedule schedule;
};

class TunableLikelihood {
  public:
    /// Null unless the target is the tempered path of a density that offers EstimatorSize.
    static std::unique_ptr<TunableLikelihood> of(const model::Target* target);

    /// The quantities reported for a point.
    const std::vector<std::string>& quantity_names() const { return path_->quantity_names(); }
    Vector quantities(const Vector& point) const { return path_->quantities(point); }
    /// N of every estimate, as the model rounds it.
    Index particles() const { return size().particles(); }
    void set_particles(Index n);
    /// Evaluates all columns of `points`; see model::DensityFunctions::evaluate.
    void estimate(const Matrix& points, const model::BlockStreams& streams, Vector& log_prior,
                  Vector& log_likelihood) const;
    /// Collective. Anneals a population, with online proposals.
    LikelihoodPilot pilot(const parallel::Communicator& ranks, const LikelihoodPilotSettings& settings) const;

  private:
    explicit TunableLikelihood(std::shared_ptr<const path::Tempered> path) : path_(std::move(path)) {}
    const model::EstimatorSize& size() const { return *path_->density().offers<model::EstimatorSize>(); }

    std::shared_ptr<const path::Tempered> path_; ///< with the number of particles that was set
};

/// Points near the posterior's mode, the best first.
struct NearMode {
    Matrix points; ///< d x k
    double log_density = 0;
};

/// The variance of log estimates over points: averaged, and at the points where it is least and greatest.
struct LogVariance {
    double mean = 0, standard_error = 0; ///< infinite where an estimate is zero
    double least = 0, most = 0;
};

/// Estimates with the likelihood's present number of particles, shared among the ranks; results are the same on every
/// rank and on any number of them.
class Measurement {
  public:
    Measurement(const parallel::Communicator& ranks, const TunableLikelihood& likelihood, const random::Seed& seed)
        : ranks_(ranks), likelihood_(likelihood), seed_(seed) {}

    random::Seed seed_of_pilot(std::uint64_t attempt) const;

    /// Collective. The best `count` of a pilot's `candidates` points with the highest log prior + b log estimate,
    /// judged by fresh estimates: the points that a pilot keeps are biased towards estimates that are too high.
    NearMode best_points(const LikelihoodPilot& pilot, double b, Index candidates, Index count) const;

    /// Collective. The log variance from `estimates` at each of the points (d x k).
    LogVariance log_variance(const Matrix& points, Index estimates) const;

  private:
    /// points.cols() x estimates; estimates of a point differ in their step.
    Matrix log_estimates(const Matrix& points, Index estimates, std::uint64_t part) const;

    const parallel::Communicator& ranks_;
    const TunableLikelihood& likelihood_;
    random::Seed seed_;
};

/// Processor time of an estimate, as it is made in a run: `block` points at once.
class Stopwatch {
  public:
    Stopwatch(const parallel::Communicator& ranks, TunableLikelihood& likelihood, const Matrix& points, Index block);

    /// Collective. The time of one estimate with the present number of particles: a median over time and ranks.
    double seconds() const;
    /// Collective. seconds() of sizes from `first` on, each twice the one before, until the time has grown by a factor,
    /// and the line through them. InputError if it does not grow up to `most` particles.
    estimator::TimeLine line_from(Index first, Index most) const;

  private:
    const parallel::Communicator& ranks_;
    TunableLikelihood& likelihood_;
    Matrix points_; ///< d x block: the points over and over
};

} // namespace pearlite::app
