#pragma once
/// TunableLikelihood over any density whose estimates have a size.

#include "pearlite/app/tunable_likelihood.hpp"
#include "pearlite/kernel/random_walk.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "pearlite/path/geometric.hpp"

#include <memory>
#include <utility>

namespace pearlite::app {

template <model::HasEstimatorSize D>
class TunableLikelihoodOf final : public TunableLikelihood {
  public:
    explicit TunableLikelihoodOf(const path::GeometricPath<D>& model) : model_(model), density_(model.density()) {}

    const std::vector<std::string>& parameter_names() const override { return model_.parameter_names(); }
    double natural(Index k, double u) const override { return model_.natural(k, u); }
    Index particles() const override { return density_.particles(); }
    void set_particles(Index n) override {
        if constexpr (requires { D::particles_abreast; })
            n = (n + D::particles_abreast - 1) / D::particles_abreast * D::particles_abreast;
        density_.set_particles(n);
    }

    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const override {
        density_.estimate(points, streams, log_prior, log_likelihood);
    }

    LikelihoodPilot pilot(const parallel::Communicator& ranks, const LikelihoodPilotSettings& settings) const override {
        using Path = path::GeometricPath<D>;
        sampler::Smc<Path, kernel::RandomWalk<D>> smc(ranks, std::make_shared<const Path>(density_), settings.schedule,
                                                      kernel::RandomWalk<D>(settings.moves), settings.population, {});
        while (!smc.finished())
            smc.step();
        const auto& particles = smc.population().generation(0);
        std::vector<double> points, log_prior, log_likelihood;
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto& block = particles.block(b);
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
        return {Eigen::Map<const Matrix>(all_points.data(), model_.dimension(), m),
                Eigen::Map<const Vector>(all_priors.data(), m), Eigen::Map<const Vector>(all_likelihoods.data(), m),
                smc.visited_schedule()};
    }

  private:
    path::GeometricPath<D> model_; ///< names and scales
    D density_;                    ///< with the number of particles that was set
};

} // namespace pearlite::app
