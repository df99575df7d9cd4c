#pragma once
/// The one header that a program needs to minimise a user's energy:
///
///     int main(int argc, char** argv) {
///         return pearlite::app::main(argc, argv, {pearlite::app::custom_energy<Tour>("tour", "a round trip")});
///     }

#include "pearlite/app/command_line.hpp"
#include "pearlite/app/detail/buildable.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/kernel/detail/searched_energy.hpp"
#include "pearlite/model/energy/detail/energy_requirements.hpp"

#include <string>
#include <utility>

namespace pearlite::app {

namespace detail {

template <class E>
SearchTraits search_traits() {
    if constexpr (model::LooksContinuous<E>)
        return kernel::box_search_traits();
    else if constexpr (model::LooksCategorical<E>)
        return kernel::categorical_search_traits();
    else
        return kernel::permutation_search_traits();
}

template <class E>
std::unique_ptr<BuiltModel> searched(E energy) {
    if constexpr (model::LooksContinuous<E> && kernel::HasBoxFunctions<E>)
        return kernel::searched(std::make_shared<const kernel::BoxFunctionsOf<E>>(std::move(energy)));
    else if constexpr (model::LooksContinuous<E>)
        return kernel::searched_box(std::move(energy));
    else if constexpr (model::LooksCategorical<E>)
        return kernel::searched_categories(std::move(energy));
    else
        return kernel::searched_permutations(std::move(energy));
}

} // namespace detail

/// A catalogue entry for an energy E, of points of a box (model/energy/energy.hpp) or of discrete states
/// (model/energy/discrete_energy.hpp), which all searches can minimise. E is copied, and constructed from its [model]
/// table, or without arguments if it has no keys.
template <class E>
ModelEntry custom_energy(std::string name, std::string description) {
    model::require_energy<E>();
    detail::require_buildable<E>();
    static_assert(std::copy_constructible<E>, "this model cannot be copied");
    // Skip the rest if a static_assert fired, so that its message is the only one.
    if constexpr (model::AnyEnergy<E> && Buildable<E> && std::copy_constructible<E>) {
        SearchTraits traits = detail::search_traits<E>();
        decltype(ModelEntry::build) build = [](io::Configuration& configuration, io::Section& section) {
            return detail::build<E>(configuration, section,
                                    [](E energy) { return detail::searched(std::move(energy)); });
        };
        return model::searched_entry(std::move(name), std::move(description), std::move(traits), std::move(build));
    } else {
        return {};
    }
}

} // namespace pearlite::app
