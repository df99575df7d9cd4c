#include "models/common/reading.hpp"
#include "models/mixture/mode_mixture.hpp"
#include "models/registry.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/kernel/detail/searched_energy.hpp"

namespace pearlite::models {

namespace {

struct ModeMixtureKeys {
    DataFile modes{"gaussmix20/modes.csv"};
    double variance = 0.001;

    void keys(Keys& k) {
        k("modes", modes, "a table with the columns mu1 and mu2");
        k("variance", variance, above(0), "variance of every component");
    }
};

std::unique_ptr<BuiltModel> build_mode_mixture(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<ModeMixtureKeys>(configuration);
    const auto modes = read_data(section, "modes", keys.modes, [](const auto& path) {
        const auto table = io::read_csv(path);
        Matrix means(2, table.values.rows());
        means.row(0) = table.values.col(table.column("mu1")).transpose();
        means.row(1) = table.values.col(table.column("mu2")).transpose();
        return means;
    });
    return configuration.has_errors() || !modes ? nullptr : kernel::searched_box(ModeMixture(*modes, keys.variance));
}

} // namespace

ModelEntry mode_mixture_entry() {
    return model::searched_entry("mode-mixture",
                                 "minus log density of a planar mixture of normal distributions of equal weight",
                                 kernel::box_search_traits(), build_mode_mixture, list_keys<ModeMixtureKeys>);
}

} // namespace pearlite::models
