#include "estimated_models.hpp"
#include "pearlite/app/annealing.hpp"
#include "pearlite/app/registry.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/model/target_of.hpp"
#include "pearlite/models/autoregressive_gaussian.hpp"
#include "pearlite/models/gaussian.hpp"
#include "pearlite/models/gaussian_mixture.hpp"
#include "pearlite/models/ising.hpp"
#include "pearlite/models/potts.hpp"
#include "pearlite/models/rbm.hpp"
#include "pearlite/models/rbm_hidden.hpp"
#include "pearlite/models/rbm_joint.hpp"
#include "pearlite/models/regression.hpp"
#include "pearlite/path/tempered.hpp"
#include "read_data.hpp"
#include "searched_models.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::app {

namespace {

template <class M>
std::unique_ptr<BuiltModel> built(M model) {
    return annealed(model::target_of(std::move(model)));
}
template <class D>
std::unique_ptr<BuiltModel> built_density(D density) {
    return annealed(path::tempered(std::move(density)));
}

models::GaussianSettings gaussian_settings(io::Section& section) {
    const io::Range<double> positive{.low = 0, .open_low = true};
    models::GaussianSettings settings;
    settings.dimension = section.integer("dimension", 1, {.low = 1, .high = 10000});
    settings.start_mean = section.number("start_mean", 20.0);
    settings.start_sd = section.number("start_sd", 10.0, positive);
    settings.end_mean = section.number("end_mean", 0.0);
    settings.end_sd = section.number("end_sd", 1.0, positive);
    return settings;
}

std::unique_ptr<BuiltModel> build_gaussian(io::Configuration& configuration, io::Section& section) {
    const auto settings = gaussian_settings(section);
    return configuration.has_errors() ? nullptr : built_density(models::Gaussian(settings));
}

std::unique_ptr<BuiltModel> build_gaussian_ar(io::Configuration& configuration, io::Section& section) {
    const auto settings = gaussian_settings(section);
    const double correlation = section.number("correlation", 0.5, {.low = 0, .high = 1, .open_high = true});
    return configuration.has_errors() ? nullptr : built(models::AutoregressiveGaussian(settings, correlation));
}

std::unique_ptr<BuiltModel> build_ising(io::Configuration& configuration, io::Section& section) {
    models::IsingSettings settings;
    settings.size = section.integer("size", 32, {.low = 2, .high = models::Ising::largest_size});
    settings.coupling = section.number("coupling", 1.0);
    if (settings.coupling == 0)
        section.error("coupling", "got 0, expected a coupling that is not 0");
    settings.move = section.choice("move", {"metropolis", "heat-bath"}, "metropolis") == "heat-bath"
                        ? models::IsingSettings::Move::heat_bath
                        : models::IsingSettings::Move::metropolis;
    if (section.choice("update", {"sweep", "random-site"}, "sweep") == "random-site") {
        settings.update = models::IsingSettings::Update::random_site;
        settings.flips =
            section.integer("flips", settings.size * settings.size, {.low = 1, .high = models::Ising::largest_flips});
    }
    return configuration.has_errors() ? nullptr : built(models::Ising(settings));
}

std::unique_ptr<BuiltModel> build_potts(io::Configuration& configuration, io::Section& section) {
    models::PottsSettings settings;
    settings.size = section.integer("size", 32, {.low = 2, .high = models::Potts::largest_size});
    settings.colours = section.integer("colours", 10, {.low = 2, .high = models::Potts::largest_colours});
    settings.coupling = section.number("coupling", 2.0);
    if (settings.coupling == 0)
        section.error("coupling", "got 0, expected a coupling that is not 0");
    if (section.choice("update", {"sweep", "random-site"}, "sweep") == "random-site") {
        settings.update = models::PottsSettings::Update::random_site;
        settings.flips =
            section.integer("flips", settings.size * settings.size, {.low = 1, .high = models::Potts::largest_flips});
    }
    return configuration.has_errors() ? nullptr : built(models::Potts(settings));
}

models::RbmParameters rbm_parameters(io::Section& section) {
    models::RbmParameters parameters;
    if (section.has("weights") || !section.has("random_hidden")) {
        const auto weights = section.data_file("weights");
        if (const auto arrays = read_data(section, "weights", weights, io::read_rbm))
            parameters = {arrays->weights, arrays->visible_bias, arrays->hidden_bias, arrays->visible_bias, {}};
    } else {
        const Index n_visible = section.integer("random_visible", 100, {.low = 1, .high = 100000});
        const Index n_hidden = section.integer("random_hidden", {}, {.low = 1, .high = 100000});
        const double weight_sd = section.number("random_weight_sd", 0.1, {.low = 0});
        const double bias_sd = section.number("random_bias_sd", 0.5, {.low = 0});
        const auto seed = static_cast<std::uint64_t>(section.integer("random_seed", 1, {.low = 0}));
        parameters = models::random_rbm(n_visible, n_hidden, weight_sd, bias_sd, seed);
    }
    if (section.has("base_rates")) {
        const auto images = section.data_file("base_rates");
        const auto counts = read_data(section, "base_rates", images, io::read_idx_pixel_counts);
        if (counts && parameters.weights.size() > 0) {
            if (counts->n_on.size() == parameters.visible_bias.size())
                parameters.base_bias = models::base_rate_bias(counts->n_on, counts->n_images);
            else
                section.error("base_rates", fmt::format("images of {} pixels, expected {}, the number of visible units",
                                                        counts->n_on.size(), parameters.visible_bias.size()));
        }
    }
    if (section.has("images")) {
        const auto file = section.data_file("images");
        const Index largest = section.integer("n_images", 10000, {.low = 1, .high = 1'000'000});
        auto images =
            read_data(section, "images", file, [&](const auto& path) { return io::read_idx_images(path, largest); });
        if (images && parameters.weights.size() > 0) {
            if (images->rows() == parameters.visible_bias.size())
                parameters.images = std::move(*images);
            else
                section.error("images", fmt::format("images of {} pixels, expected {}, the number of visible units",
                                                    images->rows(), parameters.visible_bias.size()));
        }
    }
    return parameters;
}

std::unique_ptr<BuiltModel> build_rbm(io::Configuration& configuration, io::Section& section) {
    auto parameters = rbm_parameters(section);
    return configuration.has_errors() ? nullptr : built(models::Rbm(std::move(parameters)));
}

/// Both layers; without base rates the path starts from uniform units, as in Habeck 2017.
std::unique_ptr<BuiltModel> build_rbm_joint(io::Configuration& configuration, io::Section& section) {
    const bool has_base_rates = section.has("base_rates");
    auto parameters = rbm_parameters(section);
    if (!has_base_rates)
        parameters.base_bias.setZero();
    return configuration.has_errors() ? nullptr : built(models::JointRbm(std::move(parameters)));
}

std::unique_ptr<BuiltModel> build_rbm_hidden(io::Configuration& configuration, io::Section& section) {
    auto parameters = rbm_parameters(section);
    models::HiddenRbmSettings settings;
    if (section.choice("update", {"sweep", "random-unit"}, "sweep") == "random-unit") {
        settings.update = models::HiddenRbmSettings::Update::random_unit;
        settings.flips = section.integer("flips", std::max<Index>(parameters.hidden_bias.size(), 1),
                                         {.low = 1, .high = models::HiddenRbm::largest_flips});
    }
    return configuration.has_errors() ? nullptr : built(models::HiddenRbm(std::move(parameters), settings));
}

/// A column of a table, or draws from four well separated components.
std::vector<double> mixture_data(io::Section& section) {
    const auto seed = static_cast<std::uint64_t>(section.integer("order_seed", 1, {.low = 0}));
    if (section.has("simulated_points")) {
        const Index n = section.integer("simulated_points", {}, {.low = 1, .high = 1'000'000});
        const std::vector<double> weights{0.4, 0.3, 0.2, 0.1}, means{10, 20, 24, 33}, sds{1, 2, 1, 1.5};
        return models::simulate_mixture(weights, means, sds, n, seed);
    }
    const auto file = section.data_file("data", "bayes/galaxies.csv");
    const auto column = section.text("column", "velocity_km_s");
    const double unit = section.number("unit", 1000.0, {.low = 0, .open_low = true});
    const auto values = read_data(section, "data", file, [&](const auto& path) {
        const auto table = io::read_csv(path);
        const Vector scaled = table.values.col(table.column(column)) / unit;
        return std::vector<double>(scaled.begin(), scaled.end());
    });
    return values ? models::shuffled(*values, seed) : std::vector<double>{};
}

std::unique_ptr<BuiltModel> build_gaussian_mixture(io::Configuration& configuration, io::Section& section) {
    const io::Range<double> positive{.low = 0, .open_low = true};
    models::GaussianMixtureSettings settings;
    settings.components = section.integer("components", 3, {.low = 1, .high = 64});
    if (section.choice("path", {"data", "likelihood"}, "data") == "likelihood")
        settings.path = models::GaussianMixtureSettings::Path::likelihood;
    auto& prior = settings.prior;
    prior.concentration = section.number("concentration", prior.concentration, positive);
    prior.mean = section.number("prior_mean", prior.mean);
    prior.mean_variance = section.number("prior_variance", prior.mean_variance, positive);
    prior.precision_shape = section.number("precision_shape", prior.precision_shape, positive);
    prior.precision_rate = section.number("precision_rate", prior.precision_rate, positive);
    auto data = mixture_data(section);
    return configuration.has_errors() ? nullptr : built(models::GaussianMixture(std::move(data), settings));
}

std::unique_ptr<BuiltModel> build_radiata_pine(io::Configuration& configuration, io::Section& section) {
    const auto file = section.data_file("data", "bayes/radiata_pine.csv");
    const auto covariate = section.choice("covariate", {"density", "resin"}, "density");
    const auto data = read_data(section, "data", file, [&](const auto& path) {
        const auto table = io::read_csv(path);
        return models::radiata_pine(table.values.col(table.column("y")),
                                    table.values.col(table.column(covariate == "density" ? "x" : "z")));
    });
    return configuration.has_errors() || !data ? nullptr : built_density(models::LinearRegression(*data));
}

/// The first column is the response, the others covariates; an intercept comes first.
models::LogisticRegressionData logistic_data(const io::Table& table, double prior_variance) {
    models::LogisticRegressionData data;
    const Index n = table.values.rows(), p = table.values.cols();
    if (p < 2)
        throw InputError(table.source + ": 1 column, expected a response and at least one covariate");
    data.response = table.values.col(0);
    for (Index i = 0; i < n; ++i)
        if (data.response(i) != 0 && data.response(i) != 1)
            throw InputError(fmt::format("{}: row {}: response {}, expected 0 or 1 in the first column", table.source,
                                         i + 1, data.response(i)));
    data.design.resize(n, p);
    data.design.col(0).setOnes();
    data.design.rightCols(p - 1) = table.values.rightCols(p - 1);
    data.names = {"intercept"};
    for (Index k = 1; k < p; ++k)
        data.names.push_back(table.names.empty() ? fmt::format("covariate{}", k)
                                                 : table.names[static_cast<std::size_t>(k)]);
    data.prior_variance = prior_variance;
    return data;
}

std::unique_ptr<BuiltModel> build_logistic(io::Configuration& configuration, io::Section& section) {
    const auto file = section.data_file("data");
    const double variance = section.number("prior_variance", 100.0, {.low = 0, .open_low = true});
    const auto data = read_data(section, "data", file, [&](const auto& path) {
        const bool has_header = path.extension() == ".csv";
        return logistic_data(has_header ? io::read_csv(path) : io::read_columns(path), variance);
    });
    return configuration.has_errors() || !data ? nullptr : built_density(models::LogisticRegression(*data));
}

} // namespace

Catalogue built_in_models() {
    Catalogue models{
        {{"gaussian", 16, 4096, true, 1, true}, "from one normal distribution to another; exact log Z", build_gaussian},
        {{"gaussian-ar", 16, 4096, false, 1, true},
         "the same moved by autoregressive steps: the toy of nonequilibrium work",
         build_gaussian_ar},
        {{"ising", models::IsingBlock::chains, models::IsingBlock::chains, false, 1e6,
          model::TimeReversible<models::Ising>},
         "2D Ising model on a torus; exact log Z (Kaufman)",
         build_ising},
        {{"potts", models::PottsBlock::chains, models::PottsBlock::chains, false, 1e6,
          model::TimeReversible<models::Potts>},
         "2D Potts model of q colours on a torus; exact log Z of small ones",
         build_potts},
        {{"rbm", models::Rbm::default_block, 4096, false, 1, model::TimeReversible<models::Rbm>},
         "Bernoulli restricted Boltzmann machine; exact log Z up to 25 units in a layer",
         build_rbm},
        {{"rbm-joint", models::JointRbm::default_block, 4096, false, 1, true},
         "the same with its hidden units kept: the full model",
         build_rbm_joint},
        {{"rbm-hidden", models::HiddenRbm::default_block, 4096, false, 1, true},
         "the same with its visible units summed out, moved by single flips",
         build_rbm_hidden},
        {{"gaussian-mixture", 16, 4096, false, 1, true},
         "Bayesian normal mixture of one variable, points added one by one",
         build_gaussian_mixture},
        {{"radiata-pine", 16, 4096, true, 1, true},
         "conjugate linear regression of timber strength; exact evidence",
         build_radiata_pine},
        {{"logistic-regression", 16, 4096, true, 1, true}, "Bayesian logistic regression of a table", build_logistic},
    };
    for (auto& entry : estimated_models())
        models.push_back(std::move(entry));
    for (auto& entry : searched_models())
        models.push_back(std::move(entry));
    return models;
}

} // namespace pearlite::app
