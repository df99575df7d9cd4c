#include "algorithm/contrastive_divergence/contrastive_divergence.hpp"
#include "algorithm/plans/annealing_plan.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

using Settings = ContrastiveDivergenceSettings;
using Examples = model::Learner::Examples;

class ContrastiveDivergencePlan final : public Plan {
  public:
    void keys(Keys& k) override;
    std::vector<Misfit> misfits(const BuiltModel& model) const override;
    std::unique_ptr<Sampler> make(const parallel::Communicator& ranks, const BuiltModel& model) const override {
        return std::make_unique<ContrastiveDivergence>(ranks, model.learner(run_.seed), settings_);
    }

    std::string unit() const override { return "updates"; }
    std::string headline() const override {
        return fmt::format("{}-{}, {} updates by batches of {}{},", settings_.is_persistent ? "PCD" : "CD",
                           settings_.sweeps, settings_.updates, settings_.batch,
                           settings_.is_persistent ? fmt::format(" and {} chains", settings_.chains) : "");
    }
    Workload workload(const BuiltModel& model) const override;
    std::vector<std::string> size_keys() const override { return {"algorithm.updates"}; }
    std::string cost(const BuiltModel& model) const override;
    std::string idle_ranks(int ranks) const override;
    Index block() const override { return ContrastiveDivergence::piece; }

  private:
    Index pieces() const {
        const Index largest = std::max(settings_.batch, settings_.n_chains());
        return (largest + ContrastiveDivergence::piece - 1) / ContrastiveDivergence::piece;
    }

    Settings settings_;
};

void ContrastiveDivergencePlan::keys(Keys& k) {
    auto& s = settings_;
    constexpr Index most = 1'000'000;
    k("updates", s.updates, within(1, largest_step), "updates of the parameters");
    k("batch", s.batch, within(1, most), "examples of an update");
    k("persistent", s.is_persistent,
      "chains go on from update to update (PCD); else they start at the examples of each update (CD)");
    k.when("persistent", s.is_persistent, true,
           [&] { k("chains", s.chains, within(1, most), "persistent chains of the model"); });
    k("sweeps", s.sweeps, within(1, most), "sweeps of the chains in an update, the k of CD-k");
    k("rate", s.rate, above(0), "learning rate, by which the gradient of the mean log likelihood is multiplied");
    k("rate_schedule", s.rate_schedule,
      {{"constant", Settings::RateSchedule::constant, "throughout"},
       {"linear", Settings::RateSchedule::linear, "decays to 0 at the last update"}},
      "how the rate changes");
    k("momentum", s.momentum, at_least(0).below(1), "share of the last step that a step keeps");
    k("final_momentum", s.final_momentum, at_least(0).below(1), "another momentum later on");
    k.when_given("final_momentum", [&] {
        k("final_momentum_from", s.final_momentum_from, at_least(0), about("when it begins").unit("epochs"));
    });
    k("weight_decay", s.weight_decay, at_least(0), "L2 decay of weights: that times the weight leaves the gradient");
    k("watched", s.watched, within(1, 100 * most),
      "examples of each kind at most whose free energies and reconstructions are followed");
    k("watch_every", s.watch_every, above(0), about("how often these are computed").unit("epochs"));
    k("sample_sweeps", s.sample_sweeps, within(0, most), "sweeps of the chains that are drawn as pictures in the end");
    k.in_table("run", [&] { run_.keys(k, {.has_block = false}); });
    s.seed = run_.seed;
    if (s.updates > largest_step / s.sweeps - 1)
        k.error("sweeps", fmt::format("got {} with {} updates; expected at most {} sweeps in all", s.sweeps, s.updates,
                                      largest_step));
    // The difference of both means has a common denominator, and its counts have 32 bits.
    if (s.is_persistent && s.batch * s.chains > (Index{1} << 30))
        k.error("chains",
                fmt::format("got {} with batches of {}; expected a product of at most 2^30", s.chains, s.batch));
}

std::vector<Misfit> ContrastiveDivergencePlan::misfits(const BuiltModel& model) const {
    const Index examples = model.learner(run_.seed)->n_examples(Examples::training);
    if (settings_.batch <= examples)
        return {};
    return {{"algorithm.batch",
             fmt::format("got {}; expected at most {}, the number of training examples", settings_.batch, examples)}};
}

Workload ContrastiveDivergencePlan::workload(const BuiltModel& model) const {
    const auto learner = model.learner(run_.seed);
    const auto chains = static_cast<double>(settings_.is_persistent ? settings_.chains : 0);
    const double bytes = 2 * 8 * static_cast<double>(learner->parameters().size()) +
                         chains * static_cast<double>(model.packed_particle_bytes());
    return {static_cast<double>(settings_.updates), bytes, pieces(), settings_.batch};
}

std::string ContrastiveDivergencePlan::cost(const BuiltModel& model) const {
    const auto learner = model.learner(run_.seed);
    const Index examples = learner->n_examples(Examples::training);
    const auto& s = settings_;
    const Index batches = examples / s.batch;
    auto text = fmt::format("# cost: {} updates, {:.4g} epochs of {} examples; each draws the units of {} chain(s) {} "
                            "time(s), and the hidden units of {} example(s)\n",
                            s.updates, static_cast<double>(s.updates) / static_cast<double>(batches), examples,
                            s.n_chains(), s.sweeps, s.batch);
    if (examples % s.batch != 0)
        text += fmt::format("# batches: {} example(s) of each epoch fill no batch and wait for the next\n",
                            examples % s.batch);
    text += fmt::format("# parameters: {}; held-out examples: {}\n", learner->parameters().size(),
                        learner->n_examples(Examples::held_out));
    text += describe_stops("1 update");
    text += fmt::format("# checkpoint: about {}\n", format_bytes(workload(model).bytes));
    return text + fmt::format("# ranks: they share examples and chains by {}; every rank holds all parameters and adds "
                              "up {} counts in an update\n",
                              ContrastiveDivergence::piece, learner->n_counts());
}

std::string ContrastiveDivergencePlan::idle_ranks(int ranks) const {
    if (ranks <= pieces())
        return {};
    return fmt::format("{} of {} ranks have no work: {} examples and {} chains in pieces of {}", ranks - pieces(),
                       ranks, settings_.batch, settings_.n_chains(), ContrastiveDivergence::piece);
}

} // namespace

AlgorithmEntry contrastive_divergence_entry() {
    return {
        .name = "contrastive-divergence",
        .about = "contrastive divergence, CD-k and persistent (Hinton 2002)",
        .plan = [](const ModelTraits&) { return std::make_unique<ContrastiveDivergencePlan>(); },
        .objection = [](const ModelTraits& traits) -> std::string {
            return traits.is_trained ? "" : "the model does not learn";
        },
        .task = Task::training,
    };
}

} // namespace pearlite::algorithm
