#include "algorithm/plans/annealing_plan.hpp"

#include "algorithm/parallel_tempering/parallel_tempering.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

constexpr const char* own_name = "parallel-tempering";

class TemperingPlan final : public AnnealingPlan {
  public:
    /// The path of a density from prior to posterior is steep near b = 0, so that a pilot places the temperatures. For
    /// models of discrete states, whose energies have one scale along the path, the temperatures are even.
    explicit TemperingPlan(const ModelTraits& traits) : AnnealingPlan(own_name, traits) {
        schedule_.steps = 31;
        schedule_.conditional_ess = conditional_ess;
        kernel_.moves.mobility = mobility_of_scan;
        if (traits.continuous) {
            schedule_.kind = ScheduleSettings::Kind::adaptive;
            scans_ = std::max(scans_of_density, scans_of_coordinate * traits.dimension.value_or(0));
        }
    }

    void keys(Keys& k) override {
        replicas_ = std::min<Index>(64, traits().largest_block);
        k("replicas", replicas_, within(1, {traits().largest_block, "the model's largest block"}),
          "independent systems; 8 or more for an error bar");
        k("scans", scans_, within(10, largest_step),
          about("moves and swaps at every temperature")
              .default_is(fmt::format("{}; of a density {}, or {} a coordinate if these are more", scans_of_sweeps,
                                      scans_of_density, scans_of_coordinate)));
        burn_in_ = scans_ / 5;
        k("burn_in", burn_in_, within(0, {std::max<Index>(scans_ - 2, 0), "scans - 2"}),
          about("scans that are not measured").default_is("a fifth of scans"));
        const auto& starts = traits().reverse_starts;
        const bool has_mode = std::find(starts.begin(), starts.end(), model::ReverseStart::mode) != starts.end();
        k.when("the model has modes", has_mode, [&] {
            cold_from_mode_ = true;
            k("cold_start", cold_from_mode_, {{"mode", true}, {"prior", false}},
              about("how the colder part of the ladder starts").default_is("mode"));
            k.when("cold_start", cold_from_mode_, true, [&] {
                k("cold_from", cold_from_, at_least(0),
                  "the inverse temperature where the colder part begins; else the middle temperature");
            });
        });
        replicates_.keys(k);
        common_keys(k, {.has_block = false, .steps = static_cast<double>(scans_)});
    }
    /// A block is a temperature.
    Index block() const override { return replicas_; }
    Index particles() const override { return schedule_.fixed ? replicas_ * (schedule_.fixed->steps() + 1) : 0; }
    Workload workload(const BuiltModel& model) const override {
        auto all = AnnealingPlan::workload(model);
        if (schedule_.fixed)
            return all;
        all.particles = replicas_ * typical_temperatures * replicates_.number;
        all.bytes = static_cast<double>(all.particles) * static_cast<double>(model.packed_particle_bytes() + 16);
        all.useful_ranks = typical_temperatures * replicates_.number;
        return all;
    }
    /// With fewer systems a scan's blocks would be shorter than vector registers.
    std::vector<PopulationKey> populations() const override { return {}; }
    std::string memory_key() const override { return "algorithm.replicas"; }
    std::string headline() const override {
        return fmt::format("{} systems of {} temperatures, {} scans,", replicas_,
                           schedule_.fixed ? std::to_string(schedule_.fixed->steps() + 1) : "adaptive", scans_);
    }

  private:
    std::string particles_name() const override { return "states"; }
    std::string work() const override {
        return fmt::format(
            "# cost: {} systems x {} scans x {} moves at each temperature{}\n", replicas_, scans_, kernel_.moves_text(),
            schedule_.fixed ? "" : fmt::format("; the pilot chooses these, {} in what follows", typical_temperatures));
    }
    double updates() const override { return AnnealingPlan::updates() * static_cast<double>(scans_); }
    std::vector<std::string> size_keys() const override { return {"algorithm.scans", "schedule.steps"}; }
    std::string step() const override {
        return fmt::format("1 scan: {} move(s) of {} at every temperature", kernel_.moves_text(),
                           in_replicates(replicates_.number, replicas_, "systems"));
    }
    std::unique_ptr<algorithm::Sampler> one_run(const parallel::Communicator& ranks, const AnyTarget& target,
                                                const path::Temperatures& temperatures, const kernel::Kernel& kernel,
                                                const random::Seed& seed, Index /*particles*/) const override {
        return std::make_unique<algorithm::ParallelTempering>(
            ranks, target, std::get<path::Schedule>(temperatures), kernel,
            algorithm::TemperingSettings{replicas_, scans_, burn_in_, seed, cold_from_mode_, cold_from_,
                                         most_recorded_bytes / static_cast<std::size_t>(replicates_.number),
                                         most_energy_bytes / static_cast<std::size_t>(replicates_.number),
                                         most_prior_draws()});
    }

    /// The conditional ESS of a step from one temperature to the next: log weights then have a standard deviation of
    /// about 0.7, and three of five swaps are accepted. For the same work a state travels fastest between the ends of
    /// the ladder if half of the swaps are accepted (Syed et al. 2022), and at that rate the stepping stones have
    /// little to bridge.
    static constexpr double conditional_ess = 0.6;
    /// Exchanges with hotter states mix a state too, and a run makes many scans: five times as many moves halve an
    /// error bar, as do five times as many scans, at the same cost.
    static constexpr double mobility_of_scan = 0.2;
    /// For a density, a scan makes as many moves as the mobility needs, so that scans mix alike for all densities; a
    /// sweep of a lattice may move little. The number of temperatures of a density grows with the root of its
    /// dimension, and the number of scans in a passage with the square of that number.
    static constexpr Index scans_of_sweeps = 2000, scans_of_density = 1000, scans_of_coordinate = 20;
    static constexpr Index typical_temperatures = 32;
    static constexpr std::size_t most_recorded_bytes = std::size_t{32} << 20; ///< for the posterior, of all replicates
    static constexpr std::size_t most_energy_bytes = std::size_t{8} << 20;    ///< for MBAR, of all replicates
    Index replicas_ = 64, scans_ = scans_of_sweeps, burn_in_ = 0;
    bool cold_from_mode_ = false;
    std::optional<double> cold_from_;
};

class TemperingPilot final : public PilotAlgorithm {
  public:
    std::string about() const override {
        return "systems in equilibrium at the temperatures that a population has chosen before";
    }
    void suit(const ModelTraits& traits) override {
        largest_block_ = traits.largest_block;
        systems_ = std::min<Index>(64, largest_block_);
    }
    void keys(Keys& k) override {
        k("pilot_systems", systems_, within(1, {largest_block_, "the model's largest block"}),
          "independent systems of the pilot");
        k("pilot_scans", scans_, within(10, 1'000'000), "scans of the pilot, of which a fifth is not measured");
    }
    std::unique_ptr<Sampler> sampler(const PilotTask& task) const override {
        TemperingSettings settings{systems_, scans_, scans_ / 5, pilot_seed(task.population.seed)};
        settings.most_energy_bytes = 0;
        settings.most_prior_draws = task.population.most_prior_draws;
        return after_population(task, [task, settings](const Tuning& found) {
            return std::make_unique<ParallelTempering>(task.ranks, task.target,
                                                       path::Schedule(found.inverse_temperatures),
                                                       *task.kernel(&found.kernel), settings);
        });
    }

  private:
    Index largest_block_ = 4096, systems_ = 64, scans_ = 200;
};

} // namespace

AlgorithmEntry parallel_tempering_entry() {
    return {
        .name = own_name,
        .about = "replica exchange with nonreversible swaps; stepping stones, thermodynamic integration, MBAR",
        .plan = plan_of<TemperingPlan>,
        .pilot = pilot_of<TemperingPilot>,
    };
}

} // namespace pearlite::algorithm
