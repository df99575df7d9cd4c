#pragma once
/// A run along a bridge: the reference is fitted first, then a sampler anneals from it.

#include "algorithm/common/sampler.hpp"
#include "algorithm/fitted_path/bridge_settings.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// The evidence that populations annealed from the prior found, on its way to the result.
struct PriorLeg {
    bool has_value = false, has_error = false;
    double log_normaliser = 0, standard_error = 0; ///< of the integral of prior x likelihood
    std::string error_method, note;
    std::string failure; ///< why there is no value
    Index likelihoods = 0;

    void fields(Fields& f);
};

/// Anneals populations from the prior if the settings want them (the leg), fits the reference, and runs the main
/// sampler from it. An automatic fit that does not pass its check gives way to the path from the prior, or to a fit to
/// the leg. The fit leaves nothing but the reference, so that the main run's Z is unbiased given the reference, which
/// is part of a checkpoint. The leg's log Z is a second estimate in the outcome, with a warning where it differs
/// from the headline by more than 4 joint errors: it shows a mode that the reference lacks, if the leg reaches that
/// mode. For a density with a prior, the leg may end at the prior, to which the reference is then fitted.
class Bridged final : public StagedSampler {
  public:
    using MakeMain = std::function<std::unique_ptr<Sampler>(std::shared_ptr<const model::Target> bridge)>;
    using MakeKernel = std::function<std::unique_ptr<kernel::Kernel>(std::shared_ptr<const model::Target>)>;
    /// Collective. `model` is the tempered path of a density, which the leg anneals with make_kernel's in blocks of
    /// `block`; make_main builds the sampler of its target, the bridge.
    Bridged(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> model,
            const BridgeSettings& settings, MakeKernel make_kernel, Index block, const random::Seed& seed,
            MakeMain make_main);

    void begin() override;
    bool finished() const override { return main_ && main_->finished(); }
    /// Collective. One step of the leg or of the main run.
    void step() override;
    void fields(Fields& f) override;

    /// The likelihoods of the pilot include those of the fit.
    Progress progress() const override;
    /// With the bridge as the target once the main run has begun.
    Found found() override;
    Outcome outcome() const override;

  private:
    Sampler& current() const override { return main_ ? *main_ : *leg_; }
    /// Collective. The leg along this path.
    void make_leg(const std::shared_ptr<const model::Target>& path);
    void make_leg_to_anchor();
    /// The path to a density from a reference of these numbers.
    std::shared_ptr<const model::Target> path_from(const std::vector<double>& reference,
                                                   std::shared_ptr<const model::DensityFunctions> density) const;
    /// Collective. For a density without a prior: the leg begins at the modes, if they are found.
    void begin_leg_at_modes();
    /// Work of the leg, if there is one. A leg that is there for comparison only may fail: then there is none.
    void attempt(const std::function<void()>& work);
    void record_leg();
    /// Collective. The same reference on all ranks, then the main run.
    void fit();
    /// Collective. An automatic fit; else the leg, or no reference, for the main run.
    void fit_or_give_way();
    void begin_leg();
    void begin_main();
    void make_main();
    bool has_reference() const { return !reference_.empty(); }
    /// Whether the leg is that of an automatic fit that gave way.
    bool has_long_leg_steps() const;
    void compare(Outcome& outcome) const;

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> model_;
    const model::DensityFunctions& density_;
    BridgeSettings settings_;
    std::shared_ptr<const model::DensityFunctions> anchor_; ///< what the leg goes to and the reference is fitted to
    random::Seed seed_;
    MakeKernel make_kernel_;
    Index block_;
    MakeMain make_main_;
    std::vector<double> leg_start_; ///< the numbers of the reference at which the leg begins; empty: the density's own
    std::unique_ptr<Sampler> leg_;
    PriorLeg found_by_leg_;
    FirstDraws draws_;              ///< the end of the leg, until the reference is fitted
    std::vector<double> reference_; ///< its numbers; empty where the path begins at the prior
    std::vector<double> spreads_;   ///< of automatic fits
    Index evaluations_ = 0;         ///< of the fit
    std::shared_ptr<const model::Target> bridge_;
    std::unique_ptr<Sampler> main_;
};

} // namespace pearlite::algorithm
