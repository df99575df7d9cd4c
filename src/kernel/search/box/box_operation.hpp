#pragma once
/// The operations of searches in a box. A source in src/kernel/box/operations holds an operation, or some that share
/// code: the function that proposes, and <name>_operation(), which describes it for configurations and searches.

#include "kernel/search/box/box_draft.hpp"

#include <string_view>
#include <vector>

namespace pearlite::kernel {

/// Whom chains meet in a crossover.
struct BoxPartners {
    const BoxChains& first;
    const BoxChains* second; ///< of an operation with two partners, else null
    const model::Meetings& meetings;
};

/// An operation proposes to all chains that take part at once: it writes the draft's proposals, and the terms of their
/// acceptance beside their energies.
struct BoxOperationEntry {
    model::Operation operation;  ///< but its first scale
    std::string_view about = {}; ///< "all coordinates, by a normal step"
    bool is_default = false;     ///< made unless a configuration lists others

    /// A mutation has the first of these, an operation with partners the second.
    void (*mutate)(BoxDraft draft, const BoxOperationSettings& settings, const model::BlockStreams& streams) = nullptr;
    void (*cross)(BoxDraft draft, const BoxPartners& partners, const BoxOperationSettings& settings,
                  const model::BlockStreams& streams) = nullptr;

    /// The first scale, of the settings' one and the dimension; null: the settings' one.
    double (*first_scale)(double scale, Index dimension) = nullptr;
    /// Throws InputError unless the settings fit the dimension; null: they do.
    void (*check)(const BoxOperationSettings& settings, Index dimension) = nullptr;
    /// Whether it changes the one coordinate that it notes, so that the energy may be updated; null: no.
    bool (*changes_one_coordinate)(const BoxOperationSettings& settings) = nullptr;
};

/// The operations of list_of_operations.inl.
const std::vector<BoxOperationEntry>& box_operations();

/// The draws for a move of the energy's own, which itself makes the proposal: a step if the move has one, and uniform
/// numbers.
const BoxOperationEntry& draws_of_own(const model::LocalMove& move);

#define PEARLITE_BOX_OPERATION(name) BoxOperationEntry name##_operation();
#include "kernel/search/box/list_of_operations.inl"
#undef PEARLITE_BOX_OPERATION

} // namespace pearlite::kernel
