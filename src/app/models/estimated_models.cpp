#include "app/models/estimated_models.hpp"

#include "app/models/read_data.hpp"
#include "app/models/read_model.hpp"
#include "models/common/estimated_keys.hpp"
#include "models/gaussian/gaussian_keys.hpp"
#include "models/mixed_logistic/mixed_logistic_design.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/model/exact_likelihood.hpp"
#include "pearlite/path/tempered.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::app {

namespace {

/// With the likelihood estimated, or exact. What the model refuses is a mistake in [prior].
template <class D, class Settings>
std::unique_ptr<BuiltModel> built_either_way(io::Configuration& configuration, Settings settings, bool exact) {
    if (configuration.has_errors())
        return nullptr;
    try {
        D density(std::move(settings));
        if (exact)
            return model::annealed(path::tempered(model::ExactLikelihood<D>(std::move(density))));
        return model::annealed(path::tempered(std::move(density)));
    } catch (const InputError& error) {
        configuration.error("prior", error.what());
        return nullptr;
    }
}

/// A column of a table with a header line.
std::optional<Vector> read_column(io::Section& section, const DataFile& file, const std::string& column) {
    return read_data(section, "data", file, [&](const auto& path) -> Vector {
        const auto table = io::read_csv(path, {column});
        return table.values.col(table.column(column));
    });
}

std::vector<double> numbers(const Vector& values) {
    return {values.begin(), values.end()};
}

/// Returns as they are in a column, or from the rates of a foreign currency.
std::vector<double> read_returns(io::Section& section, const models::StochasticVolatilityKeys& keys) {
    if (keys.rates) {
        const auto rates = read_data(section, "rates", *keys.rates, [](const auto& path) {
            return models::centred_returns(numbers(io::read_last_numbers(path)));
        });
        return rates.value_or(std::vector<double>{});
    }
    auto returns = read_column(section, keys.data, keys.column);
    if (!returns)
        return {};
    if (keys.centred)
        returns->array() -= returns->mean();
    return numbers(*returns);
}

std::unique_ptr<BuiltModel> build_stochastic_volatility(io::Configuration& configuration, io::Section& section) {
    auto keys = read_model<models::StochasticVolatilityKeys>(configuration);
    keys.settings.returns = read_returns(section, keys);
    return built_either_way<models::StochasticVolatility>(configuration, std::move(keys.settings), keys.is_exact);
}

std::unique_ptr<BuiltModel> build_linear_gaussian(io::Configuration& configuration, io::Section& section) {
    auto keys = read_model<models::LinearGaussianKeys>(configuration);
    if (keys.data) {
        if (const auto observations = read_column(section, *keys.data, keys.column))
            keys.settings.observations = numbers(*observations);
    } else if (!configuration.has_errors()) {
        random::Stream stream({keys.data_seed, random::Purpose::synthetic_data, 0, 0});
        keys.settings.observations = models::simulate_linear_gaussian(keys.truth, keys.simulated_length, stream);
    }
    return built_either_way<models::LinearGaussian>(configuration, std::move(keys.settings), keys.is_exact);
}

/// A user's table: the columns named, all of them numbers but those in `factors`.
models::MixedLogisticDesign design_of_table(io::Configuration& configuration, const io::Table& table) {
    const auto keys = read_model<models::MixedLogisticTableKeys>(configuration, table.names);
    models::RepeatedResponses data;
    data.subject = table.values.col(table.column(keys.subject));
    data.response = table.values.col(table.column(keys.response));
    for (const auto& name : keys.covariates(table.names)) {
        models::Covariate covariate{name, table.values.col(table.column(name)), {}};
        if (std::find(keys.factors.begin(), keys.factors.end(), name) != keys.factors.end())
            for (int level = 0; level <= static_cast<int>(covariate.values.maxCoeff()); ++level)
                covariate.levels.push_back(std::to_string(level));
        data.covariates.push_back(std::move(covariate));
    }
    return models::mixed_logistic_design(data, keys.terms, keys.effects);
}

models::MixedLogisticDesign design_of_polypharmacy(const io::Table& table) {
    const auto column = [&](const char* name) -> Vector { return table.values.col(table.column(name)); };
    models::PolypharmacyColumns columns;
    columns.id = column("id");
    columns.polypharmacy = column("polypharmacy");
    columns.mhv4 = column("mhv4");
    columns.inptmhv3 = column("inptmhv3");
    columns.group = column("group");
    columns.urban = column("urban");
    columns.comorbid = column("comorbid");
    columns.anyprim = column("anyprim");
    columns.numprim = column("numprim");
    columns.gender = column("gender");
    columns.race = column("race");
    columns.ethnic = column("ethnic");
    columns.year = column("year");
    columns.age = column("age");
    return models::polypharmacy(columns);
}

models::MixedLogisticDesign design_of(io::Configuration& configuration, models::MixedLogisticDataKeys::Study study,
                                      const io::Table& table) {
    using Study = models::MixedLogisticDataKeys::Study;
    const auto column = [&](const char* name) -> Vector { return table.values.col(table.column(name)); };
    switch (study) {
    case Study::toenail:
        return models::toenail(column("patient"), column("outcome"), column("terbinafine"), column("month"));
    case Study::ohio_wheeze:
        return models::ohio_wheeze(column("id"), column("resp"), column("age"), column("smoke"));
    case Study::polypharmacy:
        return design_of_polypharmacy(table);
    case Study::table:
        break;
    }
    return design_of_table(configuration, table);
}

std::unique_ptr<BuiltModel> build_mixed_logistic(io::Configuration& configuration, io::Section& section) {
    const auto source = read_model<models::MixedLogisticDataKeys>(configuration);
    const auto design = read_data(section, "data", source.data, [&](const auto& path) {
        return design_of(configuration, source.study, io::read_csv(path));
    });
    models::MixedLogisticKeys keys;
    if (design)
        keys.settings = design->settings;
    io::read_keys(configuration, "model", keys);
    if (!design)
        return nullptr;
    return built_either_way<models::MixedLogistic>(configuration, std::move(keys.settings), keys.is_exact);
}

std::unique_ptr<BuiltModel> build_noisy_likelihood(io::Configuration& configuration, io::Section&) {
    auto keys = read_model<models::NoisyLikelihoodKeys>(configuration);
    if (configuration.has_errors())
        return nullptr;
    auto& settings = keys.settings;
    random::Stream stream({keys.data_seed, random::Purpose::synthetic_data, 0, 0});
    settings.data = models::simulate(keys.dimension, settings.prior_sd, settings.data_sd, stream).data;
    return model::annealed(path::tempered(models::NoisyLikelihood(std::move(settings))));
}

/// In a description every study's columns could be any.
void list_mixed_logistic(Keys& k) {
    models::MixedLogisticDataKeys source;
    source.keys(k);
    k.when("study", source.study, models::MixedLogisticDataKeys::Study::table,
           [&] { models::MixedLogisticTableKeys().keys(k, {}); });
    models::MixedLogisticKeys().keys(k);
}

} // namespace

Catalogue estimated_models() {
    return {
        {{"stochastic-volatility", 16, 4096, true, 1, true, {}, "particles"},
         "volatility of returns; likelihood by a particle filter",
         build_stochastic_volatility,
         list_keys<models::StochasticVolatilityKeys>},
        {{"mixed-logistic", 16, 4096, true, 1, true, {}, "samples"},
         "logistic regression with random effects; likelihood by importance sampling",
         build_mixed_logistic,
         list_mixed_logistic},
        {{"linear-gaussian", 16, 4096, true, 1, true, {}, "particles"},
         "autoregression observed with noise; likelihood by a particle filter, or exact",
         build_linear_gaussian,
         list_keys<models::LinearGaussianKeys>},
        {{"noisy-likelihood", 16, 4096, true, 1, true, {}, "samples"},
         "Gaussian test bed with a likelihood that is disturbed without bias; exact evidence",
         build_noisy_likelihood,
         list_keys<models::NoisyLikelihoodKeys>},
    };
}

} // namespace pearlite::app
