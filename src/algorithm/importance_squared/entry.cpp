#include "algorithm/plans/entries.hpp"
#include "algorithm/plans/posterior_plan.hpp"

#include "algorithm/importance_squared/importance_squared.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pearlite::algorithm {

namespace {

class ImportanceSquaredPlan final : public PosteriorPlan {
  public:
    explicit ImportanceSquaredPlan(const ModelTraits& traits) : PosteriorPlan(traits) {}

    void keys(Keys& k) override {
        k("draws", draws_, within(2, largest_population), "final draws");
        k("adaptation_rounds", settings_.rounds, within(0, 10'000), "rounds in which the proposal adapts");
        k.when("adaptation_rounds is above 0", settings_.rounds > 0, [&] {
            settings_.draws_per_round = std::min<Index>(1000, draws_);
            k("draws_per_round", settings_.draws_per_round, within(2, {draws_, "draws"}),
              about("draws of each round").default_is("draws, at most 1000"));
        });
        k("components", components_, within(1, 1000), "components of the Student mixture that proposes");
        k("degrees_of_freedom", degrees_of_freedom_, above(2).up_to(1e6), "degrees of freedom of that mixture");
        settings_.defensive_share = 0.05;
        k("defensive_share", settings_.defensive_share, at_least(0).below(1),
          "share of the draws that come from the prior, so that no weight exceeds likelihood/share");
        replicates_.keys(k);
        common_keys(k);
    }
    std::string unit() const override { return "draws"; }

  private:
    Index particles() const override { return draws_; }
    std::string particles_name() const override { return "draws"; }
    std::string work() const override {
        return fmt::format("# cost: {:.4g} likelihoods ({} draws, and {} rounds of {} before them)\n", updates(),
                           draws_, settings_.rounds, settings_.draws_per_round);
    }
    double updates() const override {
        return static_cast<double>(draws_) + static_cast<double>(settings_.rounds * settings_.draws_per_round);
    }
    std::vector<std::string> size_keys() const override { return {"algorithm.draws"}; }
    std::string step() const override {
        return in_replicates(replicates_.number, std::min(draws_, ImportanceSquared::draws_of_step), "draws");
    }
    std::unique_ptr<algorithm::Sampler> from_draws(const parallel::Communicator& ranks,
                                                   std::shared_ptr<const path::DensityPath> path,
                                                   const algorithm::FirstDraws& first,
                                                   std::uint64_t seed) const override {
        const auto pilot = first.are_of_posterior() ? std::make_shared<const PilotView>(first) : nullptr;
        return std::make_unique<algorithm::ImportanceSquared>(
            ranks, std::move(path), first.mixture(first.supported_components(components_), degrees_of_freedom_),
            algorithm::PopulationSettings{draws_, run_.block, seed}, settings_, pilot);
    }

    Index draws_ = 10'000, components_ = 6;
    double degrees_of_freedom_ = 5;
    algorithm::ImportanceSettings settings_;
};

class ImportanceSquaredEntry final : public Algorithm {
  public:
    std::string name() const override { return "importance-squared"; }
    std::string about() const override {
        return "importance sampling from an adapted Student mixture, IS^2 (Tran et al. 2013)";
    }
    std::string objection(const ModelTraits& traits) const override { return objection_at_posterior(traits); }
    std::unique_ptr<Plan> plan(const ModelTraits& traits) const override {
        return std::make_unique<ImportanceSquaredPlan>(traits);
    }
};

} // namespace

std::shared_ptr<const Algorithm> importance_squared_entry() {
    return std::make_shared<ImportanceSquaredEntry>();
}

} // namespace pearlite::algorithm
