#include "algorithm/plans/annealing_plan.hpp"
#include "algorithm/search/search_keys.hpp"
#include "algorithm/search/search_replicates.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

using Bias = algorithm::SearchSettings::Bias;
using Ladder = algorithm::TemperatureLadder::Kind;

class StochasticApproximationPlan final : public Plan {
  public:
    StochasticApproximationPlan(const SearchMember& member, const ModelTraits& traits)
        : member_(member), traits_(*traits.search) {
        run_.block = 1;
    }

    void keys(Keys& k) override {
        k.in_table("run", [&] { run_.keys(k, {.has_block = false}); });
        search_.keys(k, member_, traits_);
        search_.plan.settings.seed = run_.seed;
    }
    std::vector<Misfit> misfits(const BuiltModel& model) const override {
        try {
            model.space(search_.plan.operations);
        } catch (const InputError& error) {
            return {{"kernel.operations", error.what()}};
        }
        return {};
    }
    const algorithm::SearchPlan* search() const override { return &search_.plan; }
    std::unique_ptr<Sampler> make(const parallel::Communicator& ranks, const BuiltModel& model) const override {
        return std::make_unique<SearchReplicates>(ranks, model.space(search_.plan.operations), settings(),
                                                  search_.plan.replicates);
    }

    std::string unit() const override { return traits_.update_unit; }
    std::string headline() const override {
        return fmt::format("{} replicate(s) of {} chain(s), {} iterations,", search_.plan.replicates, settings().chains,
                           settings().iterations);
    }
    std::string cost(const BuiltModel& model) const override;
    Workload workload(const BuiltModel& model) const override;
    std::vector<std::string> size_keys() const override { return {"algorithm.iterations"}; }
    std::string memory_key() const override { return settings().chains > 1 ? "algorithm.chains" : "model"; }
    std::string idle_ranks(int ranks) const override;

  private:
    const algorithm::SearchSettings& settings() const { return search_.plan.settings; }
    double checkpoint_bytes(const BuiltModel& model) const;

    SearchMember member_;
    SearchTraits traits_;
    SearchKeys search_;
};

/// Counts all replicates: their chains, their data on regions, their progress.
double StochasticApproximationPlan::checkpoint_bytes(const BuiltModel& model) const {
    const auto& s = settings();
    const Index regions = s.partition ? s.partition->regions() : s.range_points + 1;
    const Index biases = s.bias == Bias::none ? 0 : s.bias == Bias::shared ? 1 : s.chains;
    const auto packed = static_cast<Index>(model.packed_particle_bytes());
    constexpr Index per_chain = 16, per_region = 8, per_region_and_bias = 24, progress = 8000;
    return static_cast<double>(search_.plan.replicates) *
           static_cast<double>(s.chains * (packed + per_chain) + regions * (per_region + biases * per_region_and_bias) +
                               progress);
}

Workload StochasticApproximationPlan::workload(const BuiltModel& model) const {
    const auto& s = settings();
    const Index replicates = search_.plan.replicates,
                iterations = s.iterations + (s.partition ? 0 : s.range_iterations);
    return {static_cast<double>(s.chains * replicates) * static_cast<double>(iterations), checkpoint_bytes(model),
            s.chains * replicates, s.chains * replicates, SearchReplicates::iterations_in_step};
}

std::string StochasticApproximationPlan::cost(const BuiltModel& model) const {
    const auto& s = settings();
    const Index replicates = search_.plan.replicates;
    auto text =
        fmt::format("# cost: at most {:.4g} energies ({} replicate(s) x {} chain(s) x {} iterations{}){}\n",
                    workload(model).updates, replicates, s.chains, s.iterations,
                    s.partition ? "" : fmt::format(", and {} to find the range of energies", s.range_iterations),
                    search_.plan.polish ? ", then a descent from each replicate's best state" : "");
    const double first = s.temperature(1), last = s.temperature(s.iterations);
    text += first == last
                ? fmt::format("# temperature: {:.4g} throughout\n", first)
                : fmt::format("# temperature: from {:.4g} in the first iteration to {:.4g} in the last\n", first, last);
    text += describe_stops(fmt::format("{} iterations of {} chain(s){}", SearchReplicates::iterations_in_step, s.chains,
                                       replicates > 1 ? " of each replicate under way" : ""));
    text += fmt::format("# checkpoint: about {} in all\n", format_bytes(checkpoint_bytes(model)));
    return text + (replicates > 1
                       ? fmt::format(
                             "# ranks: replicates are dealt to them; more than {} divide a replicate's chains, where a "
                             "measurement finds this faster\n",
                             replicates)
                       : "# ranks: the chains are divided among them where a measurement finds this faster; "
                         "algorithm.replicates makes use of many\n");
}

/// Ranks are dealt to replicates first, then the ranks of a replicate to its chains. The run itself reports ranks that
/// a measurement leaves without work.
std::string StochasticApproximationPlan::idle_ranks(int ranks) const {
    const auto groups = static_cast<int>(std::min<Index>(search_.plan.replicates, ranks));
    const Index useful = std::min(settings().chains, settings().ranks.value_or(settings().chains));
    int idle = 0;
    for (int group = 0; group < groups; ++group) {
        const int members = (ranks - group + groups - 1) / groups;
        idle += static_cast<int>(std::max<Index>(0, members - useful));
    }
    if (idle == 0)
        return {};
    return fmt::format("{} of {} ranks have no work: {} replicate(s) of {} chain(s){}", idle, ranks,
                       search_.plan.replicates, settings().chains,
                       useful < settings().chains ? fmt::format(" on {} rank(s) each", useful) : "");
}

} // namespace

std::vector<AlgorithmEntry> search_entries() {
    // A member of the family, by its name.
    const auto entry = [](const char* name, const char* about, const SearchMember& member) {
        return AlgorithmEntry{
            .name = name,
            .about = about,
            .plan =
                [member](const ModelTraits& traits) {
                    return std::make_unique<StochasticApproximationPlan>(member, traits);
                },
            .objection = [](const ModelTraits& traits) -> std::string {
                return traits.search ? "" : "the model is annealed, not searched";
            },
            .task = Task::search,
        };
    };
    return {
        entry("sa", "simulated annealing of one chain (Kirkpatrick et al. 1983)",
              {.bias = Bias::none, .has_one_chain = true, .crosses = false, .ladder = Ladder::geometric}),
        entry("vfsa", "annealing of a population with crossovers, no bias (VFSA of Karagiannis et al. 2017)",
              {.bias = Bias::none}),
        entry("saa", "stochastic approximation annealing of one chain (Liang et al. 2014)",
              {.has_one_chain = true, .crosses = false}),
        entry("psaa", "stochastic approximation annealing of many chains, each with its own bias",
              {.bias = Bias::own, .crosses = false}),
        entry("pisaa", "parallel and interacting stochastic approximation annealing (Karagiannis et al. 2017)", {}),
        entry("asamc", "annealing stochastic approximation Monte Carlo: a space that shrinks (Liang 2007)",
              {.has_one_chain = true, .crosses = false, .shrinks = true, .ladder = Ladder::constant}),
        entry("aesamc", "annealing evolutionary SAMC: the same of a population with crossovers (Liang 2011)",
              {.shrinks = true, .ladder = Ladder::constant}),
    };
}

} // namespace pearlite::algorithm
