#include "algorithm/plans/annealing_plan.hpp"

#include "algorithm/common/warned.hpp"
#include "algorithm/fitted_path/bridged.hpp"
#include "algorithm/fitted_path/moment_averaged.hpp"
#include "algorithm/replicates/enlarged.hpp"
#include "path/registry.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

std::string format_bytes(double bytes) {
    for (const char* unit : {"B", "KiB", "MiB", "GiB"}) {
        if (bytes < 1024)
            return fmt::format("{:.4g} {}", bytes, unit);
        bytes /= 1024;
    }
    return fmt::format("{:.4g} TiB", bytes);
}

std::unique_ptr<algorithm::Sampler> pilot_of(const parallel::Communicator& ranks, const AnyTarget& target,
                                             const ScheduleSettings& schedule, const KernelSettings& kernel,
                                             Index block, const random::Seed& seed, Index most_prior_draws) {
    return kernel.chosen_pilot().sampler(
        {ranks, target, schedule.temperatures(),
         [kernel, target](const Matrix* learnt) { return kernel.kernel_for(target, learnt); },
         PopulationSettings{kernel.pilot_particles, block, pilot_seed(seed), most_prior_draws}});
}

void prior_draws_key(Keys& k, std::optional<Index>& most_prior_draws) {
    k("most_prior_draws", most_prior_draws, within(1, largest_population),
      about("where likelihoods are zero at draws from the prior, draws that are made in all until each particle has a "
            "positive one")
          .default_is("10000 for each particle"));
}

std::string in_replicates(Index replicates, Index particles, const std::string& what) {
    return fmt::format("{}{} {}", replicates == 1 ? "" : fmt::format("{} x ", replicates), particles, what);
}

std::string temperature_step(const KernelSettings& kernel, Index particles, Index replicates, const std::string& what) {
    return fmt::format("1 temperature x {} move(s) of {}", kernel.moves_text(),
                       in_replicates(replicates, particles, what));
}

std::string describe_stops(const std::string& step) {
    return fmt::format("# stops: between steps; a step is {}\n", step);
}

namespace {

std::string describe_limit(double wanted_steps, const Spread& spread) {
    return fmt::format(
        "the pilot asks for {:.3g} temperatures, so that log weights have a variance of {:g}; the run has "
        "schedule.most_steps = {}, and a wider error bar. Algorithms that resample particles take fewer "
        "temperatures",
        wanted_steps, spread.log_weight_variance, spread.most_steps);
}

/// Makes a kernel for a schedule from the settings that a pilot's kernel learnt at other temperatures, which are empty
/// without a pilot.
std::unique_ptr<kernel::Kernel> kernel_along(const KernelSettings& settings, const AnyTarget& target,
                                             std::span<const double> learnt_at, const Matrix* learnt,
                                             const path::Schedule& schedule) {
    if (learnt_at.empty())
        return settings.kernel_for(target);
    auto kernel = settings.kernel_for(target, learnt);
    kernel->use_rows(learnt_rows(learnt_at, schedule));
    return kernel;
}

} // namespace

AnnealingPlan::AnnealingPlan(std::string name, const ModelTraits& traits)
    : kernel_(traits), name_(std::move(name)), traits_(traits) {
    run_.block = traits.default_block;
}

void AnnealingPlan::spread_temperatures() {
    schedule_.spreads = true;
    if (traits_.continuous)
        schedule_.kind = ScheduleSettings::Kind::adaptive;
}

void AnnealingPlan::defaults_key(Keys& k) {
    k("defaults", defaults_,
      {{name_of_present_defaults, Defaults::present, "this release"},
       {name_of_first_defaults, Defaults::first,
        "the first release: annealed importance sampling, paths from the prior, references fitted as then, and smc "
        "with 1024 particles"}},
      "the release whose defaults algorithm.name, path.kind, path.fit, path.prior_leg and algorithm.particles have");
}

void AnnealingPlan::common_keys(Keys& k, const Needs& needs) {
    if (!needs.has_read_defaults)
        defaults_key(k);
    prior_draws_key(k, most_prior_draws_);
    k.in_table("run", [&] {
        run_.keys(k,
                  {needs.has_block, needs.has_balance, true, block_of_model, traits_.largest_block, traits_.generator});
    });
    k.in_table("path", [&] {
        path_.keys(k, traits_, {defaults_, needs.chooses_path});
        schedule_.end = path_.inverse_temperature_end;
    });
    if (k.is_reading())
        kernel_ = KernelSettings(path_.along(traits_));
    k.in_table("schedule", [&] {
        schedule_.keys(k, true);
        if (schedule_.optimised.refine && (!replicates_.target.error || replicates_.enlarges))
            k.error("refine", "got true, but there are no rounds of replicates; expected algorithm.target_error and "
                              "algorithm.replicates");
    });
    k.in_table("kernel", [&] {
        const bool is_adaptive = !schedule_.fixed;
        if (particles() > 0)
            kernel_.pilot_particles = std::min<Index>(particles(), 1024);
        kernel_.keys(k, {.is_adaptive = is_adaptive,
                         .pilot_particles_default = "particles, at most 1024",
                         .may_keep_states = needs.may_keep_states,
                         .keeps_states = needs.keeps_states});
        const bool adapts_online = needs.adapts_online && !schedule_.is_optimised();
        if (!adapts_online && !kernel_.pilot && (is_adaptive || kernel_.learns()))
            k.error("adapt", fmt::format("got \"online\", but {} takes {} from a pilot; expected \"pilot\"",
                                         needs.adapts_online ? "an optimised schedule" : name_,
                                         is_adaptive ? "an adaptive schedule" : "its proposals"));
        const double temperatures = schedule_.fixed ? static_cast<double>(schedule_.fixed->steps()) : 0;
        const double steps = needs.steps.value_or(needs.passes * temperatures + needs.further_steps);
        const auto& moves = kernel_.moves;
        if (steps * static_cast<double>(moves.number.value_or(moves.most)) > static_cast<double>(largest_step))
            k.error(moves.number ? "moves" : "most_moves",
                    "all steps x moves of each are beyond 4e9, the number of addressed steps");
    });
}

std::unique_ptr<algorithm::Sampler> AnnealingPlan::sampler_of(const parallel::Communicator& ranks,
                                                              AnyTarget target) const {
    if (path_.averages_moments())
        return std::make_unique<algorithm::MomentAveraged>(
            ranks, std::move(target), path_.moments, run_.seed,
            [this, ranks](AnyTarget path) { return sampler_along(ranks, std::move(path)); });
    if (!path_.is_bridge() && !(path_.is_chosen_by_run() && !schedule_.fixed))
        return sampler_along(ranks, std::move(target));
    auto bridge = path_.bridge;
    bridge.most_prior_draws = most_prior_draws();
    return std::make_unique<algorithm::Bridged>(
        ranks, std::move(target), bridge, [this](const AnyTarget& path) { return kernel_.kernel_for(path); },
        traits_.default_block, run_.seed,
        [this, ranks](AnyTarget path) { return sampler_along(ranks, std::move(path)); });
}

// The samplers keep the target.
std::unique_ptr<algorithm::Sampler> AnnealingPlan::sampler_along(const parallel::Communicator& ranks,
                                                                 // NOLINTNEXTLINE(performance-unnecessary-value-param)
                                                                 AnyTarget target) const {
    const auto make_replicates = [this, ranks, target](const path::Temperatures& temperatures,
                                                       std::shared_ptr<const kernel::Kernel> kernel) {
        return all_runs(ranks, runs_of(target, temperatures, std::move(kernel)));
    };
    std::unique_ptr<algorithm::Sampler> sampler;
    if (schedule_.is_optimised())
        sampler = std::make_unique<algorithm::Piloted>(
            ranks, survey_along(ranks, target),
            [this, ranks, target](const algorithm::Tuning& tuning) { return optimised_along(ranks, target, tuning); });
    else if (kernel_.pilot)
        sampler = std::make_unique<algorithm::Piloted>(
            ranks, pilot_of(ranks, target, schedule_, pilot_kernel(), block(), run_.seed, most_prior_draws()),
            [this, target, make_replicates](const algorithm::Tuning& tuning) {
                std::shared_ptr<kernel::Kernel> kernel = kernel_.kernel_for(target, &tuning.kernel);
                if (!schedule_.spreads || schedule_.fixed || !target->path_is_linear())
                    return make_replicates(path::Schedule(tuning.inverse_temperatures), kernel);
                auto spread = algorithm::spread_temperatures(tuning, schedule_.spread);
                kernel->use_rows(std::move(spread.rows));
                auto main = make_replicates(path::Schedule(std::move(spread.inverse_temperatures)), kernel);
                if (spread.wanted_steps > static_cast<double>(schedule_.spread.most_steps))
                    main = std::make_unique<Warned>(std::move(main),
                                                    describe_limit(spread.wanted_steps, schedule_.spread));
                return main;
            });
    else
        sampler = make_replicates(schedule_.temperatures(), kernel_.kernel_for(target));
    return sampler;
}

AnnealingPlan::RunsOf AnnealingPlan::runs_of(const AnyTarget& target, const path::Temperatures& temperatures,
                                             std::shared_ptr<const kernel::Kernel> kernel) const {
    return [=, this](Index particles) {
        return [=, this](const parallel::Communicator& team, const random::Seed& seed) {
            return one_run(team, target, temperatures, *kernel, seed, particles);
        };
    };
}

std::unique_ptr<algorithm::Sampler> AnnealingPlan::all_runs(const parallel::Communicator& ranks,
                                                            const RunsOf& runs) const {
    if (!replicates_.enlarges)
        return replicates_.sampler(ranks, run_.seed, runs(particles()));
    return std::make_unique<Enlarged>(ranks, replicates_.target, particles(), particles_multiple(),
                                      [ranks, runs, seed = run_.seed](Index particles, Index stage) {
                                          return std::make_unique<Replicates>(ranks, 1, seed, runs(particles), stage);
                                      });
}

std::unique_ptr<algorithm::Sampler> AnnealingPlan::optimised_along(const parallel::Communicator& ranks,
                                                                   const AnyTarget& target,
                                                                   const algorithm::Tuning& tuning) const {
    const auto runs_along = [this, target, tuning](const path::Schedule& schedule) {
        return runs_of(target, schedule,
                       kernel_along(kernel_, target, tuning.survey.learnt_at, &tuning.kernel, schedule));
    };
    const auto schedule = optimised_schedule(tuning.survey);
    if (!schedule_.optimised.refine)
        return all_runs(ranks, runs_along(schedule));
    const auto round_along = [this, runs_along](const path::Schedule& along) { return runs_along(along)(particles()); };
    return replicates_.sampler(ranks, run_.seed, round_along(schedule), [this, ranks, round_along](Replicates& before) {
        const auto traces = traces_of(ranks, before.found()); // on rank 0
        std::vector<double> points;
        parallel::on_root(ranks, [&] { points = optimised_schedule(refined_survey(traces)).points(); });
        auto size = std::ssize(points);
        ranks.broadcast(std::span(&size, 1));
        points.resize(static_cast<std::size_t>(size));
        ranks.broadcast(std::span(points));
        return round_along(path::Schedule(points));
    });
}

std::unique_ptr<algorithm::Sampler> AnnealingPlan::survey_along(const parallel::Communicator& ranks,
                                                                const AnyTarget& target) const {
    constexpr std::uint64_t address = 1; // beside the seeds that the pilot derives from its own
    auto settings = schedule_.optimised.survey_settings(block(), random::derive_seed(pilot_seed(run_.seed), address));
    settings.most_prior_draws = most_prior_draws();
    if (!kernel_.pilot)
        return std::make_unique<algorithm::Survey>(
            ranks, target, schedule_.end, [this, target](const path::Schedule&) { return kernel_.kernel_for(target); },
            settings);
    return std::make_unique<algorithm::Piloted>(
        ranks, pilot_of(ranks, target, schedule_, pilot_kernel(), block(), run_.seed, most_prior_draws()),
        [this, ranks, target, settings](const algorithm::Tuning& tuning) {
            path::PathProfile rough{tuning.inverse_temperatures, {}, tuning.variance_u, {}, {}};
            path::repair(rough.variance_u);
            return std::make_unique<algorithm::Survey>(
                ranks, target, schedule_.end,
                [this, target, temperatures = tuning.inverse_temperatures,
                 learnt = tuning.kernel](const path::Schedule& schedule) {
                    return kernel_along(kernel_, target, temperatures, &learnt, schedule);
                },
                settings, rough);
        });
}

AnyTarget AnnealingPlan::along_path(AnyTarget model) const {
    if (const auto* density = model->offers<model::DensityFunctions>(); density && path_.is_bridge())
        path_.bridge.check(*density);
    return path_.along(std::move(model));
}

std::string AnnealingPlan::headline() const {
    return fmt::format("{} {} in blocks of {}", particles(), particles_name(), run_.block);
}

double AnnealingPlan::updates() const {
    const double temperatures = schedule_.fixed ? static_cast<double>(schedule_.fixed->steps()) : 0;
    return static_cast<double>(particles() * replicates_.number) * temperatures *
           static_cast<double>(kernel_.known_moves());
}

std::string AnnealingPlan::work() const {
    const auto all = particles() * replicates_.number;
    if (!kernel_.moves.number)
        return fmt::format("# cost: {} particles x {} temperatures x {} moves, as many as the mobility takes\n", all,
                           schedule_.fixed ? std::to_string(schedule_.fixed->steps()) : "adaptive",
                           kernel_.moves_text());
    if (!schedule_.fixed)
        return fmt::format("# cost: {:.4g} particle moves per temperature; the number of temperatures is adaptive\n",
                           static_cast<double>(all) * static_cast<double>(*kernel_.moves.number));
    return fmt::format("# cost: {:.4g} particle moves ({} particles x {} temperatures x {} moves)\n", updates(), all,
                       schedule_.fixed->steps(), *kernel_.moves.number);
}

Workload AnnealingPlan::workload(const BuiltModel& model) const {
    const Index blocks = (particles() + block() - 1) / block();
    const auto bytes =
        static_cast<double>(particles() * replicates_.number) * static_cast<double>(model.packed_particle_bytes() + 16);
    return {updates(),
            bytes,
            blocks * replicates_.number,
            particles() * replicates_.number,
            1,
            !kernel_.moves.number,
            replicates_.target.error && !replicates_.enlarges,
            replicates_.enlarges ? replicates_.target.error : std::nullopt,
            replicates_.target.most_particles};
}

std::vector<PopulationKey> AnnealingPlan::populations() const {
    const bool are_steps_known = kernel_.pilot || (schedule_.fixed && kernel_.moves.number);
    return {{"algorithm." + particles_name(), particles(), are_steps_known ? block() : fewest_that_adapt}};
}

std::vector<PopulationKey> AnnealingPlan::pilot_populations() const {
    std::vector<PopulationKey> all;
    if (path_.is_bridge() && path_.bridge.has_leg())
        all.push_back(
            {"path.fit_particles", path_.bridge.fit_particles, BridgeSettings::leg_replicates * fewest_that_adapt});
    if (path_.averages_moments())
        all.push_back({"path.fit_chains", path_.moments.chains, MomentFit::piece});
    if (kernel_.pilot)
        all.push_back({"kernel.pilot_particles", kernel_.pilot_particles, fewest_that_adapt});
    if (schedule_.is_optimised())
        all.push_back({"schedule.pilot_trajectories", schedule_.optimised.pilot_trajectories, block()});
    return all;
}

std::string AnnealingPlan::step() const {
    return temperature_step(kernel_, particles(), replicates_.number, particles_name());
}

std::string AnnealingPlan::cost(const BuiltModel& model) const {
    auto text = work() + replicates_.cost();
    if (path_.is_bridge() || (path_.is_chosen_by_run() && !schedule_.fixed))
        text += path_.bridge.cost(kernel_.moves_text());
    if (path_.averages_moments())
        text += path_.moments.cost();
    if (kernel_.pilot)
        text += fmt::format("# and a pilot of {} particles{}\n", kernel_.pilot_particles, kernel_.pilot_name_text());
    if (schedule_.is_optimised())
        text += fmt::format("# and a survey of the path: {}\n", schedule_.optimised.cost());
    text += describe_stops(step());
    const auto all = workload(model);
    return text +
           fmt::format("# checkpoint: about {} in all; {} block(s) per population, so at most {} useful rank(s)\n",
                       format_bytes(all.bytes), all.useful_ranks / replicates_.number, all.useful_ranks);
}

std::string AnnealingPlan::idle_ranks(int ranks) const {
    return describe_idle_ranks(ranks, particles(), block(), "particles", replicates_.number);
}

} // namespace pearlite::algorithm
