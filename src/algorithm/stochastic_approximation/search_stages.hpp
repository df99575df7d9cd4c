#pragma once
/// The stages of a search and its progress through them.

#include "algorithm/searches/search_settings.hpp"
#include "core/fields.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cstdint>

namespace pearlite::algorithm {

/// A search has one stage, or two: without given regions a first stage finds the range of energies.
class SearchStages {
  public:
    explicit SearchStages(const SearchSettings& settings)
        : main_iterations_(settings.iterations),
          range_iterations_(settings.partition ? 0 : settings.range_iterations),
          pilot_iterations_(settings.pilot_iterations),
          ladder_(settings.temperature),
          quench_{TemperatureLadder::Kind::geometric, settings.temperature(1),
                  settings.temperature(settings.iterations), settings.range_iterations},
          gain_(settings.gain),
          stage_(settings.partition ? Stage::main : Stage::range) {}

    bool is_main() const { return stage_ == Stage::main; }
    bool finished() const { return is_main() && iteration_ == main_iterations_; }
    /// The present iteration of the stage, from 1; 0 before the first.
    Index iteration() const { return iteration_; }
    /// Iterations begun, of all stages: the step by which random numbers are addressed.
    Index step() const { return step_; }
    Index steps() const { return main_iterations_ + range_iterations_; }
    /// The main stage's iteration at a step; 0 before that stage.
    Index main_iteration_at(Index step) const { return std::max<Index>(0, step - range_iterations_); }
    /// Whether the present iteration is the stage's last.
    bool is_last() const { return iteration_ == (is_main() ? main_iterations_ : range_iterations_); }
    bool is_last(Index t) const { return t == (is_main() ? main_iterations_ : range_iterations_); }
    /// Whether the upper end of the range of energies is read off after iteration t of the first stage.
    bool is_range_top(Index t) const { return !is_main() && t == std::max<Index>(1, range_iterations_ / 10); }

    /// tau_t; the range stage quenches from the highest temperature to the lowest.
    double temperature(Index t) const { return is_main() ? ladder_(t) : quench_(t); }
    double temperature() const { return temperature(std::max<Index>(iteration_, 1)); }
    /// gamma_t of the main stage.
    double gain(Index t) const { return gain_(t); }
    bool adapts_scales(Index t) const { return !is_main() || t <= pilot_iterations_; }

    void advance() {
        ++iteration_;
        ++step_;
    }
    void begin_main() {
        stage_ = Stage::main;
        iteration_ = 0;
    }

    void fields(Fields& f) {
        f("iteration", iteration_);
        f("address_step", step_);
        auto stage = static_cast<std::int64_t>(stage_);
        f("stage", stage);
        PEARLITE_EXPECTS(stage == 0 || stage == 1);
        stage_ = static_cast<Stage>(stage);
        PEARLITE_EXPECTS(iteration_ >= 0 && iteration_ <= (is_main() ? main_iterations_ : range_iterations_));
        PEARLITE_EXPECTS(step_ == iteration_ + (is_main() ? range_iterations_ : 0));
    }

  private:
    enum class Stage : std::int64_t { range = 0, main = 1 };

    Index main_iterations_, range_iterations_, pilot_iterations_;
    TemperatureLadder ladder_, quench_;
    GainFactor gain_;
    Stage stage_;
    Index iteration_ = 0, step_ = 0;
};

} // namespace pearlite::algorithm
