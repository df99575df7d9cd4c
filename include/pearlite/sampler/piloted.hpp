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

/// Runs Pilot (a sampler with visited_schedule() and kernel()) to its end, then Main, built from what the pilot found.
template <class Pilot, class Main>
class Piloted {
  public:
    using Model = typename Main::Model;
    using Block = typename Main::Block;

    Piloted(std::unique_ptr<Pilot> pilot, std::function<std::unique_ptr<Main>(const Tuning&)> make_main)
        : pilot_(std::move(pilot)), make_main_(std::move(make_main)) {}

    bool finished() const { return main_ && main_->finished(); }
    /// Collective. One temperature of the pilot or of the main run.
    void step() {
        if (main_)
            return main_->step();
        pilot_->step();
        if (pilot_->finished())
            begin_main(tuning_of(*pilot_));
    }
    void flush() { main_ ? main_->flush() : pilot_->flush(); }
    Progress progress() const { return main_ ? main_->progress() : pilot_->progress(); }
    bool in_pilot() const { return !main_; }
    Index updates_per_step() const { return main_ ? main_->updates_per_step() : pilot_->updates_per_step(); }

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
        f.enter("tuning");
        tuning_.fields(f);
        f.leave();
        if (!main_)
            begin_main(tuning_);
        f.enter("main");
        main_->fields(f);
        f.leave();
    }
    void prepare() { main_ ? main_->prepare() : pilot_->prepare(); }

  private:
    static Tuning tuning_of(const Pilot& pilot) {
        Tuning tuning{pilot.visited_schedule().points(), {}};
        if constexpr (requires { pilot.kernel().factors(); })
            tuning.proposal_factors = pilot.kernel().factors();
        return tuning;
    }
    void begin_main(Tuning tuning) {
        tuning_ = std::move(tuning);
        main_ = make_main_(tuning_);
        pilot_.reset();
    }

    std::unique_ptr<Pilot> pilot_;
    std::function<std::unique_ptr<Main>(const Tuning&)> make_main_;
    Tuning tuning_;
    std::unique_ptr<Main> main_;
};

} // namespace pearlite::sampler
