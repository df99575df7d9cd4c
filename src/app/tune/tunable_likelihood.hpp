#pragma once
/// The interface of a model with an estimated likelihood that `tune` uses to choose the number of particles.

#include "algorithm/common/settings.hpp"
#include "kernel/moves.hpp"
#include "parallel/communicator.hpp"
#include "path/schedule.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/path/tempered.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pearlite::app {

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

} // namespace pearlite::app
