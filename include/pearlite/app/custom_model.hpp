#pragma once
/// The one header that a program with a user's model needs:
///
///     int main(int argc, char** argv) {
///         const auto coin = pearlite::app::custom_model<Coin>("coin", "a coin of unknown bias");
///         return pearlite::app::main(argc, argv, {coin});
///     }

#include "pearlite/app/command_line.hpp"
#include "pearlite/app/detail/buildable.hpp"
#include "pearlite/core/column_block.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/growing_of.hpp"
#include "pearlite/model/detail/requirements.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "pearlite/path/tempered.hpp"

#include <memory>
#include <string>
#include <utility>

namespace pearlite::app {

/// A catalogue entry for a density D over R^d (model/density.hpp lists required and optional members), annealed from
/// its prior to its posterior. D is constructed from its [model] table, or without arguments if it has no keys.
template <class D>
ModelEntry custom_model(std::string name, std::string description) {
    model::require_density<D>();
    model::require_optional_members<D>();
    detail::require_buildable<D>();
    ModelEntry entry;
    // Skip the rest if a static_assert fired, so that its message is the only one.
    if constexpr (model::Density<D> && Buildable<D>) {
        entry.traits = {std::move(name), 16, 4096, true, 1, true};
        entry.traits.has_estimated_likelihood = model::HasEstimatedLikelihood<D>;
        if constexpr (requires { std::string(D::particles_key); })
            entry.traits.particles_key = D::particles_key;
        entry.description = std::move(description);
        entry.build = [](io::Configuration& configuration, io::Section& section) {
            return detail::build<D>(configuration, section, [](D density) {
                const auto path = path::tempered(std::move(density));
                if (path->dimension() == 0)
                    throw InputError("the model's parameter_names() is empty, expected one name per dimension");
                return model::annealed(path);
            });
        };
    }
    return entry;
}

/// A catalogue entry for a model M that defines its states, path and transition (model/annealed_model.hpp:
/// AnnealedModel and HasMove). `default_block` particles share a block unless run.block says otherwise; the path may
/// end at any path.inverse_temperature_end up to 1e6.
template <class M>
ModelEntry custom_annealed_model(std::string name, std::string description, Index default_block = 64) {
    model::require_annealed_model<M>();
    detail::require_buildable<M>();
    ModelEntry entry;
    if constexpr (model::HasMove<M> && Buildable<M>) {
        entry.traits = {std::move(name), default_block, std::max<Index>(default_block, 4096),
                        false,           1e6,           model::TimeReversible<M>};
        entry.description = std::move(description);
        entry.build = [](io::Configuration& configuration, io::Section& section) {
            return detail::build<M>(configuration, section,
                                    [](M model) { return model::annealed(model::target_of(std::move(model))); });
        };
    }
    return entry;
}

/// A catalogue entry for a density M that grows variable by variable (model/growing_model.hpp lists required and
/// optional members), for resample-move. `default_block` particles share a block unless run.block says otherwise.
template <class M>
ModelEntry custom_growing_model(std::string name, std::string description, Index default_block = 64) {
    model::require_growing_model<M>();
    detail::require_buildable<M>();
    ModelEntry entry;
    if constexpr (model::GrowingModel<M> && Buildable<M>) {
        entry.traits = {std::move(name), default_block, std::max<Index>(default_block, 4096)};
        entry.traits.is_tempered = false;
        entry.traits.grows = true;
        entry.description = std::move(description);
        entry.build = [](io::Configuration& configuration, io::Section& section) {
            return detail::build<M>(configuration, section,
                                    [](M model) { return model::growing(model::growth_of(std::move(model))); });
        };
    }
    return entry;
}

} // namespace pearlite::app
