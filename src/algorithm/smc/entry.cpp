#include "algorithm/plans/annealing_plan.hpp"

#include "algorithm/smc/smc.hpp"
#include "algorithm/smc/waste_free.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

constexpr const char* own_name = "smc";

constexpr Index plain_particles = 1024;

/// With a gradient, moves are cheap for what they do, and a fit to the last particles (bridge_at_end.hpp) needs many
/// for each coordinate: errors of 0.005 to 0.015 for regressions. Densities of users' programs may take milliseconds.
Index default_particles(const ModelTraits& traits) {
    constexpr Index fewest = 2048, most = 8192, of_a_coordinate = 256;
    if (!traits.has_gradient.value_or(false) || traits.has_estimated_likelihood || !traits.dimension)
        return plain_particles;
    return traits.lacks_prior ? fewest : std::clamp(of_a_coordinate * *traits.dimension, fewest, most);
}

/// A first population that others follow: enough for its own error bar.
Index first_particles(const ModelTraits& traits) {
    constexpr Index share = 8, fewest = 512;
    return std::max(fewest, default_particles(traits) / share);
}

class SmcPlan final : public AnnealingPlan {
  public:
    explicit SmcPlan(const ModelTraits& traits) : AnnealingPlan(own_name, traits) {
        schedule_.kind = ScheduleSettings::Kind::adaptive;
    }

    void keys(Keys& k) override {
        using population::Resampling;
        defaults_key(k);
        replicates_.enlarging_keys(k);
        if (k.is_reading() && k.has("batches"))
            k.error("batches", "this key has a new name; expected \"replicates\"");
        particles_ = has_first_defaults()   ? plain_particles
                     : replicates_.enlarges ? first_particles(traits())
                                            : default_particles(traits());
        k("particles", particles_, within(2, largest_population),
          about("particles in each replicate; with target_error those of the first population")
              .default_is(
                  "1024; with a gradient 256 for each coordinate, at least 2048 and at most 8192, or 2048 for a "
                  "model without a prior; an eighth of it with target_error, at least 512"));
        replicates_.largest_key(k, particles_, particles_name());
        k("waste_free", chain_length_, within(2, {particles_ / 2, "particles / 2"}),
          "length of chains whose states are all kept (Dau & Chopin 2022): particles / waste_free resampled particles "
          "start one each at every temperature; must divide particles");
        if (chain_length_ && *chain_length_ < 2)
            chain_length_.reset(); // a mistake that is recorded
        if (chain_length_ && particles_ % *chain_length_ != 0)
            k.error("waste_free", fmt::format("got {}, which does not divide the {} particles; expected a divisor",
                                              *chain_length_, particles_));
        k.unless_given("waste_free", [&] {
            k("ess_threshold", settings_.ess_threshold, within(0, 1),
              "resample when the effective sample size falls below this fraction of the particles");
        });
        k("resampling", settings_.resampling,
          {{"multinomial", Resampling::multinomial},
           {"stratified", Resampling::stratified},
           {"systematic", Resampling::systematic},
           {"residual", Resampling::residual}},
          "how offspring are drawn");
        // Step t of chains of P states has the addresses from t P on.
        const auto length = static_cast<double>(chain_length_.value_or(1));
        common_keys(k, {.has_balance = true,
                        .adapts_online = !chain_length_,
                        .passes = length,
                        .further_steps = chain_length_ ? length : 0,
                        .may_keep_states = true,
                        .keeps_states = chain_length_.has_value(),
                        .has_read_defaults = true,
                        .chooses_path = true});
        settings_.balance = run_.balance;
    }
    Index particles() const override { return particles_; }
    std::string headline() const override {
        return chain_length_ ? fmt::format("{} in blocks of {}", chains(1), run_.block) : AnnealingPlan::headline();
    }
    Workload workload(const BuiltModel& model) const override {
        auto all = AnnealingPlan::workload(model);
        all.useful_ranks = replicates_.number * ((n_chains() + run_.block - 1) / run_.block);
        return all;
    }
    std::string idle_ranks(int ranks) const override {
        return describe_idle_ranks(ranks, n_chains(), run_.block, chain_length_ ? "chains" : "particles",
                                   replicates_.number);
    }

  private:
    std::string particles_name() const override { return "particles"; }
    Index particles_multiple() const override { return chain_length_.value_or(1); }
    /// The particles of one replicate, or its chains if waste_free is given.
    Index n_chains() const { return particles_ / chain_length_.value_or(1); }
    /// "8 x 64 chains of 16 states".
    std::string chains(Index replicates) const {
        return in_replicates(replicates, n_chains(), fmt::format("chains of {} states", *chain_length_));
    }
    double moves_of_a_temperature() const {
        return static_cast<double>((particles_ - n_chains()) * replicates_.number) *
               static_cast<double>(kernel_.known_moves());
    }
    double updates() const override {
        return chain_length_
                   ? moves_of_a_temperature() * static_cast<double>(schedule_.fixed ? schedule_.fixed->steps() : 0)
                   : AnnealingPlan::updates();
    }
    std::string work() const override {
        if (!chain_length_)
            return AnnealingPlan::work();
        if (!schedule_.fixed)
            return fmt::format(
                "# cost: {:.4g} particle moves per temperature; the number of temperatures is adaptive\n",
                moves_of_a_temperature());
        return fmt::format("# cost: {:.4g} particle moves ({} temperatures x {} x {} moves between two)\n", updates(),
                           schedule_.fixed->steps(), chains(replicates_.number), kernel_.moves_text());
    }
    std::string step() const override {
        return chain_length_ ? fmt::format("1 temperature: {}, {} move(s) between two", chains(replicates_.number),
                                           kernel_.moves_text())
                             : AnnealingPlan::step();
    }
    /// A move between two states is enough for chains of many, but not for a pilot without chains.
    KernelSettings pilot_kernel() const override {
        auto pilot = kernel_;
        if (chain_length_ && pilot.moves.number)
            pilot.moves.number = pilot.chosen().moves;
        return pilot;
    }
    std::unique_ptr<algorithm::Sampler> one_run(const parallel::Communicator& ranks, const AnyTarget& target,
                                                const path::Temperatures& temperatures, const kernel::Kernel& kernel,
                                                const random::Seed& seed, Index particles) const override {
        const algorithm::PopulationSettings population{particles, run_.block, seed, most_prior_draws()};
        if (chain_length_)
            return std::make_unique<algorithm::WasteFree>(
                ranks, target, temperatures, kernel, population,
                algorithm::WasteFreeSettings{*chain_length_, settings_.resampling});
        return std::make_unique<algorithm::Smc>(ranks, target, temperatures, kernel, population, settings_);
    }

    Index particles_ = plain_particles;
    std::optional<Index> chain_length_; ///< of waste-free SMC
    algorithm::SmcSettings settings_;
};

class SmcPilot final : public PilotAlgorithm {
  public:
    std::string about() const override { return "a population that is resampled"; }
    std::unique_ptr<Sampler> sampler(const PilotTask& task) const override {
        return annealed_population(task.ranks, task.target, task.temperatures, *task.kernel(nullptr), task.population);
    }
};

} // namespace

std::unique_ptr<Sampler> annealed_population(const parallel::Communicator& ranks,
                                             std::shared_ptr<const model::Target> target, path::Temperatures schedule,
                                             const kernel::Kernel& kernel, const PopulationSettings& settings,
                                             bool resamples) {
    SmcSettings smc;
    if (!resamples)
        smc.ess_threshold = 0;
    return std::make_unique<Smc>(ranks, std::move(target), std::move(schedule), kernel, settings, smc);
}

const char* annealed_population_name() {
    return own_name;
}

AlgorithmEntry smc_entry() {
    return {
        .name = own_name,
        .about = "tempered sequential Monte Carlo, fixed or adaptive temperatures",
        .plan = plan_of<SmcPlan>,
        .pilot = pilot_of<SmcPilot>,
        .can_tune_likelihood = true,
    };
}

} // namespace pearlite::algorithm
