#include "algorithm/plans/posterior_plan.hpp"

#include "algorithm/likelihood_constrained/likelihood_constrained.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

constexpr const char* own_name = "likelihood-constrained";

/// Without kernels that need a gradient: they would follow that of the prior, and not see the level.
KernelSettings kernels_of(ModelTraits traits) {
    traits.has_gradient = traits.has_metric = false;
    KernelSettings settings(traits);
    settings.pilots.clear();
    // Where a narrow peak takes over from a wide one, no number of moves takes particles from one to the other.
    settings.moves.most = 100;
    // Levels exclude half of the particles each, whatever their moves: more moves for fewer particles cost more.
    settings.moves.mobility = 0.4;
    return settings;
}

class LikelihoodConstrainedPlan final : public Plan {
  public:
    explicit LikelihoodConstrainedPlan(const ModelTraits& traits)
        : largest_block_(traits.largest_block), kernel_(kernels_of(traits)) {
        run_.block = traits.default_block;
    }

    void keys(Keys& k) override {
        k("particles", particles_, within(2, largest_population), "particles in each replicate");
        k("survivors", constraint_.survivors, within(0.05, 0.95),
          "share of the particles above each level of the likelihood when it is chosen");
        k("remainder", constraint_.remainder, between(0, 1),
          "levels are raised until what is left of the prior, times the largest likelihood seen, is below this "
          "share of the evidence; narrower peaks stay unseen");
        replicates_.keys(k);
        prior_draws_key(k, most_prior_draws_);
        k.in_table("run", [&] { run_.keys(k, {true, false, true, block_of_model, largest_block_}); });
        k.in_table("kernel", [&] {
            kernel_.pilot_particles = std::min<Index>(particles_, 1024);
            kernel_.keys(k, {.pilot_particles_default = "particles, at most 1024"});
        });
    }

    std::unique_ptr<Sampler> make(const parallel::Communicator& ranks, const BuiltModel& model) const override {
        const auto path = density_path_of(model.target());
        if (!kernel_.pilot)
            return replicates(ranks, path, std::nullopt, nullptr);
        auto settings = constraint_;
        settings.keeps_draws = false;
        auto pilot = std::make_unique<LikelihoodConstrained>(
            ranks, path, std::nullopt, kernels(nullptr),
            PopulationSettings{kernel_.pilot_particles, run_.block, pilot_seed(run_.seed), most_prior_draws()},
            settings);
        return std::make_unique<Piloted>(ranks, std::move(pilot), [this, ranks, path](const Tuning& tuning) {
            // Without levels no particle ever moves, and the kernel has learnt nothing.
            const bool has_levels = tuning.levels.rows() > 0;
            return replicates(ranks, path, levels_of(tuning.levels),
                              has_levels ? std::make_shared<const Matrix>(tuning.kernel) : nullptr);
        });
    }

    std::string headline() const override {
        return fmt::format("{} particles in blocks of {}", particles_, run_.block);
    }
    Workload workload(const BuiltModel& model) const override {
        const Index blocks = (particles_ + run_.block - 1) / run_.block, all = particles_ * replicates_.number;
        return {0,
                static_cast<double>(all) * static_cast<double>(model.packed_particle_bytes() + 16) * usual_levels(),
                blocks * replicates_.number,
                all,
                1,
                !kernel_.moves.number,
                replicates_.target.error.has_value()};
    }
    std::vector<std::string> size_keys() const override { return {"algorithm.particles"}; }
    std::vector<PopulationKey> populations() const override {
        return {{"algorithm.particles", particles_, kernel_.pilot ? run_.block : fewest_that_adapt}};
    }
    std::vector<PopulationKey> pilot_populations() const override {
        if (!kernel_.pilot)
            return {};
        return {{"kernel.pilot_particles", kernel_.pilot_particles, fewest_that_adapt}};
    }
    std::string cost(const BuiltModel& model) const override {
        const auto all = workload(model);
        auto text =
            fmt::format("# cost: {} particles x levels x {} moves; the levels are about 1.5 for each nat from the "
                        "prior to the posterior\n{}",
                        all.particles, kernel_.moves_text(), replicates_.cost());
        if (kernel_.pilot)
            text += fmt::format("# and a pilot of {} particles, of more levels\n", kernel_.pilot_particles);
        return text +
               describe_stops(fmt::format("1 level x {} move(s) of {}", kernel_.moves_text(),
                                          in_replicates(replicates_.number, particles_, "particles"))) +
               fmt::format("# checkpoint: about {} in all, in {:.0f} levels; {} block(s) per population, so at most {} "
                           "useful rank(s)\n",
                           format_bytes(all.bytes), usual_levels(), all.useful_ranks / replicates_.number,
                           all.useful_ranks);
    }
    std::string idle_ranks(int ranks) const override {
        return describe_idle_ranks(ranks, particles_, run_.block, "particles", replicates_.number);
    }

  private:
    /// For predictions: 20 nats from prior to posterior.
    double usual_levels() const { return std::ceil(-20 / std::log(constraint_.survivors)); }
    Index most_prior_draws() const { return most_prior_draws_.value_or(0); }

    LikelihoodConstrained::MakeKernel kernels(std::shared_ptr<const Matrix> learnt) const {
        return [this, learnt = std::move(learnt)](const std::shared_ptr<const path::DensityPath>& prior) {
            return kernel_.kernel_for(prior, learnt.get());
        };
    }
    /// Collective.
    std::unique_ptr<Sampler> replicates(const parallel::Communicator& ranks,
                                        const std::shared_ptr<const path::DensityPath>& path,
                                        const std::optional<Levels>& levels,
                                        const std::shared_ptr<const Matrix>& learnt) const {
        return replicates_.sampler(
            ranks, run_.seed, [=, this](const parallel::Communicator& team, const random::Seed& seed) {
                return std::make_unique<LikelihoodConstrained>(
                    team, path, levels, kernels(learnt),
                    PopulationSettings{particles_, run_.block, seed, most_prior_draws()}, constraint_);
            });
    }

    Index particles_ = 2048;
    ConstraintSettings constraint_;
    ReplicateSettings replicates_;
    std::optional<Index> most_prior_draws_;
    Index largest_block_;
    KernelSettings kernel_;
};

} // namespace

AlgorithmEntry likelihood_constrained_entry() {
    return {
        .name = own_name,
        .about = "priors constrained to ever larger likelihoods: nested sampling by SMC (Salomone et al. 2018)",
        .plan = plan_of<LikelihoodConstrainedPlan>,
        .objection = objection_at_posterior,
    };
}

} // namespace pearlite::algorithm
