#include "algorithm/plans/posterior_plan.hpp"

#include "algorithm/importance_squared/importance_squared.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

/// The mixture that proposes, at first and as it adapts.
struct Proposal {
    Index components = 6;
    double degrees_of_freedom = 5;
    ImportanceSettings settings{.defensive_share = 0.05};

    static Index draws_per_round_of(Index draws) { return std::min<Index>(1000, draws); }

    std::unique_ptr<Sampler> sampler(const parallel::Communicator& ranks, std::shared_ptr<const path::DensityPath> path,
                                     const FirstDraws& first, const PopulationSettings& population) const {
        const auto pilot = first.are_of_posterior() ? std::make_shared<const PilotView>(first) : nullptr;
        return std::make_unique<ImportanceSquared>(
            ranks, std::move(path), first.mixture(first.supported_components(components), degrees_of_freedom),
            population, settings, pilot);
    }
};

class ImportanceSquaredPlan final : public PosteriorPlan {
  public:
    explicit ImportanceSquaredPlan(const ModelTraits& traits) : PosteriorPlan(traits) {
        if (traits.dimension)
            give_pilot(
                std::clamp<Index>(particles_of_a_coordinate * *traits.dimension, fewest_pilot_particles, 1 << 16));
    }

    void keys(Keys& k) override {
        k("draws", draws_, within(2, largest_population), "final draws");
        k("adaptation_rounds", proposal_.settings.rounds, within(0, 10'000), "rounds in which the proposal adapts");
        k.when("adaptation_rounds is above 0", proposal_.settings.rounds > 0, [&] {
            proposal_.settings.draws_per_round = Proposal::draws_per_round_of(draws_);
            k("draws_per_round", proposal_.settings.draws_per_round, within(2, {draws_, "draws"}),
              about("draws of each round").default_is("draws, at most 1000"));
        });
        k("components", proposal_.components, within(1, 1000), "components of the Student mixture that proposes");
        k("degrees_of_freedom", proposal_.degrees_of_freedom, above(2).up_to(1e6),
          "degrees of freedom of that mixture");
        k("defensive_share", proposal_.settings.defensive_share, at_least(0).below(1),
          "share of the draws that come from the prior, so that no weight exceeds likelihood/share");
        replicates_.keys(k);
        common_keys(k);
    }
    std::string unit() const override { return "draws"; }

  private:
    /// With a covariance estimated from n particles, log det is off with a variance of about d^2/n: the weights of such
    /// a proposal degenerate unless n is many times d.
    static constexpr Index particles_of_a_coordinate = 64, fewest_pilot_particles = 1024;

    std::string pilot_particles_default() const override {
        return fmt::format("{}, or {} for each coordinate if that is more", fewest_pilot_particles,
                           particles_of_a_coordinate);
    }
    Index particles() const override { return draws_; }
    std::string particles_name() const override { return "draws"; }
    std::string work() const override {
        return fmt::format("# cost: {:.4g} likelihoods ({} draws, and {} rounds of {} before them)\n", updates(),
                           draws_, proposal_.settings.rounds, proposal_.settings.draws_per_round);
    }
    double updates() const override {
        return static_cast<double>(draws_) +
               static_cast<double>(proposal_.settings.rounds * proposal_.settings.draws_per_round);
    }
    std::vector<std::string> size_keys() const override { return {"algorithm.draws"}; }
    std::string memory_key() const override { return "algorithm.draws"; }
    std::string step() const override {
        return in_replicates(replicates_.number, std::min(draws_, ImportanceSquared::draws_of_step), "draws");
    }
    std::unique_ptr<algorithm::Sampler> from_draws(const parallel::Communicator& ranks,
                                                   std::shared_ptr<const path::DensityPath> path,
                                                   const algorithm::FirstDraws& first,
                                                   const random::Seed& seed) const override {
        return proposal_.sampler(ranks, std::move(path), first, {draws_, run_.block, seed});
    }

    Index draws_ = 10'000;
    Proposal proposal_;
};

class ImportancePilot final : public PilotAlgorithm {
  public:
    std::string about() const override { return "draws from a mixture that has adapted to the posterior"; }
    bool leaves_path() const override { return false; }
    std::unique_ptr<Sampler> sampler(const PilotTask& task) const override {
        Proposal proposal;
        proposal.settings.draws_per_round = Proposal::draws_per_round_of(task.population.particles);
        const PopulationSettings draws{task.population.particles, task.population.block,
                                       pilot_seed(task.population.seed)};
        const auto path = density_path_of(task.target);
        return after_population(
            task,
            [ranks = task.ranks, path, proposal, draws](const Tuning& found) {
                return proposal.sampler(ranks, path, found.reference, draws);
            },
            PilotReference::wanted);
    }
};

} // namespace

AlgorithmEntry importance_squared_entry() {
    return {
        .name = "importance-squared",
        .about = "importance sampling from an adapted Student mixture, IS^2 (Tran et al. 2013)",
        .plan = plan_of<ImportanceSquaredPlan>,
        .objection = objection_at_posterior,
        .pilot = pilot_of<ImportancePilot>,
    };
}

} // namespace pearlite::algorithm
