#pragma once
/// The interface of a training for plans, runs and results: updates of a learner's parameters, and its fit by epoch.

#include "target/learner.hpp"

#include <vector>

namespace pearlite::algorithm {

/// An entry for each look at the examples; the first is that of the start. Means are over examples; without held-out
/// examples theirs are empty.
struct TrainingTrace {
    std::vector<std::int64_t> update;
    std::vector<double> epoch, rate, momentum;
    std::vector<double> free_energy, held_out_free_energy;
    std::vector<double> wrong_units, held_out_wrong_units; ///< of a reconstruction

    void fields(Fields& f) {
        f("update", update);
        f("epoch", epoch);
        f("rate", rate);
        f("momentum", momentum);
        f("free_energy", free_energy);
        f("held_out_free_energy", held_out_free_energy);
        f("wrong_units", wrong_units);
        f("held_out_wrong_units", held_out_wrong_units);
    }
};

/// The findings of a training, a part of Found. Only the plan of a training names its class.
class Training {
  public:
    virtual ~Training() = default;

    virtual const model::Learner& learner() const = 0;
    virtual const TrainingTrace& trace() const = 0;
    /// Examples of each kind that the trace's means are over.
    virtual Index watched(model::Learner::Examples which) const = 0;
    /// Collective; finished(). Pictures of the first hundred chains, on the root.
    virtual model::Images samples() = 0;
};

} // namespace pearlite::algorithm
