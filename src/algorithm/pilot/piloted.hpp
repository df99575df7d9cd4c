#pragma once
/// Pilots: the capability of an algorithm to be one, and a pilot before the main run: it finds temperatures, proposal
/// scales and first draws, and its particles are thrown away, so that the main run's Z is unbiased.

#include "algorithm/common/sampler.hpp"
#include "algorithm/pilot/first_draws.hpp"
#include "algorithm/pilot/survey_record.hpp"
#include "path/schedule.hpp"
#include "pearlite/core/keys.hpp"
#include "pearlite/model/detail/model_traits.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// The results of a pilot that the main run uses.
struct Tuning {
    std::vector<double> inverse_temperatures; ///< that it visited
    std::vector<double> variance_u, mobility; ///< of u = d log f_b/db there, as traced
    std::string warning;                      ///< that its particles missed places, if they did
    Matrix kernel;                            ///< learnt by its kernel (kernel::Kernel::learnt)
    Matrix levels;                            ///< of the likelihood, if it found some: as in Found
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
    Progress progress() const override;
    /// With the pilot's survey, and with the settings that its kernel learnt if the main run leaves none.
    Found found() override;

  private:
    Sampler& current() const override { return main_ ? *main_ : *pilot_; }
    void make_main();
    /// The number of stages, without rounds after the first.
    Index stages() const { return pilot_stages_ + 1; }

    parallel::Communicator ranks_;
    std::unique_ptr<Sampler> pilot_;
    Index pilot_stages_ = 1;
    MakeMain make_main_;
    PilotReference reference_;
    Tuning found_;
    Index pilot_estimates_ = 0;
    std::unique_ptr<Sampler> main_;
};

// Pilot algorithms: their results for the run that follows, and their construction.

struct PilotTask {
    parallel::Communicator ranks;
    std::shared_ptr<const model::Target> target;
    path::Temperatures temperatures;
    /// Makes a kernel that learns online; or, given the settings that such a kernel learnt, one that no longer learns.
    std::function<std::unique_ptr<kernel::Kernel>(const Matrix* learnt)> kernel;
    PopulationSettings population;
};

/// A capability of an algorithm: it can be a pilot. tuning_of() takes the results from its sampler.
class PilotAlgorithm {
  public:
    virtual ~PilotAlgorithm() = default;
    /// "trajectories that are never resampled", for the key that names it.
    virtual std::string about() const = 0;
    /// Whether the pilot provides temperatures, with the settings that a kernel learnt at each of them.
    virtual bool leaves_path() const { return true; }
    /// Whether the final particles stand for the posterior of a density.
    virtual bool leaves_reference() const { return true; }
    /// The traits of the model, before anything else is asked for.
    virtual void suit(const model::ModelTraits&) {}
    /// Lists the keys of [kernel] that this pilot alone has.
    virtual void keys(Keys&) {}
    /// Collective. The sampler uses the population's seed.
    virtual std::unique_ptr<Sampler> sampler(const PilotTask& task) const = 0;
};

/// Collective. For pilots that need temperatures or first draws themselves: a population is annealed before them, with
/// the same task.
std::unique_ptr<Sampler> after_population(const PilotTask& task, Piloted::MakeMain make_main,
                                          PilotReference reference = PilotReference::unwanted);

/// The seed of a pilot.
random::Seed pilot_seed(const random::Seed& seed);

// The annealed population that serves pilots, a bridge's leg from the prior, and the choice of a likelihood's size.

/// A sampler that anneals a weighted population with its standard settings: SMC, whose folder defines both functions.
/// Without resampling it is annealed importance sampling that may choose its temperatures.
std::unique_ptr<Sampler> annealed_population(const parallel::Communicator& ranks,
                                             std::shared_ptr<const model::Target> target, path::Temperatures schedule,
                                             const kernel::Kernel& kernel, const PopulationSettings& settings,
                                             bool resamples = true);

/// The sampler's name in configurations.
const char* annealed_population_name();

} // namespace pearlite::algorithm
