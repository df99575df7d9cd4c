#pragma once
/// The posterior of a finished run: its draws from all ranks, their summary, and what they predict.

#include "pearlite/app/model_offers.hpp"
#include "pearlite/app/run.hpp"
#include "pearlite/core/log_space.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/population/generation.hpp"

namespace pearlite::app {

namespace detail {

inline void append(std::vector<double>& values, const std::vector<double>& more) {
    values.insert(values.end(), more.begin(), more.end());
}

/// Parameters of particles, one particle after another, and their log densities where these go with them.
struct Draws {
    std::vector<double> parameters, log_prior, log_likelihood;
};

/// Of a population's particles: all, on rank 0.
template <HasParameters M>
Draws gather_draws(const parallel::Communicator& ranks, const M& model,
                   const population::Generation<typename M::Block>& particles, Index n_parameters) {
    Draws local;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = particles.block(b);
        if constexpr (HasDensityPoints<M>) {
            for (Index i = 0; i < block.size(); ++i) {
                for (Index k = 0; k < n_parameters; ++k)
                    local.parameters.push_back(model.natural(k, block.points(k, i)));
                local.log_prior.push_back(block.log_prior(i));
                local.log_likelihood.push_back(block.log_likelihood(i));
            }
        } else {
            const Matrix values = model.parameters(block);
            local.parameters.insert(local.parameters.end(), values.data(), values.data() + values.size());
        }
    }
    const auto gather = [&](const std::vector<double>& values) {
        return ranks.gather(std::span<const double>(values));
    };
    return {gather(local.parameters), gather(local.log_prior), gather(local.log_likelihood)};
}

/// What the posterior consists of, unconstrained: d x draws, on rank 0.
template <HasDensityPoints M, class Batches>
Matrix gather_points(const parallel::Communicator& ranks, const M& model, Batches& batches) {
    if constexpr (HasChains<Batches>) {
        return batches.batch(0).points();
    } else {
        std::vector<double> all;
        for (Index r = 0; r < batches.n_batches(); ++r) {
            auto& particles = batches.batch(r).population().generation(0);
            std::vector<double> local;
            for (Index b = 0; b < particles.local_blocks(); ++b) {
                const auto& block = particles.block(b);
                local.insert(local.end(), block.points.data(),
                             block.points.data() + block.size() * block.points.rows());
            }
            append(all, ranks.gather(std::span<const double>(local)));
        }
        const Index d = model.dimension();
        return Eigen::Map<const Matrix>(all.data(), d, static_cast<Index>(all.size()) / d);
    }
}

} // namespace detail

/// Collective. The posterior by a final population: every batch's weighted draws of the parameters, and their summary
/// on rank 0. result.batch_log_ratios are those of the batches, if there is more than one.
template <HasParameters M, class Batches>
void gather_posterior(const parallel::Communicator& ranks, const M& model, Batches& batches, RunResult& result) {
    result.parameter_names = model.parameter_names();
    const auto d = static_cast<Index>(result.parameter_names.size());
    std::vector<std::vector<estimator::PosteriorSummary>> summaries;
    std::vector<double> all_draws;
    result.chains = batches.n_batches();
    result.has_densities = HasDensityPoints<M>;
    for (Index r = 0; r < batches.n_batches(); ++r) {
        auto& particles = batches.batch(r).population().generation(0);
        const auto draws = detail::gather_draws(ranks, model, particles, d);
        detail::append(result.draw_log_prior, draws.log_prior);
        detail::append(result.draw_log_likelihood, draws.log_likelihood);
        const auto log_w = ranks.gather(std::span<const double>(particles.log_weights()));
        const auto eves = ranks.gather(std::span<const std::int64_t>(particles.eves()));
        parallel::on_root(ranks, [&] {
            const Eigen::Map<const Matrix> points(draws.parameters.data(), d, static_cast<Index>(log_w.size()));
            summaries.push_back(estimator::summarise_posterior(result.parameter_names, points, log_w, eves));
            detail::append(all_draws, draws.parameters);
            // A batch counts in proportion to its estimate of Z.
            const double shift =
                (batches.n_batches() > 1 ? result.batch_log_ratios[static_cast<std::size_t>(r)] : 0.0) -
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

/// Collective. The posterior by Markov chains, of one batch.
template <class M, class Sampler>
void gather_chains(const M& model, Sampler& sampler, RunResult& result) {
    result.parameter_names = model.parameter_names();
    result.markov_chains = sampler.chain_outcome();
    result.outcome = sampler::judge_chains(*result.markov_chains);
    result.chains = sampler.settings().particles;
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

/// Collective, after gather_posterior or gather_chains and with the data in `result`. What a few hundred draws of the
/// parameters predict, whatever the number of particles; on rank 0.
template <Predicts M, class Batches>
void gather_predictions(const parallel::Communicator& ranks, const M& model, Batches& batches, RunResult& result) {
    const Matrix points = detail::gather_points(ranks, model, batches);
    result.predicts = true;
    parallel::on_root(ranks, [&] {
        const PredictionSettings settings;
        const std::uint64_t seed = batches.batch(0).settings().seed;
        const auto& density = model.density();
        // The streams of draws 0, 1, ... are those of the chains in posterior.nc.
        const Matrix drawn = draw_points(points, result.draw_log_weights, settings.points, seed,
                                         static_cast<std::uint64_t>(result.chains));
        result.predictions =
            summarise_predictions([&](std::span<const double> u, Index samples,
                                      const random::Address& address) { return density.predict(u, samples, address); },
                                  drawn, result.data, settings, seed);
        describe_predictions(result.predictions, result.outcome);
    });
}

} // namespace pearlite::app
