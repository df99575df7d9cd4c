#include "app/models/searched_models.hpp"

#include "app/models/read_data.hpp"
#include "io/arrays/images.hpp"
#include "models/functions/test_functions.hpp"
#include "models/image/image_space.hpp"
#include "models/mixture/mode_mixture.hpp"
#include "models/network/network_space.hpp"
#include "models/protein/ab_protein.hpp"
#include "pearlite/app/searched_energy.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::app {

namespace {

std::unique_ptr<BuiltModel> build_test_function(io::Configuration& configuration, io::Section& section) {
    using Kind = models::TestFunctionSettings::Kind;
    const std::vector<std::string> names{"rastrigin", "ackley", "griewank", "schwefel", "rosenbrock", "levy"};
    models::TestFunctionSettings settings;
    const auto place = std::find(names.begin(), names.end(), section.choice("function", names, "rastrigin"));
    if (place != names.end())
        settings.kind = static_cast<Kind>(place - names.begin());
    settings.dimension = section.integer(
        "dimension", 30,
        {.low = settings.kind == Kind::rosenbrock ? 2 : 1, .high = models::TestFunction::largest_dimension});
    settings.rotated = section.boolean("rotated", true);
    if (settings.rotated)
        settings.seed = static_cast<std::uint64_t>(section.integer("rotation_seed", 1, {.low = 0}));
    return configuration.has_errors() ? nullptr : searched_box(models::TestFunction(settings));
}

std::unique_ptr<BuiltModel> build_ab_protein(io::Configuration& configuration, io::Section& section) {
    using Settings = models::AbProteinSettings;
    const std::vector<std::string> names{"planar", "stillinger", "irback", "azimuth"};
    Settings settings;
    const auto place = std::find(names.begin(), names.end(), section.choice("energy", names, "planar"));
    if (place != names.end())
        settings.energy = static_cast<Settings::Energy>(place - names.begin());
    if (settings.energy != Settings::Energy::azimuth &&
        section.choice("angles", {"internal", "directions"}, "internal") == "directions")
        settings.angles = Settings::Angles::directions;
    try {
        if (section.has("sequence")) {
            settings.sequence = section.text("sequence");
        } else {
            const Index length = section.integer("length", 13, {.low = 3, .high = models::AbProtein::longest});
            settings.sequence = models::fibonacci_sequence(length);
        }
        return configuration.has_errors() ? nullptr : searched_box(models::AbProtein(settings));
    } catch (const InputError& error) {
        section.error(section.has("sequence") ? "sequence" : "length", error.what());
        return nullptr;
    }
}

std::unique_ptr<BuiltModel> build_mode_mixture(io::Configuration& configuration, io::Section& section) {
    const auto file = section.data_file("modes", "gaussmix20/modes.csv");
    const double variance = section.number("variance", 0.001, {.low = 0, .open_low = true});
    const auto modes = read_data(section, "modes", file, [](const auto& path) {
        const auto table = io::read_csv(path);
        Matrix means(2, table.values.rows());
        means.row(0) = table.values.col(table.column("mu1")).transpose();
        means.row(1) = table.values.col(table.column("mu2")).transpose();
        return means;
    });
    return configuration.has_errors() || !modes ? nullptr : searched_box(models::ModeMixture(*modes, variance));
}

std::unique_ptr<BuiltModel> build_image_restoration(io::Configuration& configuration, io::Section& section) {
    const io::Range<double> positive{.low = 0, .open_low = true};
    const auto file = section.data_file("image");
    auto image = read_data(section, "image", file, io::read_binary_image);
    models::ImageRestorationSettings settings;
    settings.data_weight = section.number("data_weight", 1.1, positive);
    settings.pair_weight = section.number("pair_weight", 0.9, positive);
    if (section.has("noise")) {
        const double noise = section.number("noise", 0.0, {.low = 0, .high = 1});
        const auto seed = static_cast<std::uint64_t>(section.integer("noise_seed", 1, {.low = 0}));
        if (image && !configuration.has_errors())
            models::add_noise(image->pixels, noise, seed);
    }
    models::ImageSpaceSettings space;
    space.rectangle_limit = section.integer("rectangle_limit", 16, {.low = 1});
    if (section.has("cluster_strength"))
        space.cluster_strength = section.number("cluster_strength", settings.pair_weight, positive);
    if (section.choice("start", {"observed", "random"}, "observed") == "random")
        space.start = models::ImageSpaceSettings::Start::random;
    space.exact = section.boolean("exact", true);
    if (configuration.has_errors() || !image)
        return nullptr;
    settings.rows = image->rows;
    settings.columns = image->columns;
    settings.observed = std::move(image->pixels);
    const auto make_space = [model = models::ImageRestoration(std::move(settings)),
                             space](const model::OperationPlan& plan) {
        auto own = space;
        own.operations = plan.operations;
        return model::space_of(models::ImageSpace(model, own));
    };
    return model::searched_in(make_space, {{"pixel"}});
}

/// A number of levels; 0, with the mistake recorded, if it is none.
Index whole_level(io::Section& section, double level) {
    if (level >= 1 && level <= 256 && std::floor(level) == level)
        return static_cast<Index>(level);
    section.error("levels", fmt::format("got {}, expected whole numbers from 1 to 256, one for each column", level));
    return 0;
}

std::unique_ptr<BuiltModel> build_bayesian_network(io::Configuration& configuration, io::Section& section) {
    const io::Range<double> positive{.low = 0, .open_low = true};
    const auto file = section.data_file("data", "spect/SPECT.train");
    const bool has_header = section.boolean("header", false);
    const auto read = [&](const auto& path) { return has_header ? io::read_csv(path) : io::read_bare_csv(path); };
    auto table = read_data(section, "data", file, read);
    if (section.has("more_data")) {
        const auto more = section.data_file("more_data");
        table = read_data(section, "more_data", more,
                          [&](const auto& path) { return table ? io::stack_rows(*table, read(path)) : read(path); });
    }
    std::vector<Index> levels;
    if (section.has("levels"))
        for (const double level : section.numbers("levels"))
            levels.push_back(whole_level(section, level));
    models::NetworkSettings settings;
    settings.parent_limit = section.integer("parent_limit", settings.parent_limit, {.low = 0, .high = 8});
    settings.edge_prior =
        section.number("edge_prior", settings.edge_prior, {.low = 0, .high = 1, .open_low = true, .open_high = true});
    settings.equivalent_sample_size =
        section.number("equivalent_sample_size", settings.equivalent_sample_size, positive);
    const bool exact = section.boolean("exact", false);
    if (configuration.has_errors() || !table)
        return nullptr;
    try {
        const auto make_space =
            [model = models::BayesianNetwork(models::discrete_table(table->values, table->names, levels), settings),
             exact](const model::OperationPlan& plan) {
                return model::space_of(models::NetworkSpace(model, {plan.operations, exact}));
            };
        return model::searched_in(make_space, {models::NetworkSpace::names()});
    } catch (const InputError& error) {
        section.error("data", error.what());
        return nullptr;
    }
}

ModelEntry searched(std::string name, std::string description, SearchTraits traits,
                    std::unique_ptr<BuiltModel> (*build)(io::Configuration&, io::Section&)) {
    ModelEntry entry;
    entry.traits.name = std::move(name);
    entry.traits.search = std::move(traits);
    entry.description = std::move(description);
    entry.build = build;
    return entry;
}

} // namespace

Catalogue searched_models() {
    SearchTraits image, network, protein = box_search_traits();
    for (const auto& name : models::AbProtein::local_move_names())
        protein.operations.push_back(name);
    image.operations = models::ImageSpace::names();
    image.default_operations = models::ImageSpaceSettings{}.operations;
    image.crossovers = {"two-point-crossover"};
    network.operations = network.default_operations = models::NetworkSpace::names();
    return {searched("test-function", "Rastrigin, Ackley, Griewank, Schwefel, Rosenbrock or Levy, rotated or not",
                     box_search_traits(), build_test_function),
            searched("ab-protein", "off-lattice AB protein in the plane or in space", protein, build_ab_protein),
            searched("mode-mixture", "minus log density of a planar mixture of normal distributions of equal weight",
                     box_search_traits(), build_mode_mixture),
            searched("image-restoration", "restoration of an image of two colours; exact minimum", image,
                     build_image_restoration),
            searched("bayesian-network", "structure of a Bayesian network from a discrete table", network,
                     build_bayesian_network)};
}

} // namespace pearlite::app
