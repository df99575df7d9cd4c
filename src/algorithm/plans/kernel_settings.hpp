#pragma once
/// The table [kernel]. A second argument of keys() holds the facts that the keys depend on.

#include "kernel/registry.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::algorithm {

class PilotAlgorithm;

/// Moves of the algorithms that anneal, or of a pilot.
struct KernelSettings {
    struct Facts {
        bool is_adaptive = true;                  ///< the schedule is adaptive
        bool may_adapt = true;                    ///< the algorithm has the choice between a pilot and itself
        std::string pilot_particles_default = {}; ///< in words, if it depends on other keys
        Index most_pilot_particles = 0;           ///< 0: any number
        bool may_keep_states = false;             ///< the algorithm may be one that keeps every state of chains
        bool keeps_states = false;                ///< and is: a move between two states is then the default
        bool needs_reference_alone = false;       ///< of a pilot: neither temperatures nor proposals
    };
    struct Suitable {
        kernel::KernelEntry entry;
        std::shared_ptr<kernel::KernelFactory> factory;
    };
    struct SuitablePilot {
        std::string name;
        std::shared_ptr<PilotAlgorithm> algorithm;
    };

    /// Settings with the defaults for a model.
    explicit KernelSettings(const model::ModelTraits& traits);

    std::vector<Suitable> suitable; ///< kernels that move the model's states, the default first
    std::string kind;               ///< the name of one of them, or "auto", the first
    kernel::MoveSettings moves;
    bool pilot = true;
    std::vector<SuitablePilot> pilots; ///< algorithms that can be the pilot of a run; none if it is the run's own
    std::string pilot_algorithm;       ///< the name of one of them
    Index pilot_particles = 1024;

    void keys(Keys& k, const Facts& facts);
    const kernel::KernelEntry& chosen() const { return chosen_kernel().entry; }
    /// Whether proposals or numbers of moves are learnt of a population.
    bool learns() const { return chosen().learns || !moves.number; }
    /// The chosen kernel for a target; `learnt`: the settings that a pilot's kernel learnt, null before any tuning.
    std::unique_ptr<kernel::Kernel> kernel_for(const std::shared_ptr<const model::Target>& target,
                                               const Matrix* learnt = nullptr) const {
        return chosen_kernel().factory->make(target, moves, learnt);
    }
    /// Moves at a temperature as far as they are known beforehand: 0 if their number is automatic.
    Index known_moves() const { return moves.number.value_or(0); }
    /// "5", or "up to 500".
    std::string moves_text() const;
    const PilotAlgorithm& chosen_pilot() const;
    /// ", by annealed-importance"; empty for the default.
    std::string pilot_name_text() const;

  private:
    const Suitable& chosen_kernel() const;
    void list_kind(Keys& k);
    void list_moves(Keys& k, const Facts& facts);
    void list_pilot(Keys& k, const Facts& facts);
    /// "kind is random-walk or hmc or moves is auto": when there is something to adapt, besides an adaptive schedule.
    std::string learning_sentence() const;
};

} // namespace pearlite::algorithm
