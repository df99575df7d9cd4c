#include "algorithm/plans/annealing_plan.hpp"
#include "algorithm/plans/entries.hpp"

#include "algorithm/smc/smc.hpp"

namespace pearlite::algorithm {

namespace {

constexpr const char* own_name = "smc";

class SmcPlan final : public AnnealingPlan {
  public:
    explicit SmcPlan(const ModelTraits& traits) : AnnealingPlan(own_name, traits) {
        schedule_.kind = ScheduleSettings::Kind::adaptive;
    }

    void keys(Keys& k) override {
        using population::Resampling;
        k("particles", particles_, within(2, largest_population), "particles in each replicate");
        if (k.is_reading() && k.has("batches"))
            k.error("batches", "this key has a new name; expected \"replicates\"");
        replicates_key(k, replicates_);
        k("ess_threshold", settings_.ess_threshold, within(0, 1),
          "resample when the effective sample size falls below this fraction of the particles");
        k("resampling", settings_.resampling,
          {{"multinomial", Resampling::multinomial},
           {"stratified", Resampling::stratified},
           {"systematic", Resampling::systematic},
           {"residual", Resampling::residual}},
          "how offspring are drawn");
        common_keys(k, {.has_balance = true, .adapts_online = true});
        settings_.balance = run_.balance;
    }
    Index particles() const override { return particles_; }

  private:
    std::string particles_name() const override { return "particles"; }
    std::unique_ptr<algorithm::Sampler> one_run(const parallel::Communicator& ranks, const AnyTarget& target,
                                                const ScheduleSettings::Temperatures& temperatures,
                                                const kernel::Kernel& kernel, std::uint64_t seed) const override {
        return std::make_unique<algorithm::Smc>(ranks, target, temperatures, kernel,
                                                algorithm::PopulationSettings{particles_, run_.block, seed}, settings_);
    }

    Index particles_ = 1024;
    algorithm::SmcSettings settings_;
};

class SmcEntry final : public Algorithm {
  public:
    std::string name() const override { return own_name; }
    std::string about() const override { return "tempered sequential Monte Carlo, fixed or adaptive temperatures"; }
    std::string objection(const ModelTraits&) const override { return {}; }
    bool can_tune_likelihood() const override { return true; }
    std::unique_ptr<Plan> plan(const ModelTraits& traits) const override { return std::make_unique<SmcPlan>(traits); }
};

} // namespace

std::shared_ptr<const Algorithm> smc_entry() {
    return std::make_shared<SmcEntry>();
}

} // namespace pearlite::algorithm
