#pragma once
/// A run along a path of averaged moments: its knots are fitted first, then a sampler anneals through them.

#include "algorithm/fitted_path/moment_fit.hpp"

#include <functional>
#include <memory>

namespace pearlite::algorithm {

/// The main run uses only the knots of the fit, so that its Z is unbiased given the knots, which are part of a
/// checkpoint.
class MomentAveraged final : public StagedSampler {
  public:
    using MakeMain = std::function<std::unique_ptr<Sampler>(std::shared_ptr<const model::Target> path)>;
    /// Collective. `model` offers model::MomentFamily; make_main builds the sampler along the path.
    MomentAveraged(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> model,
                   const MomentSettings& settings, const random::Seed& seed, MakeMain make_main);

    void begin() override { fit_->begin(); }
    bool finished() const override { return main_ && main_->finished(); }
    void step() override;
    void fields(Fields& f) override;

    Progress progress() const override;
    /// With the path as the target once the main run has begun.
    Found found() override;
    Outcome outcome() const override;

  private:
    Sampler& current() const override { return main_ ? *main_ : *fit_; }
    void make_main();

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> model_;
    MakeMain make_main_;
    std::unique_ptr<MomentFit> fit_; ///< until the main run begins
    MomentPath path_;
    std::shared_ptr<const model::Target> target_;
    std::unique_ptr<Sampler> main_;
};

} // namespace pearlite::algorithm
