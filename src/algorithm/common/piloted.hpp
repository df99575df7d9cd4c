#pragma once
/// A pilot before the main run: it finds temperatures, proposal scales and first draws, and its particles are thrown
/// away, so that the main run's Z is unbiased.

#include "algorithm/common/first_draws.hpp"
#include "algorithm/common/staged_sampler.hpp"
#include "algorithm/survey/survey_record.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace pearlite::algorithm {

/// The results of a pilot that the main run uses.
struct Tuning {
    std::vector<double> inverse_temperatures; ///< that it visited
    std::vector<double> variance_u, mobility; ///< of u = d log f_b/db there, as traced
    std::string warning;                      ///< that its particles missed places, if they did
    Matrix kernel;                            ///< learnt by its kernel (kernel::Kernel::learnt)
    FirstDraws reference;                     ///< its final particles, if they are points of a density and wanted
    SurveyRecord survey;                      ///< if the pilot was a survey, else empty

    void fields(Fields& f);
};

enum class PilotReference { wanted, unwanted };

/// Collective. The tuning from any finished sampler, taken from its first replicate.
Tuning tuning_of(const parallel::Communicator& ranks, Sampler& pilot, PilotReference reference);

/// Runs the pilot to its end, then the main sampler, built from the pilot's tuning.
class Piloted final : public StagedSampler {
  public:
    using MakeMain = std::function<std::unique_ptr<Sampler>(const Tuning&)>;
    Piloted(const parallel::Communicator& ranks, std::unique_ptr<Sampler> pilot, MakeMain make_main,
            PilotReference reference = PilotReference::unwanted);

    void begin() override { pilot_->begin(); }
    bool finished() const override { return main_ && main_->finished(); }
    /// Collective. One step of the pilot or of the main run.
    void step() override;
    void fields(Fields& f) override;

    /// Adds the pilot's warning if the main run has no kernel whose moves would show the same fault.
    Outcome outcome() const override;
    bool in_pilot() const override { return !main_; }
    /// The pilot's, if it was a survey.
    const SurveyRecord* survey() const override {
        return found_.survey.is_empty() ? StagedSampler::survey() : &found_.survey;
    }
    Index stage() const override { return (main_ ? pilot_stages_ : 0) + current().stage(); }
    Index stages() const override { return pilot_stages_ + 1; }
    /// The settings that the pilot's kernel learnt, if the main run leaves none.
    Matrix learnt() const override { return main_ && !main_->kernel() ? found_.kernel : current().learnt(); }
    std::optional<Index> pilot_likelihood_estimates() const override { return pilot_estimates_; }

  private:
    Sampler& current() const override { return main_ ? *main_ : *pilot_; }
    void make_main();

    parallel::Communicator ranks_;
    std::unique_ptr<Sampler> pilot_;
    Index pilot_stages_;
    MakeMain make_main_;
    PilotReference reference_;
    Tuning found_;
    Index pilot_estimates_ = 0;
    std::unique_ptr<Sampler> main_;
};

} // namespace pearlite::algorithm
