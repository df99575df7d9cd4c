#include "app/result/parts/spot_check.hpp"

#include "estimator/evidence/mobility.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/path/detail/density_path.hpp"

namespace pearlite::app {

namespace {

using model::Task;

/// Adds the number of likelihoods that a run estimated, if its likelihood is estimated.
void add_likelihood_estimates(const model::Target& target, const algorithm::Progress& progress,
                              algorithm::Outcome& outcome) {
    const auto* path = target.offers<path::DensityPath>();
    if (!path || !path->is_estimated())
        return;
    if (const auto made = progress.likelihoods)
        outcome.diagnostics.push_back({"likelihood_estimates", static_cast<double>(*made), {}});
    if (const auto made = progress.pilot_likelihoods)
        outcome.diagnostics.push_back({"pilot_likelihood_estimates", static_cast<double>(*made), {}});
}

/// Whether a run chose the number of its moves: a given one is the same at all temperatures but b_0.
bool chose_moves(const algorithm::Trace& trace) {
    const auto& moves = trace.moves;
    return moves.size() > 2 && std::any_of(moves.begin() + 2, moves.end(), [&](auto m) { return m != moves[1]; });
}

/// The families behind the means of a trace's temperatures; none where they are not known.
struct FamiliesBehind {
    std::vector<double> energy, unmoved;

    FamiliesBehind(const algorithm::Trace& trace, const algorithm::Found& found)
        : energy(trace.energy_families), unmoved(trace.unmoved_families) {
        if (!trace.resampled.empty() || found.first_wanted_slot > 0)
            return;
        energy = trace.ess;                                    // independent trajectories
        for (std::size_t t = 0; t < trace.unmoved.size(); ++t) // at least, whatever their weights are
            unmoved.push_back(trace.unmoved[t] * (1 - trace.unmoved[t]) * trace.ess[t]);
    }
};

/// Adds a warning where the particles of a replicate moved too little.
void warn_of_mobility(const std::vector<algorithm::Trace>& traces, const algorithm::Found& found,
                      algorithm::Outcome& outcome) {
    std::size_t replicates = 0;
    bool any_chose = false;
    std::optional<estimator::LeastMobility> worst;
    for (const auto& trace : traces) {
        const FamiliesBehind families(trace, found);
        const auto least =
            estimator::insufficient_mobility({trace.inverse_temperature, trace.variance_u, trace.mobility,
                                              trace.mobility_energy, found.needed_mobility, families.energy});
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
                    found.n_replicates() > 1 ? fmt::format(" of {} replicate(s)", replicates) : "",
                    any_chose ? "use another kernel, or other coordinates, or raise kernel.most_moves"
                              : "raise kernel.moves, or leave it to auto"));
}

/// Adds a warning where some particles stood still while the others moved.
void warn_of_stuck_particles(const std::vector<algorithm::Trace>& traces, const algorithm::Found& found,
                             algorithm::Outcome& outcome) {
    std::optional<estimator::StuckParticles> worst;
    for (const auto& trace : traces) {
        const FamiliesBehind families(trace, found);
        const auto stuck = estimator::stuck_particles(
            {trace.inverse_temperature, trace.acceptance, trace.moves, trace.unmoved, families.unmoved});
        if (stuck && (!worst || stuck->unmoved > worst->unmoved))
            worst = stuck;
    }
    if (worst)
        outcome.warnings.push_back(worst->text());
}

Task task_of(const algorithm::Found& found) {
    return found.search ? Task::search : found.training ? Task::training : Task::annealing;
}

/// Collective. The outcome of an annealing, and what its traces and likelihoods add to it.
void find_outcome(RunView& run) {
    const auto& found = run.found;
    if (found.chains) {
        run.chains = found.chains->chain_outcome();
        run.outcome = algorithm::judge_chains(*run.chains);
    } else {
        run.outcome = run.sampler.outcome();
        if (found.n_replicates() > 1)
            run.log_ratios = found.log_ratios;
        const auto traces = traces_of(run.ranks, found);
        warn_of_mobility(traces, found, run.outcome);
        warn_of_stuck_particles(traces, found, run.outcome);
        estimator::judge(run.outcome.log_ratio, run.outcome.warnings);
        check_spots(run);
    }
    add_likelihood_estimates(*run.target, run.sampler.progress(), run.outcome);
}

/// Collective. Null with a remark if an optional part cannot be made.
std::unique_ptr<ResultPart> made(const PartKind& kind, RunView& run) {
    if (*kind.name == 0)
        return kind.part_of(run);
    try {
        return kind.part_of(run);
    } catch (const std::exception&) {
        const auto error = std::current_exception();
        if (run.ranks.size() > 1 && !is_agreed(error))
            throw;
        run.remarks.push_back(fmt::format("{} left out: {}", kind.name, pearlite::describe(error).message));
        return nullptr;
    }
}

ResultParts made_of(RunView& run) {
    const auto task = task_of(run.found);
    ResultParts parts;
    for (const auto& kind : kinds_of_parts())
        if (kind.part_of && kind.task == task && (run.is_finished || !kind.needs_end))
            if (auto part = made(kind, run))
                parts.push_back(std::move(part));
    return parts;
}

} // namespace

ResultParts parts_of(RunView& run) {
    if (task_of(run.found) == Task::annealing) {
        if (const auto* density = run.target->offers<model::DensityFunctions>())
            if (const auto* rejected = density->offers<model::RejectedPoints>())
                run.rejections = rejected->rejections();
        find_outcome(run);
    }
    return made_of(run);
}

ResultParts partial_parts(RunView run) {
    run.is_finished = false;
    return made_of(run);
}

RunResult result_of(ResultParts parts, std::vector<std::string> remarks) {
    RunResult result{std::move(parts), {}, std::move(remarks)};
    io::Sha256 hash;
    for (const auto& part : result.parts)
        part->digest(hash);
    result.digest = hash.finish_hex();
    return result;
}

} // namespace pearlite::app
