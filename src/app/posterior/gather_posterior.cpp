#include "app/posterior/gather_posterior.hpp"

#include "core/log_space.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/path/density_path.hpp"

namespace pearlite::app {

namespace {

void append(std::vector<double>& values, std::span<const double> more) {
    values.insert(values.end(), more.begin(), more.end());
}
std::span<const double> values_of(const auto& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Parameters of particles, one particle after another, and their log densities where these go with them.
struct Draws {
    std::vector<double> parameters, log_prior, log_likelihood;
};

/// Of a population's particles: all, on rank 0.
Draws gather_draws(const parallel::Communicator& ranks, const model::Target& target,
                   const population::Generation& particles) {
    const auto& reported = *target.offers<model::ReportedParameters>();
    const bool has_densities = target.offers<path::DensityPath>() != nullptr;
    Draws local;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = particles.block(b);
        const Matrix values = reported.parameters(block);
        append(local.parameters, values_of(values));
        if (!has_densities)
            continue;
        const auto n = static_cast<std::size_t>(block.size());
        append(local.log_prior, values_of(path::points_of(block).log_prior).first(n));
        append(local.log_likelihood, values_of(path::points_of(block).log_likelihood).first(n));
    }
    const auto gather = [&](const std::vector<double>& values) {
        return ranks.gather(std::span<const double>(values));
    };
    return {gather(local.parameters), gather(local.log_prior), gather(local.log_likelihood)};
}

/// What the posterior consists of, unconstrained: d x draws, on rank 0.
Matrix gather_points(const parallel::Communicator& ranks, const path::DensityPath& path, algorithm::Sampler& sampler) {
    if (const auto* chains = sampler.markov_chains())
        return chains->points();
    std::vector<double> all;
    for (Index r = 0; r < sampler.n_replicates(); ++r) {
        const auto& particles = sampler.replicate(r).population().generation(0);
        std::vector<double> local;
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto& points = path::points_of(particles.block(b)).points;
            append(local, {points.data(), static_cast<std::size_t>(particles.block_size(b) * points.rows())});
        }
        append(all, ranks.gather(std::span<const double>(local)));
    }
    const Index d = path.dimension();
    return Eigen::Map<const Matrix>(all.data(), d, static_cast<Index>(all.size()) / d);
}

} // namespace

void gather_posterior(const parallel::Communicator& ranks, const model::Target& target, algorithm::Sampler& sampler,
                      RunResult& result) {
    result.parameter_names = target.offers<model::ReportedParameters>()->parameter_names();
    const auto d = static_cast<Index>(result.parameter_names.size());
    std::vector<std::vector<estimator::PosteriorSummary>> summaries;
    std::vector<double> all_draws;
    result.chains = sampler.n_replicates();
    result.has_densities = target.offers<path::DensityPath>() != nullptr;
    for (Index r = 0; r < sampler.n_replicates(); ++r) {
        const auto& particles = sampler.replicate(r).population().generation(0);
        const auto draws = gather_draws(ranks, target, particles);
        append(result.draw_log_prior, draws.log_prior);
        append(result.draw_log_likelihood, draws.log_likelihood);
        const auto log_w = ranks.gather(std::span<const double>(particles.log_weights()));
        const auto eves = ranks.gather(std::span<const std::int64_t>(particles.eves()));
        parallel::on_root(ranks, [&] {
            const Eigen::Map<const Matrix> points(draws.parameters.data(), d, static_cast<Index>(log_w.size()));
            summaries.push_back(estimator::summarise_posterior(result.parameter_names, points, log_w, eves));
            append(all_draws, draws.parameters);
            // A replicate counts in proportion to its estimate of Z.
            const double shift =
                (sampler.n_replicates() > 1 ? result.batch_log_ratios[static_cast<std::size_t>(r)] : 0.0) -
                log_sum_exp(log_w);
            for (const double lw : log_w)
                result.draw_log_weights.push_back(lw + shift);
        });
    }
    if (!ranks.is_root())
        return;
    result.draws = Eigen::Map<const Matrix>(all_draws.data(), d, static_cast<Index>(all_draws.size()) / d);
    result.posterior =
        summaries.size() == 1 ? summaries.front() : estimator::combine_batches(summaries, result.batch_log_ratios);
}

void gather_chains(const model::Target& target, const algorithm::Sampler& sampler, RunResult& result) {
    const auto& chains = *sampler.markov_chains();
    result.parameter_names = target.offers<model::ReportedParameters>()->parameter_names();
    result.markov_chains = chains.chain_outcome();
    result.outcome = algorithm::judge_chains(*result.markov_chains);
    result.chains = chains.n_chains();
    result.draws_are_weighted = false;
    const auto& draws = result.markov_chains->draws;
    if (draws.empty())
        return;
    result.draws.resize(static_cast<Index>(draws.size()), draws.front().size());
    for (std::size_t k = 0; k < draws.size(); ++k)
        result.draws.row(static_cast<Index>(k)) =
            Eigen::Map<const Vector>(draws[k].data(), draws[k].size()).transpose();
    result.draw_log_weights.assign(static_cast<std::size_t>(draws.front().size()), 0.0);
    for (const auto& summary : result.markov_chains->summaries)
        result.posterior.push_back(summary.posterior);
}

void gather_predictions(const parallel::Communicator& ranks, const model::Target& target, algorithm::Sampler& sampler,
                        RunResult& result) {
    const auto& path = *target.offers<path::DensityPath>();
    const auto& predictive = *target.offers<model::Predictive>();
    const Matrix points = gather_points(ranks, path, sampler);
    result.predicts = true;
    parallel::on_root(ranks, [&] {
        const PredictionSettings settings;
        const std::uint64_t seed = *sampler.replicate(0).prediction_seed();
        // The streams of draws 0, 1, ... are those of the chains in posterior.nc.
        const Matrix drawn = draw_points(points, result.draw_log_weights, settings.points, seed,
                                         static_cast<std::uint64_t>(result.chains));
        const auto predict = [&](std::span<const double> x, Index samples, const random::Address& address) {
            return predictive.predict(x, samples, address);
        };
        result.predictions = summarise_predictions(predict, drawn, result.data, settings, seed);
        describe_predictions(result.predictions, result.outcome);
    });
}

} // namespace pearlite::app
