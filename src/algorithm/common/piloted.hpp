#pragma once
/// A pilot before the main run: it finds temperatures, proposal scales and first draws, and its particles are thrown
/// away, so that the main run's Z is unbiased.

#include "algorithm/common/first_draws.hpp"
#include "algorithm/common/sampler.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace pearlite::algorithm {

/// The results of a pilot that the main run uses.
struct Tuning {
    std::vector<double> inverse_temperatures; ///< that it visited
    Matrix kernel;                            ///< learnt by its kernel (kernel::Kernel::learnt)
    FirstDraws reference;                     ///< its final particles, if they are points of a density and wanted

    void fields(Fields& f);
};

enum class PilotReference { wanted, unwanted };

/// Collective. The tuning from any finished sampler, taken from its first replicate.
Tuning tuning_of(const parallel::Communicator& ranks, Sampler& pilot, PilotReference reference);

/// Runs the pilot to its end, then the main sampler, built from the pilot's tuning.
class Piloted final : public Sampler {
  public:
    using MakeMain = std::function<std::unique_ptr<Sampler>(const Tuning&)>;
    Piloted(const parallel::Communicator& ranks, std::unique_ptr<Sampler> pilot, MakeMain make_main,
            PilotReference reference = PilotReference::unwanted);

    void begin() override { pilot_->begin(); }
    bool finished() const override { return main_ && main_->finished(); }
    /// Collective. One step of the pilot or of the main run.
    void step() override;
    void flush() override { current().flush(); }
    void fields(Fields& f) override;

    Progress progress() const override { return current().progress(); }
    bool in_pilot() const override { return !main_; }
    Index updates_per_step() const override { return current().updates_per_step(); }
    std::optional<Index> likelihood_estimates() const override { return current().likelihood_estimates(); }
    std::optional<Index> pilot_likelihood_estimates() const override { return pilot_estimates_; }
    std::optional<population::WorkAccount> work() const override { return current().work(); }

    Outcome outcome() const override { return current().outcome(); }
    void result_fields(Fields& f) override { current().result_fields(f); }
    bool has_unbiased_normaliser() const override { return current().has_unbiased_normaliser(); }
    double log_ratio() const override { return current().log_ratio(); }
    const Trace& trace() const override { return current().trace(); }
    population::Population& population() override { return current().population(); }
    bool has_path() const override { return current().has_path(); }
    Index first_wanted_slot() const override { return current().first_wanted_slot(); }
    Index chain_length() const override { return current().chain_length(); }
    const kernel::Kernel* kernel() const override { return current().kernel(); }
    const MarkovChains* markov_chains() const override { return current().markov_chains(); }
    std::optional<std::uint64_t> prediction_seed() const override { return current().prediction_seed(); }
    Index n_replicates() const override { return current().n_replicates(); }
    std::vector<double> log_ratios() const override { return current().log_ratios(); }
    std::vector<Trace> traces() const override { return current().traces(); }
    bool has_replicate(Index r) const override { return current().has_replicate(r); }
    Sampler& replicate(Index r) override { return current().replicate(r); }
    parallel::Communicator team(const parallel::Communicator& all) const override { return current().team(all); }

  private:
    Sampler& current() const { return main_ ? *main_ : *pilot_; }
    void make_main();

    parallel::Communicator ranks_;
    std::unique_ptr<Sampler> pilot_;
    MakeMain make_main_;
    PilotReference reference_;
    Tuning found_;
    Index pilot_estimates_ = 0;
    std::unique_ptr<Sampler> main_;
};

} // namespace pearlite::algorithm
