#include "algorithm/plans/annealing_plan.hpp"

#include "algorithm/resample_move/resample_move.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

enum class Enlarging { none, move, anticipate, reseed };

class ResampleMovePlan final : public Plan {
  public:
    explicit ResampleMovePlan(const ModelTraits& traits) : traits_(traits) {
        run_.block = traits.default_block;
        replicates_.number = 8;
    }

    void keys(Keys& k) override {
        using population::Resampling;
        k("particles", particles_, within(2, largest_population), "particles of the base set in each replicate, R");
        k("enlarge", enlarging_,
          {{"none", Enlarging::none, "resample-move with a fixed number, whose Z is unbiased"},
           {"move", Enlarging::move, "the base set moves on, and a copy of it is new (ARM)"},
           {"anticipate", Enlarging::anticipate, "the more copies of a particle move the more it will weigh"},
           {"reseed", Enlarging::reseed, "chains start anew from the model's data"}},
          "how new particles are made where the next density is far");
        k.when("enlarge", enlarging_, {Enlarging::move, Enlarging::anticipate, Enlarging::reseed}, [&] {
            using Allocation = ResampleMoveSettings::Allocation;
            k("gamma_threshold", settings_.gamma_threshold, above(0).below(1),
              "particles are added until this share of them is effective for the next density");
            k("most_passes", settings_.most_passes, within(1, 1000), "sets of new particles at a step, at most");
            k("allocation", settings_.allocation,
              {{"crossed", Allocation::crossed,
                "each half of the set until the other half reaches gamma_threshold, so that Z is unbiased"},
               {"threshold", Allocation::threshold, "until the set reaches gamma_threshold, as in the paper"},
               {"theorem", Allocation::theorem,
                "as many as Theorem 1 says for the base set, which is then left out of the average"}},
              "the number of new particles");
            k("most_moved", settings_.most_moved, above(1),
              "particles moved in all, per step and particle of the base set, after which the set is enlarged no more");
        });
        k.when("enlarge", enlarging_, Enlarging::reseed,
               [&] { k("reseed_sweeps", reseed_sweeps_, within(1, 10'000'000), "sweeps of chains that start anew"); });
        k("resample_below", settings_.resample_below, within(0, 1),
          "resample when the effective sample size falls below this fraction of the particles");
        k("resampling", settings_.resampling,
          {{"multinomial", Resampling::multinomial},
           {"stratified", Resampling::stratified},
           {"systematic", Resampling::systematic},
           {"residual", Resampling::residual}},
          "how offspring are drawn");
        k.number_or("auto", "sweeps", sweeps_, within(0, 1'000'000),
                    about("sweeps of a move; 0, with enlarge = \"none\": weights and resampling alone")
                        .default_is("\"auto\", the model's number"));
        if (sweeps_ == 0 && enlarging_ != Enlarging::none)
            k.error("sweeps", "got 0, expected 1 or more: new particles must move, unless enlarge = \"none\"");
        order_ = traits_.growth_orders.empty() ? "" : traits_.growth_orders.front();
        k("order", order_, traits_.growth_orders,
          about("the order in which variables are added").default_is("the first that the model's page names"));
        k("order_seed", order_seed_, "seed of an order that is drawn");
        k("variables", variables_, at_least(1), about("number of variables at which growth ends").default_is("all"));
        replicates_.keys(k);
        k.in_table("run", [&] {
            run_.keys(k, {true, false, false, block_of_model, traits_.largest_block, traits_.generator});
        });
    }

    std::unique_ptr<Sampler> make(const parallel::Communicator& ranks, const BuiltModel& model) const override {
        const auto growth = model.growth();
        const auto target = growing(*growth);
        auto settings = settings_;
        settings.sweeps = sweeps_.value_or(target->default_sweeps());
        const auto generator = make_generator();
        return replicates_.sampler(
            ranks, run_.seed, [=, this](const parallel::Communicator& team, const random::Seed& seed) {
                return std::make_unique<ResampleMove>(team, target, generator,
                                                      PopulationSettings{particles_, run_.block, seed}, settings);
            });
    }
    std::vector<Misfit> misfits(const BuiltModel& model) const override {
        std::vector<Misfit> found;
        const auto growth = model.growth();
        const auto target = growth ? growth->growing(order_, order_seed_) : nullptr;
        if (target && enlarging_ == Enlarging::reseed && !target->can_reseed())
            found.push_back({"algorithm.enlarge",
                             "got \"reseed\", but the model has no data to start chains from; expected another way"});
        if (target && variables_ > target->n_variables())
            found.push_back({"algorithm.variables", fmt::format("got {}; expected at most {}, all that there are",
                                                                *variables_, target->n_variables())});
        return found;
    }

    std::string headline() const override {
        return fmt::format("{} particles in blocks of {}", particles_, run_.block);
    }
    std::string unit() const override { return "particle moves"; }
    Workload workload(const BuiltModel& model) const override {
        const auto bytes = static_cast<double>(model.packed_particle_bytes() + 24);
        const auto all = static_cast<double>(particles_ * replicates_.number);
        const auto growth = model.growth();
        const Index steps = growth ? growing(*growth)->n_variables() - 1 : 0;
        return {all * static_cast<double>(steps),
                all * bytes,
                (particles_ + run_.block - 1) / run_.block * replicates_.number,
                particles_ * replicates_.number,
                1,
                false,
                replicates_.target.error.has_value()};
    }
    std::vector<std::string> size_keys() const override { return {"algorithm.particles"}; }
    std::string memory_key() const override { return "algorithm.particles"; }
    std::vector<PopulationKey> populations() const override { return {{"algorithm.particles", particles_, 64}}; }
    std::string cost(const BuiltModel& model) const override {
        const auto particles = in_replicates(replicates_.number, particles_, "particles");
        auto text = fmt::format("# cost: {} moved at each number of variables{}\n", particles,
                                enlarging_ == Enlarging::none
                                    ? ""
                                    : fmt::format(", and up to {} times as many", settings_.most_passes)) +
                    describe_growth(model) + replicates_.cost() + describe_stops("a move of " + particles);
        const auto all = workload(model);
        return text + fmt::format("# checkpoint: about {} in all, more in the midst of a step; at most {} useful "
                                  "rank(s)\n",
                                  format_bytes(all.bytes), all.useful_ranks);
    }
    std::string idle_ranks(int ranks) const override {
        return describe_idle_ranks(ranks, particles_, run_.block, "particles", replicates_.number);
    }

  private:
    std::shared_ptr<const model::GrowingTarget> growing(const model::Growth& growth) const {
        auto all = growth.growing(order_, order_seed_);
        return variables_ ? model::first_variables(std::move(all), *variables_) : all;
    }
    static std::string describe_growth(const BuiltModel& model) {
        const auto growth = model.growth();
        const auto text = growth ? growth->description() : "";
        return text.empty() ? "" : fmt::format("# grows: {}\n", text);
    }
    std::shared_ptr<const Generator> make_generator() const {
        switch (enlarging_) {
        case Enlarging::none:
            break;
        case Enlarging::move:
            return moving_on();
        case Enlarging::anticipate:
            return anticipating();
        case Enlarging::reseed:
            return reseeding(reseed_sweeps_);
        }
        return nullptr;
    }

    ModelTraits traits_;
    Index particles_ = 1000, reseed_sweeps_ = 1500;
    Enlarging enlarging_ = Enlarging::move;
    ResampleMoveSettings settings_;
    std::optional<Index> sweeps_, variables_;
    std::string order_;
    std::uint64_t order_seed_ = 1;
    ReplicateSettings replicates_;
};

} // namespace

AlgorithmEntry resample_move_entry() {
    return {
        .name = "resample-move",
        .about =
            "populations along densities that grow by a variable a step, enlarged where it is hard (Fraccaro 2016)",
        .plan = plan_of<ResampleMovePlan>,
        .grows = true,
    };
}

} // namespace pearlite::algorithm
