#include "models/common/reading.hpp"
#include "models/common/table.hpp"
#include "models/mixture/gaussian_mixture.hpp"
#include "models/mixture/mode_mixture.hpp"
#include "models/registry.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/kernel/detail/searched_energy.hpp"

namespace pearlite::models {

namespace {

struct GaussianMixtureKeys {
    GaussianMixtureSettings settings;
    std::uint64_t order_seed = 1;
    std::optional<Index> simulated_points;
    DataFile data{"bayes/galaxies.csv"};
    std::string column = "velocity_km_s";
    double unit = 1000;
    MissingKeys missing;

    void keys(Keys& k) {
        auto& prior = settings.prior;
        k("components", settings.components, within(1, 64), "components of the mixture");
        if (k.is_reading() && k.has("path"))
            k.error("path", "this key has a new name; expected \"kind\" of [path], \"tempered\" for \"likelihood\"");
        k("concentration", prior.concentration, above(0), "concentration of the weights' Dirichlet prior");
        k("prior_mean", prior.mean, "prior mean of the components' means");
        k("prior_variance", prior.mean_variance, above(0), "prior variance of the components' means");
        k("precision_shape", prior.precision_shape, above(0), "shape of the precisions' gamma prior");
        k("precision_rate", prior.precision_rate, above(0), "rate of the precisions' gamma prior");
        k("order_seed", order_seed, "seed of the order in which points are added, and of simulated points");
        k("simulated_points", simulated_points, within(1, 1'000'000),
          "points drawn from four components, in place of data");
        k.unless_given("simulated_points", [&] {
            k("data", data, "a table with a header line");
            k("column", column, "the column of the table");
            k("unit", unit, above(0), "the column's values are divided by it");
            missing.keys(k);
        });
    }
};

/// A column of a table, or draws from four well separated components.
std::vector<double> mixture_data(io::Section& section, const GaussianMixtureKeys& keys) {
    if (keys.simulated_points) {
        const std::vector<double> weights{0.4, 0.3, 0.2, 0.1}, means{10, 20, 24, 33}, sds{1, 2, 1, 1.5};
        return simulate_mixture(weights, means, sds, *keys.simulated_points, keys.order_seed);
    }
    const auto values = read_data(section, "data", keys.data, [&](const auto& path) {
        auto frame = io::Frame::read(path);
        keys.missing.apply(frame, std::vector{keys.column});
        const Vector scaled = frame.numbers(keys.column) / keys.unit;
        return std::vector<double>(scaled.begin(), scaled.end());
    });
    return values ? shuffled(*values, keys.order_seed) : std::vector<double>{};
}

std::unique_ptr<BuiltModel> build_gaussian_mixture(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<GaussianMixtureKeys>(configuration);
    auto data = mixture_data(section, keys);
    return configuration.has_errors() ? nullptr : built(GaussianMixture(std::move(data), keys.settings));
}

} // namespace

ModelEntry gaussian_mixture_entry() {
    return {{"gaussian-mixture", 16, 4096, false, 1, true},
            "Bayesian normal mixture of one variable",
            build_gaussian_mixture,
            list_keys<GaussianMixtureKeys>};
}

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
