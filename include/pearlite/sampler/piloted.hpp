#pragma once
/// A pilot before the main run: it finds temperatures and proposal scales, and its particles are thrown away, so that
/// the main run's Z is unbiased.

#include "pearlite/path/schedule.hpp"
#include "pearlite/sampler/settings.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pearlite::sampler {

/// What a pilot leaves behind.
struct Tuning {
    std::vector<double> inverse_temperatures;
    Matrix proposal_factors; ///< (steps + 1) x d^2, or empty for kernels without proposals

    template <class Fields>
    void fields(Fields& f) {
        f("inverse_temperatures", inverse_temperatures);
        f("proposal_factors", proposal_factors);
    }
};

/// Of a sampler with visited_schedule() and kernel().
template <class Pilot>
Tuning tuning_of(const Pilot& pilot) {
    Tuning tuning{pilot.visited_schedule().points(), {}};
    if constexpr (requires { pilot.kernel().factors(); })
        tuning.proposal_factors = pilot.kernel().factors();
    return tuning;
}

/// Runs Pilot to its end, then Main, built from what `look` finds in the finished pilot.
template <class Pilot, class Main, class Found = Tuning>
class Piloted {
  public:
    using Model = typename Main::Model;
    using Block = typename Main::Block;

    Piloted(
        std::unique_ptr<Pilot> pilot, std::function<std::unique_ptr<Main>(const Found&)> make_main,
        std::function<Found(Pilot&)> look = [](Pilot& finished) { return tuning_of(finished); })
        : pilot_(std::move(pilot)), make_main_(std::move(make_main)), look_(std::move(look)) {}

    bool finished() const { return main_ && main_->finished(); }
    /// Collective. One temperature of the pilot or of the main run.
    void step() {
        if (main_)
            return main_->step();
        pilot_->step();
        if (pilot_->finished()) {
            pilot_estimates_ = pilot_->likelihood_estimates();
            begin_main(look_(*pilot_));
        }
    }
    void flush() { main_ ? main_->flush() : pilot_->flush(); }
    Progress progress() const { return main_ ? main_->progress() : pilot_->progress(); }
    bool in_pilot() const { return !main_; }
    Index updates_per_step() const { return main_ ? main_->updates_per_step() : pilot_->updates_per_step(); }
    /// Likelihoods that the pilot computed; once it is over.
    Index pilot_likelihood_estimates() const { return pilot_estimates_; }

    /// The main run; begun.
    Main& main() { return *main_; }
    const Main& main() const { return *main_; }
    Pilot& pilot() { return *pilot_; }
    const Pilot& pilot() const { return *pilot_; }

    template <class Fields>
    void fields(Fields& f) {
        bool began = main_ != nullptr;
        f("main_began", began);
        if (!began) {
            f.enter("pilot");
            pilot_->fields(f);
            f.leave();
            return;
        }
        f("pilot_likelihood_estimates", pilot_estimates_);
        f.enter("tuning");
        found_.fields(f);
        f.leave();
        if (!main_)
            begin_main(found_);
        f.enter("main");
        main_->fields(f);
        f.leave();
    }
    void prepare() { main_ ? main_->prepare() : pilot_->prepare(); }

  private:
    void begin_main(Found found) {
        found_ = std::move(found);
        main_ = make_main_(found_);
        pilot_.reset();
    }

    std::unique_ptr<Pilot> pilot_;
    std::function<std::unique_ptr<Main>(const Found&)> make_main_;
    std::function<Found(Pilot&)> look_;
    Found found_;
    Index pilot_estimates_ = 0;
    std::unique_ptr<Main> main_;
};

} // namespace pearlite::sampler
