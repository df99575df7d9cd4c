#include "app/posterior/gather_posterior.hpp"

#include "parallel/agreement.hpp"
#include "parallel/states.hpp"

#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/path/detail/density_path.hpp"

namespace pearlite::app {

namespace {

constexpr Index most_drawn = 200'000; ///< draws on rank 0, over all chains
constexpr Index least_drawn = 1000;   ///< draws that a chain may have in any case

/// Summaries without values, for populations in which no draw has a weight.
std::vector<estimator::PosteriorSummary> no_summaries(const std::vector<std::string>& names) {
    std::vector<estimator::PosteriorSummary> summaries(names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
        summaries[k].name = names[k];
        summaries[k].mcse = summaries[k].ess = std::numeric_limits<double>::quiet_NaN();
    }
    return summaries;
}

/// Summarises one replicate's draws on the ranks that hold them; their log weights become comparable with those of
/// other replicates, since each replicate counts in proportion to its estimate of Z.
std::vector<estimator::PosteriorSummary> summarise(const parallel::Communicator& team,
                                                   const population::Generation& particles,
                                                   const std::vector<std::string>& names, double log_ratio,
                                                   Index chain_length, SamplesPart& part) {
    const auto& log_weights = particles.log_weights();
    const auto weights = population::summarise(team, particles.layout(), log_weights);
    const bool has_weight = weights.log_max > log_zero;
    const double shift = log_ratio - (has_weight ? weights.log_sum : 0.0);
    for (const double log_weight : log_weights)
        part.log_weight.push_back(log_weight + shift);
    if (!has_weight)
        return no_summaries(names);
    if (chain_length > 1)
        return estimator::summarise_posterior(team, particles.layout(), names, part.parameters, chain_length);
    return estimator::summarise_posterior(team, particles.layout(), names, part.parameters, log_weights,
                                          population::Families(team, particles.size(), particles.eves()));
}

/// The same for recorded draws, all of one weight.
std::vector<estimator::ChainSummary> summarise_recorded(const parallel::Communicator& team,
                                                        const std::vector<std::string>& names, double log_ratio,
                                                        SamplesPart& part) {
    const auto draws = static_cast<double>(part.layout.size());
    part.log_weight.assign(static_cast<std::size_t>(part.parameters.cols()), log_ratio - std::log(draws));
    const Index n = part.layout.block();
    std::vector<Matrix> of_parameters;
    for (Index k = 0; k < part.parameters.rows(); ++k) {
        const Vector row = part.parameters.row(k);
        of_parameters.emplace_back(Eigen::Map<const Matrix>(row.data(), n, row.size() / n));
    }
    return estimator::summarise_chains(team, names, of_parameters);
}

/// The summaries of one replicate, which its ranks send to rank 0.
struct Summaries {
    std::int64_t replicate = 0;
    std::vector<estimator::PosteriorSummary> of_parameters;
    std::vector<double> r_hat, bulk_ess, tail_ess; ///< of recorded draws; else empty

    Summaries() = default;
    explicit Summaries(std::vector<estimator::PosteriorSummary> summaries) : of_parameters(std::move(summaries)) {}
    explicit Summaries(const std::vector<estimator::ChainSummary>& chains) {
        for (const auto& summary : chains) {
            of_parameters.push_back(summary.posterior);
            r_hat.push_back(summary.r_hat);
            bulk_ess.push_back(summary.bulk_ess);
            tail_ess.push_back(summary.tail_ess);
        }
    }
    std::vector<estimator::ChainSummary> convergence() const {
        std::vector<estimator::ChainSummary> summaries;
        for (std::size_t k = 0; k < r_hat.size(); ++k)
            summaries.push_back({of_parameters[k], r_hat[k], bulk_ess[k], tail_ess[k]});
        return summaries;
    }

    void fields(Fields& f) {
        f("replicate", replicate);
        auto n = static_cast<std::int64_t>(of_parameters.size());
        f("parameters", n);
        of_parameters.resize(static_cast<std::size_t>(n));
        for (auto& p : of_parameters) {
            f("name", p.name);
            for (double* value : {&p.mean, &p.sd, &p.mcse, &p.ess, &p.quantile_025, &p.quantile_250, &p.quantile_500,
                                  &p.quantile_750, &p.quantile_975})
                f("value", *value);
        }
        f("r_hat", r_hat);
        f("bulk_ess", bulk_ess);
        f("tail_ess", tail_ess);
    }
};

/// The number of draws of every chain: the largest number of draws with a weight in a chain, up to a limit.
Index draws_of_a_chain(const parallel::Communicator& ranks, const Samples& samples) {
    Index most = 0;
    for (const auto& part : samples.parts)
        most = std::max(most, ranks.sum(std::ranges::count_if(
                                  part.log_weight, [](double log_weight) { return log_weight > log_zero; })));
    const auto chains = static_cast<Index>(samples.parts.size());
    return std::min(most, std::max(least_drawn, most_drawn / chains));
}

/// Gathers the draws of posterior.nc from weighted draws: some of them, with equal weights.
void gather_drawn(const parallel::Communicator& ranks, const model::Target& target, const algorithm::Found& found,
                  const random::Seed& seed, Posterior& result) {
    const auto& samples = result.samples;
    const Index n = draws_of_a_chain(ranks, samples), d = static_cast<Index>(result.parameter_names.size());
    result.draws_of_a_chain = samples.parts.front().layout.size();
    std::vector<double> parameters;
    std::vector<LocalDraws> draws;
    for (std::size_t chain = 0; n > 0 && chain < samples.parts.size(); ++chain) {
        const auto& part = samples.parts[chain];
        const std::span<const double> log_weights = part.log_weight;
        const auto drawn = systematic_draws(ranks, std::span(&log_weights, 1), n, seed, chain).front();
        const auto gather = [&](auto& all, auto&& of_draw, std::size_t width) {
            std::remove_reference_t<decltype(all)> local;
            for (const Index i : drawn) {
                const auto values = of_draw(i);
                local.insert(local.end(), values, values + width);
            }
            const auto more = ranks.gather(std::span(std::as_const(local)));
            all.insert(all.end(), more.begin(), more.end());
        };
        gather(
            parameters, [&](Index i) { return part.parameters.col(i).data(); }, static_cast<std::size_t>(d));
        draws.push_back(draws_of_replicate(ranks, found, static_cast<Index>(chain), part, samples.are_recorded, drawn));
        std::vector<Index> places(drawn);
        for (Index& place : places)
            place += part.layout.first_local_item();
        const auto all_places = ranks.gather(std::span(std::as_const(places)));
        result.drawn.insert(result.drawn.end(), all_places.begin(), all_places.end());
        if (result.has_densities) {
            gather(
                result.draw_log_prior, [&](Index i) { return part.log_prior.data() + i; }, 1);
            gather(
                result.draw_log_likelihood, [&](Index i) { return part.log_likelihood.data() + i; }, 1);
        }
        if (result.draws_of_a_chain * result.chains <= most_drawn) {
            const auto all = ranks.gather(log_weights);
            result.draw_log_weights.insert(result.draw_log_weights.end(), all.begin(), all.end());
        }
    }
    result.draws = Eigen::Map<const Matrix>(parameters.data(), d, static_cast<Index>(parameters.size()) / d);
    gather_log_likelihoods(ranks, target, draws, false, result);
}

/// Gathers draws of Markov chains for posterior.nc: all draws, or every thin-th draw of each chain if there are too
/// many.
void gather_thinned(const parallel::Communicator& ranks, const model::Target& target, const Matrix& points,
                    const SamplesPart& part, Posterior& result) {
    const Index n = result.draws_of_a_chain, d = part.parameters.rows();
    const Index most = std::max(least_drawn, most_drawn / result.chains), thin = (n + most - 1) / most;
    std::vector<double> kept;
    std::vector<LocalDraws> draws;
    const auto copy = [&](Index place, Block& block, Index slot) {
        path::points_of(block).points.col(slot) = points.col(place);
    };
    for (Index first = 0; first < part.parameters.cols(); first += n) {
        draws.push_back({{}, 0, copy});
        for (Index i = thin - 1; i < n; i += thin) {
            kept.insert(kept.end(), part.parameters.col(first + i).data(), part.parameters.col(first + i).data() + d);
            draws.back().places.push_back(first + i);
        }
    }
    const auto all = ranks.gather(std::span<const double>(kept));
    result.draws = Eigen::Map<const Matrix>(all.data(), d, static_cast<Index>(all.size()) / d);
    for (Index k = 0; k < result.draws.cols(); ++k)
        result.drawn.push_back((k % (n / thin)) * thin + thin - 1);
    gather_log_likelihoods(ranks, target, draws, true, result);
}

/// A few draws, in the order in which they are drawn from the chains one after another; on rank 0.
struct DrawnPoints {
    Matrix points;                    ///< d x n, unconstrained
    std::vector<Index> chains, draws; ///< n: the chain of each, and its place in the chain
};

DrawnPoints gather_points(const parallel::Communicator& ranks, const algorithm::Found& found, const Samples& samples,
                          Index n, const random::Seed& seed) {
    std::vector<std::span<const double>> log_weights;
    for (const auto& part : samples.parts)
        log_weights.emplace_back(part.log_weight);
    // The chains in posterior.nc have drawn from streams 0, 1, ..., so that n_chains is the first free stream.
    const auto drawn = systematic_draws(ranks, log_weights, n, seed, static_cast<std::uint64_t>(samples.n_chains));
    const auto* chains = found.chains;
    const Matrix recorded = chains ? chains->points() : Matrix();
    std::vector<double> all;
    DrawnPoints gathered;
    for (std::size_t part = 0; part < drawn.size(); ++part) {
        std::vector<double> local;
        std::vector<Index> local_places;
        const auto& layout = samples.parts[part].layout;
        const auto particles = shares_of(ranks, found, chains ? 0 : static_cast<Index>(part)).front();
        for (const Index i : drawn[part]) {
            const Index b = i / particles.layout().block();
            const Vector x = chains
                                 ? Vector(recorded.col(i))
                                 : Vector(path::points_of(particles.block(b)).points.col(i - particles.block_begin(b)));
            local.insert(local.end(), x.begin(), x.end());
            local_places.push_back(layout.first_local_item() + i);
        }
        const auto more = ranks.gather(std::span<const double>(local));
        all.insert(all.end(), more.begin(), more.end());
        for (const Index place : ranks.gather(std::span<const Index>(local_places))) {
            gathered.chains.push_back(chains ? place / layout.block() : static_cast<Index>(part));
            gathered.draws.push_back(chains ? place % layout.block() : place);
        }
    }
    gathered.points = Eigen::Map<const Matrix>(all.data(), static_cast<Index>(all.size()) / n, ranks.is_root() ? n : 0);
    return gathered;
}

/// Collective. The summaries of all replicates, on rank 0. Groups of ranks summarise theirs at the same time.
std::vector<Summaries> summarise_replicates(const parallel::Communicator& ranks, const algorithm::Found& found,
                                            Posterior& result, const std::vector<double>& log_ratios) {
    const auto team = found.team_of(ranks);
    const auto& names = result.parameter_names;
    std::vector<Summaries> mine;
    parallel::DelayedFailure failure;
    for (Index r = 0; r < found.n_replicates(); ++r) {
        auto& part = result.samples.parts[static_cast<std::size_t>(r)];
        const double log_ratio = log_ratios.empty() ? 0.0 : log_ratios[static_cast<std::size_t>(r)];
        const auto work = [&] {
            const auto replicate = found.replicate(r);
            if (result.samples.are_recorded)
                mine.emplace_back(summarise_recorded(team, names, log_ratio, part));
            else
                mine.emplace_back(summarise(team, replicate.population->generation(0), names, log_ratio,
                                            replicate.chain_length, part));
            mine.back().replicate = r;
        };
        if (found.has_replicate(r))
            failure.guard(ranks, work, team.size());
    }
    failure.agree(ranks);
    auto all = parallel::gather_states(ranks, team.is_root(), mine);
    std::ranges::sort(all, {}, &Summaries::replicate); // a rank may have several that are no neighbours
    return all;
}

} // namespace

Posterior posterior_of_particles(const parallel::Communicator& ranks, const model::Target& target,
                                 const algorithm::Found& found, const random::Seed& seed,
                                 const std::vector<double>& log_ratios) {
    Posterior result;
    result.parameter_names = target.offers<model::ReportedParameters>()->parameter_names();
    result.chains = found.n_replicates();
    result.has_densities = target.offers<path::DensityPath>() != nullptr;
    result.samples = {{}, static_cast<Index>(result.parameter_names.size()), result.chains, result.has_densities};
    result.samples.are_recorded = found.draws != nullptr;
    gather_samples(ranks, target, found, result.samples);
    auto summaries = summarise_replicates(ranks, found, result, log_ratios);
    if (summaries.size() == 1) {
        result.summaries = summaries.front().of_parameters;
        result.convergence = summaries.front().convergence();
    } else if (!summaries.empty()) {
        std::vector<std::vector<estimator::PosteriorSummary>> batches;
        batches.reserve(summaries.size());
        for (auto& replicate : summaries)
            batches.push_back(std::move(replicate.of_parameters));
        result.summaries = estimator::combine_batches(batches, log_ratios);
    }
    gather_drawn(ranks, target, found, seed, result);
    return result;
}

Posterior posterior_of_chains(const parallel::Communicator& ranks, const model::Target& target,
                              const algorithm::MarkovChains& chains, const algorithm::ChainOutcome& outcome) {
    Posterior result;
    result.parameter_names = target.offers<model::ReportedParameters>()->parameter_names();
    result.chains = chains.n_chains();
    result.draws_are_weighted = false;
    for (const auto& summary : outcome.summaries)
        result.summaries.push_back(summary.posterior);
    SamplesPart part{chains.draw_layout(), target.offers<path::DensityPath>()->quantities(chains.points()), {}, {}, {}};
    part.log_weight.assign(static_cast<std::size_t>(part.parameters.cols()), 0.0);
    result.draws_of_a_chain = part.layout.block();
    gather_thinned(ranks, target, chains.points(), part, result);
    const auto d = static_cast<Index>(result.parameter_names.size());
    result.samples = {{std::move(part)}, d, result.chains, false, true};
    return result;
}

Predictions predictions_of(const parallel::Communicator& ranks, const model::Target& target,
                           const algorithm::Found& found, const Samples& samples, const model::DataDescription& data) {
    const auto& predictive = *target.offers<model::Predictive>();
    const PredictionSettings settings;
    const random::Seed seed = *found.prediction_seed;
    const auto drawn = gather_points(ranks, found, samples, settings.points, seed);
    Predictions predictions;
    parallel::on_root(ranks, [&] {
        const auto predict = [&](std::span<const double> x, Index n, const random::Address& address) {
            return predictive.predict(x, n, address);
        };
        predictions = summarise_predictions(predict, drawn.points, data, settings, seed);
        for (const Index k : predictions.predicting) {
            predictions.chains.push_back(static_cast<double>(drawn.chains[static_cast<std::size_t>(k)]));
            predictions.draws.push_back(static_cast<double>(drawn.draws[static_cast<std::size_t>(k)]));
        }
    });
    return predictions;
}

} // namespace pearlite::app
