#include "app/tune/tunable_likelihood.hpp"

#include "algorithm/common/annealed_population.hpp"
#include "kernel/density/random_walk.hpp"

#include <utility>

namespace pearlite::app {

std::unique_ptr<TunableLikelihood> TunableLikelihood::of(const model::Target* target) {
    const auto* size = target ? target->offers<model::EstimatorSize>() : nullptr;
    if (!size)
        return nullptr;
    return std::unique_ptr<TunableLikelihood>(
        new TunableLikelihood(std::make_shared<const path::Tempered>(size->with_particles(size->particles()))));
}

void TunableLikelihood::set_particles(Index n) {
    const Index abreast = size().particles_abreast();
    n = (n + abreast - 1) / abreast * abreast;
    path_ = std::make_shared<const path::Tempered>(size().with_particles(n));
}

void TunableLikelihood::estimate(const Matrix& points, const model::BlockStreams& streams, Vector& log_prior,
                                 Vector& log_likelihood) const {
    path_->density().evaluate(points, points.cols(), streams, log_prior, log_likelihood);
}

LikelihoodPilot TunableLikelihood::pilot(const parallel::Communicator& ranks,
                                         const LikelihoodPilotSettings& settings) const {
    const auto sampler = algorithm::annealed_population(ranks, path_, settings.schedule,
                                                        kernel::RandomWalk(path_, settings.moves), settings.population);
    sampler->begin();
    while (!sampler->finished())
        sampler->step();
    const auto& particles = sampler->population().generation(0);
    std::vector<double> points, log_prior, log_likelihood;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = path::points_of(particles.block(b));
        points.insert(points.end(), block.points.data(), block.points.data() + block.size() * block.points.rows());
        log_prior.insert(log_prior.end(), block.log_prior.begin(), block.log_prior.begin() + block.size());
        log_likelihood.insert(log_likelihood.end(), block.log_likelihood.begin(),
                              block.log_likelihood.begin() + block.size());
    }
    const auto everywhere = [&](const std::vector<double>& local) {
        return ranks.all_gather(std::span<const double>(local));
    };
    const auto all_points = everywhere(points), all_priors = everywhere(log_prior),
               all_likelihoods = everywhere(log_likelihood);
    const Index m = settings.population.particles;
    return {Eigen::Map<const Matrix>(all_points.data(), path_->dimension(), m),
            Eigen::Map<const Vector>(all_priors.data(), m), Eigen::Map<const Vector>(all_likelihoods.data(), m),
            path::Schedule(sampler->trace().inverse_temperature)};
}

} // namespace pearlite::app
