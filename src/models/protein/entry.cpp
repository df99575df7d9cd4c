#include "models/common/reading.hpp"
#include "models/protein/ab_protein.hpp"
#include "models/registry.hpp"
#include "pearlite/kernel/detail/searched_energy.hpp"

namespace pearlite::models {

namespace {

struct AbProteinKeys {
    AbProteinSettings settings; ///< but its sequence, if `length` is to give it
    std::optional<std::string> sequence;
    Index length = 13;

    void keys(Keys& k) {
        using Angles = AbProteinSettings::Angles;
        k("energy", settings.energy,
          {{"planar", AbProteinSettings::Energy::planar, "in the plane"},
           {"stillinger", AbProteinSettings::Energy::stillinger, "in space"},
           {"irback", AbProteinSettings::Energy::irback, "in space"},
           {"azimuth", AbProteinSettings::Energy::azimuth, "in space, the bend term of azimuths"}},
          "the energy to minimise");
        k.when("energy", settings.energy,
               {AbProteinSettings::Energy::planar, AbProteinSettings::Energy::stillinger,
                AbProteinSettings::Energy::irback},
               [&] {
                   k("angles", settings.angles,
                     {{"internal", Angles::internal, "angles between neighbouring bonds"},
                      {"directions", Angles::directions, "directions of the bonds"}},
                     "the coordinates of a state");
               });
        k("sequence", sequence, "the monomers, A or B");
        k.unless_given("sequence", [&] {
            k("length", length, within(3, AbProtein::longest),
              about("length of the Fibonacci sequence").unit("monomers"));
        });
    }
};

std::unique_ptr<BuiltModel> build_protein(io::Configuration& configuration, io::Section& section) {
    auto keys = read_model<AbProteinKeys>(configuration);
    try {
        keys.settings.sequence = keys.sequence ? *keys.sequence : fibonacci_sequence(keys.length);
        return configuration.has_errors() ? nullptr : kernel::searched_box(AbProtein(keys.settings));
    } catch (const InputError& error) {
        section.error(keys.sequence ? "sequence" : "length", error.what());
        return nullptr;
    }
}

} // namespace

ModelEntry ab_protein_entry() {
    auto traits = kernel::box_search_traits();
    for (const auto& name : AbProtein::local_move_names())
        traits.operations.push_back(name);
    return model::searched_entry("ab-protein", "off-lattice AB protein in the plane or in space", traits, build_protein,
                                 list_keys<AbProteinKeys>);
}

} // namespace pearlite::models
