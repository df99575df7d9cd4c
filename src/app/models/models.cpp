#include "app/commands/registry.hpp"
#include "app/models/estimated_models.hpp"
#include "app/models/read_data.hpp"
#include "app/models/read_model.hpp"
#include "app/models/searched_models.hpp"
#include "models/common/energy_keys.hpp"
#include "models/gaussian/autoregressive_gaussian.hpp"
#include "models/gaussian/gaussian_keys.hpp"
#include "models/lattice/lattice_keys.hpp"
#include "models/rbm/rbm_joint.hpp"
#include "models/rbm/rbm_keys.hpp"
#include "models/regression/regression_keys.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/model/target_of.hpp"
#include "pearlite/path/tempered.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::app {

namespace {

template <class M>
std::unique_ptr<BuiltModel> built(M model) {
    return model::annealed(model::target_of(std::move(model)));
}
template <class D>
std::unique_ptr<BuiltModel> built_density(D density) {
    return model::annealed(path::tempered(std::move(density)));
}

std::unique_ptr<BuiltModel> build_gaussian(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<models::GaussianKeys>(configuration);
    return configuration.has_errors() ? nullptr : built_density(models::Gaussian(keys.settings));
}

std::unique_ptr<BuiltModel> build_gaussian_ar(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<models::AutoregressiveGaussianKeys>(configuration);
    return configuration.has_errors() ? nullptr
                                      : built(models::AutoregressiveGaussian(keys.settings, keys.correlation));
}

std::unique_ptr<BuiltModel> build_ising(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<models::IsingKeys>(configuration);
    return configuration.has_errors() ? nullptr : built(models::Ising(keys.settings));
}

std::unique_ptr<BuiltModel> build_potts(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<models::PottsKeys>(configuration);
    return configuration.has_errors() ? nullptr : built(models::Potts(keys.settings));
}

/// Whether images have a pixel for each visible unit; if not, that is a mistake of `key`.
bool suits(io::Section& section, const std::string& key, Index n_pixels, const models::RbmParameters& machine) {
    if (n_pixels == machine.visible_bias.size())
        return true;
    section.error(key, fmt::format("images of {} pixels, expected {}, the number of visible units", n_pixels,
                                   machine.visible_bias.size()));
    return false;
}

models::RbmParameters rbm_parameters(io::Section& section, const models::RbmKeys& keys) {
    models::RbmParameters parameters;
    if (!keys.from_file)
        parameters = models::random_rbm(keys.random_visible, keys.random_hidden, keys.random_weight_sd,
                                        keys.random_bias_sd, keys.random_seed);
    else if (const auto arrays = read_data(section, "weights", keys.weights, io::read_rbm))
        parameters = {arrays->weights, arrays->visible_bias, arrays->hidden_bias, arrays->visible_bias, {}};
    if (keys.base_rates) {
        const auto counts = read_data(section, "base_rates", *keys.base_rates, io::read_idx_pixel_counts);
        if (counts && parameters.weights.size() > 0 && suits(section, "base_rates", counts->n_on.size(), parameters))
            parameters.base_bias = models::base_rate_bias(counts->n_on, counts->n_images);
    }
    if (keys.images) {
        const auto read = [&](const auto& path) { return io::read_idx_images(path, keys.n_images); };
        auto images = read_data(section, "images", *keys.images, read);
        if (images && parameters.weights.size() > 0 && suits(section, "images", images->rows(), parameters))
            parameters.images = std::move(*images);
    }
    return parameters;
}

std::unique_ptr<BuiltModel> build_rbm(io::Configuration& configuration, io::Section& section) {
    auto parameters = rbm_parameters(section, read_model<models::RbmKeys>(configuration));
    return configuration.has_errors() ? nullptr : built(models::Rbm(std::move(parameters)));
}

std::unique_ptr<BuiltModel> build_rbm_joint(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<models::JointRbmKeys>(configuration);
    auto parameters = rbm_parameters(section, keys.machine);
    if (!keys.has_base_rates)
        parameters.base_bias.setZero();
    return configuration.has_errors() ? nullptr : built(models::JointRbm(std::move(parameters)));
}

std::unique_ptr<BuiltModel> build_rbm_hidden(io::Configuration& configuration, io::Section& section) {
    auto parameters = rbm_parameters(section, read_model<models::RbmKeys>(configuration));
    const auto keys = read_model<models::HiddenRbmKeys>(configuration, parameters.hidden_bias.size());
    return configuration.has_errors() ? nullptr : built(models::HiddenRbm(std::move(parameters), keys.settings));
}

/// A column of a table, or draws from four well separated components.
std::vector<double> mixture_data(io::Section& section, const models::GaussianMixtureKeys& keys) {
    if (keys.simulated_points) {
        const std::vector<double> weights{0.4, 0.3, 0.2, 0.1}, means{10, 20, 24, 33}, sds{1, 2, 1, 1.5};
        return models::simulate_mixture(weights, means, sds, *keys.simulated_points, keys.order_seed);
    }
    const auto values = read_data(section, "data", keys.data, [&](const auto& path) {
        const auto table = io::read_csv(path);
        const Vector scaled = table.values.col(table.column(keys.column)) / keys.unit;
        return std::vector<double>(scaled.begin(), scaled.end());
    });
    return values ? models::shuffled(*values, keys.order_seed) : std::vector<double>{};
}

std::unique_ptr<BuiltModel> build_gaussian_mixture(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<models::GaussianMixtureKeys>(configuration);
    auto data = mixture_data(section, keys);
    return configuration.has_errors() ? nullptr : built(models::GaussianMixture(std::move(data), keys.settings));
}

std::unique_ptr<BuiltModel> build_radiata_pine(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<models::RadiataPineKeys>(configuration);
    const char* covariate = keys.covariate == models::RadiataPineKeys::Covariate::density ? "x" : "z";
    const auto data = read_data(section, "data", keys.data, [&](const auto& path) {
        const auto table = io::read_csv(path);
        return models::radiata_pine(table.values.col(table.column("y")), table.values.col(table.column(covariate)));
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
    const auto keys = read_model<models::LogisticRegressionKeys>(configuration);
    const auto data = read_data(section, "data", keys.data, [&](const auto& path) {
        const bool has_header = path.extension() == ".csv";
        return logistic_data(has_header ? io::read_csv(path) : io::read_columns(path), keys.prior_variance);
    });
    return configuration.has_errors() || !data ? nullptr : built_density(models::LogisticRegression(*data));
}

/// In a description the number of hidden units is not known.
void list_hidden_rbm(Keys& k) {
    models::RbmKeys().keys(k);
    models::HiddenRbmKeys().keys(k, 1);
}

/// What a searched model's [model] table holds.
std::function<void(Keys&)> energy_keys(const std::string& model) {
    if (model == "test-function")
        return list_keys<models::TestFunctionKeys>;
    if (model == "ab-protein")
        return list_keys<models::AbProteinKeys>;
    if (model == "mode-mixture")
        return list_keys<models::ModeMixtureKeys>;
    if (model == "image-restoration")
        return list_keys<models::ImageRestorationKeys>;
    return list_keys<models::BayesianNetworkKeys>;
}

} // namespace

Catalogue built_in_models() {
    Catalogue models{
        {{"gaussian", 16, 4096, true, 1, true},
         "from one normal distribution to another; exact log Z",
         build_gaussian,
         list_keys<models::GaussianKeys>},
        {{"gaussian-ar", 16, 4096, false, 1, true},
         "the same moved by autoregressive steps: the toy of nonequilibrium work",
         build_gaussian_ar,
         list_keys<models::AutoregressiveGaussianKeys>},
        {{"ising", models::IsingBlock::chains, models::IsingBlock::chains, false, 1e6,
          model::TimeReversible<models::Ising>},
         "2D Ising model on a torus; exact log Z (Kaufman)",
         build_ising,
         list_keys<models::IsingKeys>},
        {{"potts", models::PottsBlock::chains, models::PottsBlock::chains, false, 1e6,
          model::TimeReversible<models::Potts>},
         "2D Potts model of q colours on a torus; exact log Z of small ones",
         build_potts,
         list_keys<models::PottsKeys>},
        {{"rbm", models::Rbm::default_block, 4096, false, 1, model::TimeReversible<models::Rbm>},
         "Bernoulli restricted Boltzmann machine; exact log Z up to 25 units in a layer",
         build_rbm,
         list_keys<models::RbmKeys>},
        {{"rbm-joint", models::JointRbm::default_block, 4096, false, 1, true},
         "the same with its hidden units kept: the full model",
         build_rbm_joint,
         list_keys<models::JointRbmKeys>},
        {{"rbm-hidden", models::HiddenRbm::default_block, 4096, false, 1, true},
         "the same with its visible units summed out, moved by single flips",
         build_rbm_hidden,
         list_hidden_rbm},
        {{"gaussian-mixture", 16, 4096, false, 1, true},
         "Bayesian normal mixture of one variable, points added one by one",
         build_gaussian_mixture,
         list_keys<models::GaussianMixtureKeys>},
        {{"radiata-pine", 16, 4096, true, 1, true},
         "conjugate linear regression of timber strength; exact evidence",
         build_radiata_pine,
         list_keys<models::RadiataPineKeys>},
        {{"logistic-regression", 16, 4096, true, 1, true},
         "Bayesian logistic regression of a table",
         build_logistic,
         list_keys<models::LogisticRegressionKeys>},
    };
    for (auto& entry : estimated_models())
        models.push_back(std::move(entry));
    for (auto& entry : searched_models()) {
        entry.keys = energy_keys(entry.traits.name);
        models.push_back(std::move(entry));
    }
    return models;
}

} // namespace pearlite::app
