#pragma once
/// A model whose likelihood is estimated, as those see it who choose its number of particles.

#include "pearlite/core/types.hpp"
#include "pearlite/model/block_streams.hpp"
#include "pearlite/parallel/communicator.hpp"
#include "pearlite/path/schedule.hpp"
#include "pearlite/sampler/smc.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::app {

struct LikelihoodPilotSettings {
    sampler::PopulationSettings population;
    Index moves = 1;
    sampler::AdaptiveSchedule schedule;
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
    virtual ~TunableLikelihood() = default;

    virtual const std::vector<std::string>& parameter_names() const = 0;
    /// The value of parameter k that people read.
    virtual double natural(Index k, double u) const = 0;
    /// N of every estimate, as the model rounds it.
    virtual Index particles() const = 0;
    virtual void set_particles(Index n) = 0;
    /// As model::HasEstimatedLikelihood.
    virtual void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                          std::span<double> log_likelihood) const = 0;
    /// Collective. Anneals a population by smc with online proposals.
    virtual LikelihoodPilot pilot(const parallel::Communicator& ranks,
                                  const LikelihoodPilotSettings& settings) const = 0;
};

} // namespace pearlite::app
