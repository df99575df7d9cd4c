#include "app/result/parts/kinds.hpp"

#include "estimator/evidence/agreement.hpp"
#include "estimator/evidence/mobility.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace pearlite::app {

namespace {

/// Adds the number of likelihoods that a run estimated, if its likelihood is estimated.
void add_likelihood_estimates(const model::Target& target, const algorithm::Sampler& sampler,
                              algorithm::Outcome& outcome) {
    const auto* path = target.offers<path::DensityPath>();
    if (!path || !path->is_estimated())
        return;
    if (const auto made = sampler.likelihood_estimates())
        outcome.diagnostics.push_back({"likelihood_estimates", static_cast<double>(*made), {}});
    if (const auto made = sampler.pilot_likelihood_estimates())
        outcome.diagnostics.push_back({"pilot_likelihood_estimates", static_cast<double>(*made), {}});
}

/// Whether a run chose the number of its moves: a given one is the same at all temperatures but b_0.
bool chose_moves(const algorithm::Trace& trace) {
    const auto& moves = trace.moves;
    return moves.size() > 2 && std::any_of(moves.begin() + 2, moves.end(), [&](auto m) { return m != moves[1]; });
}

/// Collective. A warning where the particles of a replicate moved too little.
void warn_of_mobility(algorithm::Sampler& sampler, algorithm::Outcome& outcome) {
    std::size_t replicates = 0;
    bool any_chose = false;
    std::optional<estimator::LeastMobility> worst;
    for (const auto& trace : sampler.traces()) {
        const auto least =
            estimator::insufficient_mobility({trace.inverse_temperature, trace.variance_u, trace.mobility,
                                              trace.mobility_energy, sampler.needed_mobility()});
        replicates += least ? 1 : 0;
        any_chose = any_chose || chose_moves(trace);
        if (least && (!worst || least->mobility < worst->mobility))
            worst = least;
    }
    if (!worst)
        return;
    outcome.warnings.push_back(
        fmt::format("particles hardly move: their mobility is {:.2g} at inverse temperature {:.4g}, and too small at "
                    "{:.0f} % of the temperatures{}; {}",
                    worst->mobility, worst->inverse_temperature, 100 * worst->share,
                    sampler.n_replicates() > 1 ? fmt::format(" of {} replicate(s)", replicates) : "",
                    any_chose ? "use another kernel, or other coordinates, or raise kernel.most_moves"
                              : "raise kernel.moves, or leave it to auto"));
}

/// Collective. A warning where some particles stood still while the others moved.
void warn_of_stuck_particles(algorithm::Sampler& sampler, algorithm::Outcome& outcome) {
    std::optional<estimator::StuckParticles> worst;
    for (const auto& trace : sampler.traces()) {
        const auto stuck =
            estimator::stuck_particles({trace.inverse_temperature, trace.acceptance, trace.moves, trace.unmoved});
        if (stuck && (!worst || stuck->unmoved > worst->unmoved))
            worst = stuck;
    }
    if (worst)
        outcome.warnings.push_back(worst->text());
}

} // namespace

std::span<const PartKind> kinds_of_parts() {
    static constexpr std::array kinds{
        PartKind{particles_part, nullptr},
        PartKind{nullptr, describe_free_energy},
        PartKind{nullptr, describe_mbar},
        PartKind{evidence_part, describe_evidence},
        PartKind{approximations_part, describe_approximations},
        PartKind{test_likelihood_part, describe_test_likelihood},
        PartKind{nullptr, describe_search},
        PartKind{nullptr, describe_training},
        PartKind{trace_part, nullptr},
        PartKind{schedule_part, describe_schedule},
        PartKind{growth_part, describe_growth},
        PartKind{posterior_part, describe_posterior},
        PartKind{chains_part, describe_chains},
        PartKind{outcome_part, describe_outcome},
        PartKind{rejections_part, describe_rejections},
        PartKind{predictions_part, nullptr},
        PartKind{class_predictions_part, describe_class_predictions},
        PartKind{images_part, nullptr},
    };
    return kinds;
}

ResultParts parts_of(FinishedRun run) {
    auto& sampler = run.sampler;
    if (const auto* chains = sampler.markov_chains()) {
        run.chains = chains->chain_outcome();
        run.outcome = algorithm::judge_chains(*run.chains);
    } else {
        run.outcome = sampler.outcome();
        if (sampler.n_replicates() > 1)
            run.log_ratios = sampler.log_ratios();
        warn_of_mobility(sampler, run.outcome);
        warn_of_stuck_particles(sampler, run.outcome);
        estimator::judge(run.outcome.log_ratio, run.outcome.warnings);
    }
    add_likelihood_estimates(run.target, sampler, run.outcome);
    ResultParts parts;
    for (const auto& kind : kinds_of_parts())
        if (kind.part_of)
            if (auto part = kind.part_of(run))
                parts.push_back(std::move(part));
    return parts;
}

RunResult result_of(ResultParts parts) {
    RunResult result{std::move(parts), {}};
    io::Sha256 hash;
    for (const auto& part : result.parts)
        part->digest(hash);
    result.digest = hash.finish_hex();
    return result;
}

} // namespace pearlite::app
