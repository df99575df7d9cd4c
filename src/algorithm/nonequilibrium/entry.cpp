#include "algorithm/plans/annealing_plan.hpp"

#include "algorithm/nonequilibrium/nonequilibrium.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

namespace {

using algorithm::ReverseStart;

constexpr const char* own_name = "nonequilibrium";

const Choices<ReverseStart>& all_starts() {
    static const Choices<ReverseStart> all{
        {"exact", ReverseStart::exact, "exact draws"},
        {"mode", ReverseStart::mode, "a mode"},
        {"data", ReverseStart::data, "states made from data"},
        {"weighted", ReverseStart::weighted, "resampled ends of forward trajectories"}};
    return all;
}

class NonequilibriumPlan final : public AnnealingPlan {
  public:
    explicit NonequilibriumPlan(const ModelTraits& traits) : AnnealingPlan(own_name, traits) { spread_temperatures(); }

    void keys(Keys& k) override {
        if (!traits().is_time_reversible)
            k.error("name", "the transition of this model cannot run backwards: it is not declared reversible and has "
                            "no reversed form; expected another algorithm");
        k("trajectories", forward_, within(2, largest_population), "forward trajectories");
        reverse_ = forward_;
        k("reverse_trajectories", reverse_, within(2, largest_population),
          about("reverse trajectories").default_is("trajectories"));
        std::vector<Choice<ReverseStart>> offered;
        for (const auto start : traits().reverse_starts)
            offered.push_back({all_starts().name_of(start), start, all_starts().sentence_of(start)});
        start_ = offered.front().value;
        k("reverse_start", start_, Choices<ReverseStart>(offered),
          about("how reverse trajectories come to the end of the path")
              .default_is("the first of these that the model has"));
        equilibration_ = start_ == ReverseStart::exact ? 0 : 100;
        k("equilibration", equilibration_, within(0, 1'000'000'000),
          about("applications of the last kernel to the reverse starts").default_is("100; for exact starts 0"));
        replicates_.keys(k);
        common_keys(k, {.passes = 3, .further_steps = static_cast<double>(equilibration_)});
    }
    Index particles() const override { return forward_; }
    std::vector<PopulationKey> populations() const override {
        return {{"algorithm.trajectories", forward_, run_.block},
                {"algorithm.reverse_trajectories", reverse_, run_.block}};
    }

  private:
    std::string particles_name() const override { return "trajectories"; }
    std::string work() const override {
        if (!schedule_.fixed)
            return AnnealingPlan::work();
        if (!kernel_.moves.number)
            return fmt::format(
                "# cost: {} forward and {} reverse trajectories x {} temperatures x {} moves, {} start\n", forward_,
                reverse_, schedule_.fixed->steps(), kernel_.moves_text(), all_starts().name_of(start_));
        return fmt::format(
            "# cost: {:.4g} particle moves ({} forward and {} reverse trajectories x {} temperatures x {} "
            "moves), {} start: {:.4g} more\n",
            updates() - updates_of_starts(), forward_, reverse_, schedule_.fixed->steps(), *kernel_.moves.number,
            all_starts().name_of(start_), updates_of_starts());
    }
    double updates_of_starts() const {
        const auto steps = static_cast<double>(schedule_.fixed->steps());
        const double each = static_cast<double>(equilibration_) + (start_ == ReverseStart::weighted ? steps : 0);
        return static_cast<double>(reverse_) * static_cast<double>(kernel_.known_moves()) * each;
    }
    double updates() const override {
        if (!schedule_.fixed)
            return 0;
        const auto steps = static_cast<double>(schedule_.fixed->steps()),
                   moves = static_cast<double>(kernel_.known_moves());
        return static_cast<double>(forward_ + reverse_) * steps * moves + updates_of_starts();
    }
    std::vector<std::string> size_keys() const override { return {"schedule.steps"}; }
    std::string step() const override {
        return temperature_step(kernel_, std::max(forward_, reverse_), replicates_.number, particles_name());
    }
    std::unique_ptr<algorithm::Sampler> one_run(const parallel::Communicator& ranks, const AnyTarget& target,
                                                const path::Temperatures& temperatures, const kernel::Kernel& kernel,
                                                const random::Seed& seed, Index /*particles*/) const override {
        return std::make_unique<algorithm::Nonequilibrium>(
            ranks, target, std::get<path::Schedule>(temperatures), kernel,
            algorithm::NonequilibriumSettings{forward_, reverse_, run_.block, seed, start_, equilibration_,
                                              most_prior_draws()});
    }

    Index forward_ = 1024, reverse_ = 1024, equilibration_ = 100;
    ReverseStart start_ = ReverseStart::weighted;
};

} // namespace

AlgorithmEntry nonequilibrium_entry() {
    return {
        .name = own_name,
        .about = "forward and reverse annealing, evidence from work (Habeck 2017)",
        .plan = plan_of<NonequilibriumPlan>,
        .objection = [](const ModelTraits& traits) -> std::string {
            return traits.is_time_reversible ? "" : "its transition cannot run backwards";
        },
    };
}

} // namespace pearlite::algorithm
