#include "statistical/cases.hpp"

#include "algorithm/annealed_importance/annealed_importance.hpp"
#include "algorithm/common/replicates.hpp"
#include "algorithm/smc/smc.hpp"
#include "kernel/native.hpp"
#include "kernel/random_walk.hpp"
#include "models/gaussian/gaussian.hpp"
#include "models/rbm/rbm.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "pearlite/path/tempered.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>

namespace pearlite::calibration {

namespace {

using algorithm::PopulationSettings;
using population::Resampling;

constexpr std::uint64_t model_seed = 11;
constexpr std::uint64_t pilot_seed = 12;

/// A model with its exact answer, temperatures and kernel: what all samplers of a problem share.
struct Problem {
    std::string name;
    std::shared_ptr<const model::Target> target;
    path::Schedule schedule;
    std::shared_ptr<const kernel::Kernel> kernel;
    Index block;

    double exact() const {
        const auto value = target->exact_log_ratio(schedule.end());
        if (!value)
            throw InputError(name + " has no exact answer");
        return *value;
    }
    algorithm::AnnealedImportance annealing(Index trajectories, std::uint64_t seed) const {
        return {parallel::Communicator::alone(), target, schedule, *kernel, {trajectories, block, seed}};
    }
    algorithm::Smc smc(Index particles, Resampling resampling, double ess_threshold, std::uint64_t seed) const {
        return {parallel::Communicator::alone(), target, schedule, *kernel, {particles, block, seed},
                {resampling, ess_threshold}};
    }
};

template <class S>
S run_to_end(S sampler) {
    sampler.begin();
    while (!sampler.finished())
        sampler.step();
    return sampler;
}

/// N(20, 10^2) -> N(0, 1) along `steps` temperatures, with proposals from a pilot of 4096 particles of its own seed.
Problem gaussian(Index steps, Index moves) {
    const auto path = path::tempered(models::Gaussian({}));
    const auto schedule = path::geometric_schedule(steps, 1.0);
    const auto pilot = run_to_end(algorithm::Smc(parallel::Communicator::alone(), path, schedule,
                                                 kernel::RandomWalk(path, moves), {4096, 16, pilot_seed}, {}));
    return {"Gaussian", path, schedule, std::make_shared<kernel::RandomWalk>(path, moves, pilot.kernel()->learnt()),
            16};
}

/// 12 visible and 8 hidden units, weights N(0, 2^2), biases N(0, 0.5^2); the start has the model's own visible biases.
Problem rbm(Index steps) {
    const auto target = model::target_of(models::Rbm(models::random_rbm(12, 8, 2.0, 0.5, model_seed)));
    return {"RBM 12 x 8", target, path::linear_schedule(steps, 1.0), std::make_shared<kernel::Native>(target), 16};
}

constexpr double not_offered = std::numeric_limits<double>::quiet_NaN();

/// The errors in the order of `errors`; an exact one by another method than the case expects counts as not offered.
Replicate replicate_of(const algorithm::Outcome& outcome, const std::vector<Case::Error>& errors, Index eves) {
    Replicate result{outcome.log_ratio[0].value, {not_offered, not_offered}, outcome.ess, eves};
    for (std::size_t e = 0; e < errors.size(); ++e)
        if (errors[e].claim == Claim::conservative || outcome.log_ratio[e].error_method == errors[e].method)
            result.standard_error[e] = outcome.log_ratio[e].standard_error.value_or(not_offered);
    return result;
}

/// Families at the last weighting: those that the last resampling before it left.
Index eves_of(const algorithm::Smc& smc) {
    const auto& eves = smc.trace().eves;
    return static_cast<Index>(eves[eves.size() - 2]);
}

Case annealing_case(const Problem& problem, Index trajectories) {
    const std::vector<Case::Error> errors{{"delta"}, {"bootstrap"}};
    return {problem.name + ", AIS", fmt::format("{} trajectories, {} steps", trajectories, problem.schedule.steps()),
            problem.exact(), errors, [=](std::uint64_t seed) {
                return replicate_of(run_to_end(problem.annealing(trajectories, seed)).outcome(), errors, 0);
            }};
}

enum class When { ess_halved, every_step };

/// Lee-Whiteley's error is exact where few multinomial resamplings happen; everything else has Chan-Lai's bound.
Case smc_case(const Problem& problem, Index particles, Resampling resampling, When when = When::ess_halved) {
    const bool multinomial = resampling == Resampling::multinomial;
    const std::vector<Case::Error> errors{multinomial && when == When::ess_halved
                                              ? Case::Error{"lee-whiteley"}
                                              : Case::Error{"chan-lai", Claim::conservative}};
    return {fmt::format("{}, SMC, {}{}", problem.name, multinomial ? "multinomial" : "systematic",
                        when == When::ess_halved ? "" : " at every step"),
            fmt::format("{} particles, {} steps", particles, problem.schedule.steps()), problem.exact(), errors,
            [=](std::uint64_t seed) {
                const double ess_threshold = when == When::ess_halved ? 0.5 : 1.0;
                const auto smc = run_to_end(problem.smc(particles, resampling, ess_threshold, seed));
                return replicate_of(smc.outcome(), errors, eves_of(smc));
            }};
}

Case batches_case(const Problem& problem, Index batches, Index particles) {
    const std::vector<Case::Error> errors{{"batches", Claim::exact, static_cast<double>(batches - 1)}};
    return {fmt::format("{}, SMC, systematic, {} batches", problem.name, batches),
            fmt::format("{} x {} particles, {} steps", batches, particles, problem.schedule.steps()), problem.exact(),
            errors, [=](std::uint64_t seed) {
                algorithm::Replicates runs(parallel::Communicator::alone(), batches, seed,
                                           [&](const auto&, std::uint64_t batch_seed) {
                                               return std::make_unique<algorithm::Smc>(
                                                   problem.smc(particles, Resampling::systematic, 0.5, batch_seed));
                                           });
                runs.begin();
                while (!runs.finished())
                    runs.step();
                return replicate_of(runs.outcome(), errors, 0);
            }};
}

} // namespace

std::vector<Case> calibrated_cases() {
    const auto toy = gaussian(20, 2);
    const auto machine = rbm(20);
    return {annealing_case(toy, 1024),
            annealing_case(machine, 1024),
            smc_case(toy, 1024, Resampling::multinomial),
            smc_case(machine, 1024, Resampling::multinomial),
            smc_case(toy, 1024, Resampling::multinomial, When::every_step),
            smc_case(machine, 1024, Resampling::multinomial, When::every_step),
            smc_case(toy, 1024, Resampling::systematic),
            smc_case(machine, 1024, Resampling::systematic),
            smc_case(machine, 1024, Resampling::systematic, When::every_step),
            batches_case(toy, 16, 128),
            batches_case(machine, 16, 128)};
}

Case few_families_case() {
    auto result = smc_case(gaussian(40, 1), 64, Resampling::systematic, When::every_step);
    result.name += ", few families";
    return result;
}

Case few_particles_case(bool online) {
    constexpr Index particles = 10, steps = 20, moves = 2;
    const auto problem = gaussian(steps, moves);
    auto result = smc_case(problem, particles, Resampling::systematic);
    result.name += online ? ", proposals from the particles themselves" : ", proposals from a pilot";
    result.errors.clear();
    if (online)
        result.run = [=](std::uint64_t seed) {
            auto itself = problem;
            const kernel::RandomWalk::Path path(problem.target, problem.target->offers<path::DensityPath>());
            itself.kernel = std::make_shared<kernel::RandomWalk>(path, moves);
            const auto smc = run_to_end(itself.smc(particles, Resampling::systematic, 0.5, seed));
            return replicate_of(smc.outcome(), {}, eves_of(smc));
        };
    return result;
}

} // namespace pearlite::calibration
