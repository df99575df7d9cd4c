#include "models/common/reading.hpp"
#include "models/lattice/growing_lattice.hpp"
#include "models/lattice/ising.hpp"
#include "models/lattice/potts.hpp"
#include "models/registry.hpp"

namespace pearlite::models {

namespace {

void list_coupling(Keys& k, double& coupling) {
    k("coupling", coupling, "coupling of neighbours, not 0; negative for an antiferromagnet");
    if (coupling == 0)
        k.error("coupling", "got 0, expected a coupling that is not 0");
}

template <class Settings>
void list_update(Keys& k, Settings& settings, Index largest_flips) {
    using Update = typename Settings::Update;
    k("update", settings.update,
      {{"sweep", Update::sweep, "every site once in a fixed order"},
       {"random-site", Update::random_site, "sites drawn with replacement"}},
      "the sites that a move updates");
    k.when("update", settings.update, Update::random_site, [&] {
        settings.flips = settings.size * settings.size;
        k("flips", settings.flips, within(1, largest_flips), about("updates of a move").default_is("size x size"));
    });
}

struct IsingKeys {
    IsingSettings settings;

    void keys(Keys& k) {
        using Move = IsingSettings::Move;
        k("size", settings.size, within(2, Ising::largest_size), about("side of the torus").unit("sites"));
        list_coupling(k, settings.coupling);
        k("move", settings.move, {{"metropolis", Move::metropolis}, {"heat-bath", Move::heat_bath}},
          "the transition of one spin");
        list_update(k, settings, Ising::largest_flips);
    }
};

struct PottsKeys {
    PottsSettings settings;

    void keys(Keys& k) {
        k("size", settings.size, within(2, Potts::largest_size), about("side of the torus").unit("sites"));
        k("colours", settings.colours, within(2, Potts::largest_colours), "states of a site");
        list_coupling(k, settings.coupling);
        list_update(k, settings, Potts::largest_flips);
    }
};

/// The model, annealed or growing site by site at inverse temperature 1.
template <class M>
std::unique_ptr<BuiltModel> grown_lattice(std::shared_ptr<const M> model, GrowingLatticeSettings settings) {
    settings.exact_log_normaliser = model->exact_log_ratio(1);
    if (settings.exact_log_normaliser)
        *settings.exact_log_normaliser += *model->log_normaliser_start();
    return model::annealed(std::make_shared<const model::TargetOf<M>>(std::move(model)), lattice_growth(settings));
}

std::unique_ptr<BuiltModel> build_ising(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<IsingKeys>(configuration);
    if (configuration.has_errors())
        return nullptr;
    return grown_lattice(std::make_shared<const Ising>(keys.settings),
                         {keys.settings.size, 2, keys.settings.coupling, -keys.settings.coupling});
}

std::unique_ptr<BuiltModel> build_potts(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<PottsKeys>(configuration);
    if (configuration.has_errors())
        return nullptr;
    return grown_lattice(std::make_shared<const Potts>(keys.settings),
                         {keys.settings.size, keys.settings.colours, keys.settings.coupling, 0});
}

} // namespace

ModelEntry ising_entry() {
    ModelEntry entry{{"ising", IsingBlock::chains, IsingBlock::chains, false, 1e6, model::TimeReversible<Ising>},
                     "2D Ising model on a torus; exact log Z (Kaufman)",
                     build_ising,
                     list_keys<IsingKeys>};
    entry.traits.grows = true;
    entry.traits.generator = random::Generator::ars;
    return entry;
}

ModelEntry potts_entry() {
    ModelEntry entry{{"potts", PottsBlock::chains, PottsBlock::chains, false, 1e6, model::TimeReversible<Potts>},
                     "2D Potts model of q colours on a torus; exact log Z of small ones",
                     build_potts,
                     list_keys<PottsKeys>};
    entry.traits.grows = true;
    entry.traits.generator = random::Generator::ars;
    return entry;
}

} // namespace pearlite::models
