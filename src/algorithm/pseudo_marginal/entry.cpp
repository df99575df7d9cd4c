#include "algorithm/plans/posterior_plan.hpp"

#include "algorithm/pseudo_marginal/pseudo_marginal.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

class PseudoMarginalPlan final : public PosteriorPlan {
  public:
    /// One chain per block, so that many ranks have work.
    explicit PseudoMarginalPlan(const ModelTraits& traits) : PosteriorPlan(traits) { run_.block = 1; }

    void keys(Keys& k) override {
        constexpr Index fewest = 8; // recorded draws of a chain, for halves with a variance
        auto& [iterations, burn_in, thin] = settings_;
        k("chains", chains_, within(1, 1'000'000), "independent chains");
        k("iterations", iterations, within(fewest, largest_step), "iterations of each chain, burn-in included");
        burn_in = iterations / 5;
        k("burn_in", burn_in, within(0, {iterations - fewest, "iterations - 8"}),
          about("iterations that are not used; the proposal adapts there").default_is("a fifth of iterations"));
        k("thin", thin, within(1, largest_step), "iterations from one recorded state to the next");
        burn_in = std::clamp<Index>(burn_in, 0, iterations - fewest);
        if (iterations / thin - burn_in / thin < fewest)
            k.error("thin", fmt::format("fewer than {} draws of each chain are left of {} iterations after burn-in; "
                                        "expected a smaller number",
                                        fewest, iterations - burn_in));
        common_keys(k);
    }
    std::string unit() const override { return "chain moves"; }
    std::string headline() const override {
        return fmt::format("{} chains of {} iterations in blocks of {}", chains_, settings_.iterations, run_.block);
    }

  private:
    Index particles() const override { return chains_; }
    std::string particles_name() const override { return "chains"; }
    std::string work() const override {
        return fmt::format("# cost: {:.4g} likelihoods ({} chains x {} iterations)\n", updates(), chains_,
                           settings_.iterations);
    }
    double updates() const override { return static_cast<double>(chains_) * static_cast<double>(settings_.iterations); }
    std::vector<std::string> size_keys() const override { return {"algorithm.iterations", "algorithm.chains"}; }
    std::string memory_key() const override { return "algorithm.chains"; }
    std::string step() const override { return fmt::format("1 iteration of {} chain(s)", chains_); }
    double further_bytes(double particle_bytes) const override {
        const Index kept = settings_.iterations / settings_.thin;
        return static_cast<double>(chains_) * particle_bytes * static_cast<double>(kept);
    }
    std::unique_ptr<algorithm::Sampler> from_draws(const parallel::Communicator& ranks,
                                                   std::shared_ptr<const path::DensityPath> path,
                                                   const algorithm::FirstDraws& first,
                                                   const random::Seed& seed) const override {
        const auto peaks = first.are_of_posterior() ? std::make_shared<const Peaks>(first) : nullptr;
        return std::make_unique<algorithm::PseudoMarginal>(
            ranks, std::move(path), first.starts(chains_, seed), first.walk_factor(),
            algorithm::PopulationSettings{chains_, run_.block, seed, most_prior_draws()}, settings_, peaks);
    }

    Index chains_ = 4;
    algorithm::ChainSettings settings_;
};

} // namespace

AlgorithmEntry pseudo_marginal_entry() {
    return {
        .name = "pseudo-marginal",
        .about = "pseudo-marginal Metropolis-Hastings chains (Andrieu & Roberts 2009); a posterior, no evidence",
        .plan = plan_of<PseudoMarginalPlan>,
        .objection = objection_at_posterior,
    };
}

} // namespace pearlite::algorithm
