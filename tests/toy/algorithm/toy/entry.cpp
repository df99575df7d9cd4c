#include "algorithm/plans/algorithm.hpp"
#include "algorithm/plans/annealing_plan.hpp"

#include "algorithm/toy/toy.hpp"

namespace pearlite::algorithm {

namespace {

constexpr const char* own_name = "toy";

class ToyPlan final : public AnnealingPlan {
  public:
    explicit ToyPlan(const ModelTraits& traits) : AnnealingPlan(own_name, traits) {}

    void keys(Keys& k) override {
        k("walkers", walkers_, within(2, largest_population), "independent walkers");
        replicates_.keys(k);
        common_keys(k, {});
    }
    Index particles() const override { return walkers_; }

  private:
    std::string particles_name() const override { return "walkers"; }
    std::unique_ptr<algorithm::Sampler> one_run(const parallel::Communicator& ranks, const AnyTarget& target,
                                                const path::Temperatures& temperatures, const kernel::Kernel& kernel,
                                                const random::Seed& seed) const override {
        return std::make_unique<algorithm::Toy>(ranks, target, std::get<path::Schedule>(temperatures), kernel,
                                                algorithm::PopulationSettings{walkers_, run_.block, seed});
    }

    Index walkers_ = 256;
};

} // namespace

AlgorithmEntry toy_entry() {
    return {
        .name = own_name,
        .about = "annealed importance sampling in its shortest form",
        .plan = plan_of<ToyPlan>,
    };
}

} // namespace pearlite::algorithm
