#include "estimated_models.hpp"

#include "pearlite/app/annealing.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/model/exact_likelihood.hpp"
#include "pearlite/models/linear_gaussian.hpp"
#include "pearlite/models/mixed_logistic_design.hpp"
#include "pearlite/models/noisy_likelihood.hpp"
#include "pearlite/models/stochastic_volatility.hpp"
#include "pearlite/path/tempered.hpp"
#include "read_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::app {

namespace {

const io::Range<double> positive{.low = 0, .open_low = true};

/// A prior by name; what is wrong with it becomes a mistake of its key.
model::Prior read_prior(io::Section& section, const std::string& key, const model::Prior& fallback) {
    const auto text = section.text(key, fallback.text());
    try {
        return model::Prior::parse(text);
    } catch (const InputError& error) {
        section.error(key, error.what());
        return fallback;
    }
}

/// With the likelihood estimated, or exact. What the model refuses is a mistake in [prior].
template <class D, class Settings>
std::unique_ptr<BuiltModel> built_either_way(io::Configuration& configuration, Settings settings, bool exact) {
    if (configuration.has_errors())
        return nullptr;
    try {
        D density(std::move(settings));
        if (exact)
            return annealed(path::tempered(model::ExactLikelihood<D>(std::move(density))));
        return annealed(path::tempered(std::move(density)));
    } catch (const InputError& error) {
        configuration.error("prior", error.what());
        return nullptr;
    }
}

/// The estimate's own keys are read in either case, so that one word of a configuration changes the likelihood.
bool read_exactness(io::Section& section) {
    return section.choice("likelihood", {"estimated", "exact"}, "estimated") == "exact";
}

models::FilterSettings read_filter(io::Section& section, const std::vector<std::string>& kinds, Index particles) {
    models::FilterSettings filter;
    const auto kind = section.choice("filter", kinds, kinds.front());
    filter.kind = kind == "adapted"     ? models::FilterKind::adapted
                  : kind == "auxiliary" ? models::FilterKind::auxiliary
                                        : models::FilterKind::bootstrap;
    filter.particles = section.integer("particles", particles, {.low = 2, .high = 10'000'000});
    filter.resample_below = section.number("resample_below", 0.5, {.low = 0});
    return filter;
}

/// N by point, if a variance is wished for.
template <class Goal>
void read_constant_variance(io::Section& section, const std::string& largest_key, std::optional<Goal>& goal) {
    if (!section.has("likelihood_variance"))
        return;
    goal.emplace();
    goal->variance = section.number("likelihood_variance", {}, positive);
    goal->largest = section.integer(largest_key, goal->largest, {.low = goal->smallest, .high = 1'000'000});
}

/// Returns as they are in a column, or from the rates of a foreign currency.
std::vector<double> read_returns(io::Section& section) {
    if (section.has("rates")) {
        const auto rates = read_data(section, "rates", section.data_file("rates"), [&](const auto& path) {
            const Vector last = io::read_last_numbers(path);
            return models::centred_returns(std::vector<double>(last.begin(), last.end()));
        });
        return rates.value_or(std::vector<double>{});
    }
    const auto file = section.data_file("data", "pound_dollar/svpd_returns.csv");
    const auto column = section.text("column", "y");
    const bool centred = section.boolean("centred", true);
    const auto returns = read_data(section, "data", file, [&](const auto& path) {
        const auto table = io::read_csv(path, {column});
        Vector y = table.values.col(table.column(column));
        if (centred)
            y.array() -= y.mean();
        return std::vector<double>(y.begin(), y.end());
    });
    return returns.value_or(std::vector<double>{});
}

std::unique_ptr<BuiltModel> build_stochastic_volatility(io::Configuration& configuration, io::Section& section) {
    models::StochasticVolatilitySettings settings;
    settings.returns = read_returns(section);
    settings.leverage = section.boolean("leverage", false);
    settings.student = section.boolean("student", false);
    const bool exact = read_exactness(section);
    settings.filter = read_filter(section, {"bootstrap", "adapted"}, 1000);
    read_constant_variance(section, "most_particles", settings.constant_variance);
    auto prior = configuration.section("prior");
    settings.mu = read_prior(prior, "mu", settings.mu);
    settings.phi = read_prior(prior, "phi", settings.phi);
    settings.sigma = read_prior(prior, "sigma", settings.sigma);
    if (settings.leverage)
        settings.rho = read_prior(prior, "rho", settings.rho);
    if (settings.student)
        settings.nu = read_prior(prior, "nu", settings.nu);
    return built_either_way<models::StochasticVolatility>(configuration, std::move(settings), exact);
}

std::unique_ptr<BuiltModel> build_linear_gaussian(io::Configuration& configuration, io::Section& section) {
    models::LinearGaussianSettings settings;
    if (section.has("data")) {
        const auto column = section.text("column", "y");
        const auto observations = read_data(section, "data", section.data_file("data"), [&](const auto& path) {
            const auto table = io::read_csv(path, {column});
            const Vector y = table.values.col(table.column(column));
            return std::vector<double>(y.begin(), y.end());
        });
        settings.observations = observations.value_or(std::vector<double>{});
    } else {
        models::LinearGaussianParameters truth;
        const Index n = section.integer("simulated_length", 200, {.low = 1, .high = 1'000'000});
        truth.mean = section.number("true_mean", 0.0);
        truth.persistence =
            section.number("true_persistence", 0.9, {.low = -1, .high = 1, .open_low = true, .open_high = true});
        truth.state_sd = section.number("true_state_sd", 1.0, positive);
        truth.noise_sd = section.number("true_noise_sd", 1.0, positive);
        random::Stream stream({static_cast<std::uint64_t>(section.integer("data_seed", 1, {.low = 0})),
                               random::Purpose::synthetic_data, 0, 0});
        if (!configuration.has_errors())
            settings.observations = models::simulate_linear_gaussian(truth, n, stream);
    }
    const bool exact = read_exactness(section);
    settings.filter = read_filter(section, {"bootstrap", "auxiliary", "adapted"}, 200);
    read_constant_variance(section, "most_particles", settings.constant_variance);
    auto prior = configuration.section("prior");
    settings.mean = read_prior(prior, "mean", settings.mean);
    settings.persistence = read_prior(prior, "persistence", settings.persistence);
    settings.state_sd = read_prior(prior, "state_sd", settings.state_sd);
    settings.noise_sd = read_prior(prior, "noise_sd", settings.noise_sd);
    return built_either_way<models::LinearGaussian>(configuration, std::move(settings), exact);
}

/// The studies that the package knows, and where their data are.
struct Study {
    std::string name, file;
};
const std::vector<Study>& studies() {
    static const std::vector<Study> all{{"table", ""},
                                        {"toenail", "bayes/toenail.csv"},
                                        {"ohio-wheeze", "bayes/ohio_wheeze.csv"},
                                        {"polypharmacy", "bayes/polypharm.csv"}};
    return all;
}

/// A table of one's own: the columns named, all of them numbers but those in `factors`.
models::MixedLogisticDesign design_of_table(io::Section& section, const io::Table& table) {
    const auto subject = section.choice("subject", table.names, table.names.front());
    const auto response = section.choice("response", table.names, table.names[1 % table.names.size()]);
    std::vector<std::string> covariates, terms;
    for (const auto& name : table.names)
        if (name != subject && name != response)
            covariates.push_back(name);
    const auto factors = section.choices("factors", covariates, std::vector<std::string>{});
    terms = covariates;
    for (std::size_t a = 0; a < covariates.size(); ++a)
        for (std::size_t b = a + 1; b < covariates.size(); ++b)
            terms.push_back(covariates[a] + ":" + covariates[b]);
    const auto chosen = section.choices("terms", terms, covariates);
    terms.insert(terms.begin(), "intercept");
    const auto effects = section.choices("effects", terms, std::vector<std::string>{"intercept"});
    models::RepeatedResponses data;
    data.subject = table.values.col(table.column(subject));
    data.response = table.values.col(table.column(response));
    for (const auto& name : covariates) {
        models::Covariate covariate{name, table.values.col(table.column(name)), {}};
        if (std::find(factors.begin(), factors.end(), name) != factors.end())
            for (int level = 0; level <= static_cast<int>(covariate.values.maxCoeff()); ++level)
                covariate.levels.push_back(std::to_string(level));
        data.covariates.push_back(std::move(covariate));
    }
    return models::mixed_logistic_design(data, chosen, effects);
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

models::MixedLogisticDesign design_of(io::Section& section, const std::string& study, const io::Table& table) {
    const auto column = [&](const char* name) -> Vector { return table.values.col(table.column(name)); };
    if (study == "toenail")
        return models::toenail(column("patient"), column("outcome"), column("terbinafine"), column("month"));
    if (study == "ohio-wheeze")
        return models::ohio_wheeze(column("id"), column("resp"), column("age"), column("smoke"));
    if (study == "polypharmacy")
        return design_of_polypharmacy(table);
    return design_of_table(section, table);
}

std::unique_ptr<BuiltModel> build_mixed_logistic(io::Configuration& configuration, io::Section& section) {
    std::vector<std::string> names;
    for (const auto& study : studies())
        names.push_back(study.name);
    const auto name = section.choice("study", names, "toenail");
    const auto known = std::find_if(studies().begin(), studies().end(), [&](const auto& s) { return s.name == name; });
    const auto fallback =
        known == studies().end() || known->file.empty() ? std::nullopt : std::optional<std::string>(known->file);
    const auto design = read_data(section, "data", section.data_file("data", fallback),
                                  [&](const auto& path) { return design_of(section, name, io::read_csv(path)); });
    const bool exact = read_exactness(section);
    models::MixedLogisticSettings settings;
    if (design)
        settings = design->settings;
    settings.samples = section.integer("samples", 32, {.low = 4, .high = 1'000'000});
    read_constant_variance(section, "most_samples", settings.constant_variance);
    auto prior = configuration.section("prior");
    settings.coefficient_priors = {read_prior(prior, "coefficients", settings.coefficient_priors.front())};
    settings.deviation_priors = {read_prior(prior, "deviations", settings.deviation_priors.front())};
    if (prior.has("correlation"))
        settings.correlation_prior = read_prior(prior, "correlation", model::Prior::parse("uniform(-1, 1)"));
    if (!design)
        return nullptr;
    return built_either_way<models::MixedLogistic>(configuration, std::move(settings), exact);
}

std::unique_ptr<BuiltModel> build_noisy_likelihood(io::Configuration& configuration, io::Section& section) {
    models::NoisyLikelihoodSettings settings;
    const Index dimension = section.integer("dimension", 1, {.low = 1, .high = 1000});
    settings.prior_sd = section.number("prior_sd", 1.0, positive);
    settings.data_sd = section.number("data_sd", 1.0, positive);
    settings.noise_variance = section.number("noise_variance", 1.0, {.low = 0});
    settings.samples = section.integer("samples", 1, {.low = 1});
    random::Stream stream({static_cast<std::uint64_t>(section.integer("data_seed", 1, {.low = 0})),
                           random::Purpose::synthetic_data, 0, 0});
    if (configuration.has_errors())
        return nullptr;
    settings.data = models::simulate(dimension, settings.prior_sd, settings.data_sd, stream).data;
    return annealed(path::tempered(models::NoisyLikelihood(std::move(settings))));
}

} // namespace

Catalogue estimated_models() {
    return {
        {{"stochastic-volatility", 16, 4096, true, 1, true, {}, "particles"},
         "volatility of returns; likelihood by a particle filter",
         build_stochastic_volatility},
        {{"mixed-logistic", 16, 4096, true, 1, true, {}, "samples"},
         "logistic regression with random effects; likelihood by importance sampling",
         build_mixed_logistic},
        {{"linear-gaussian", 16, 4096, true, 1, true, {}, "particles"},
         "autoregression observed with noise; likelihood by a particle filter, or exact",
         build_linear_gaussian},
        {{"noisy-likelihood", 16, 4096, true, 1, true, {}, "samples"},
         "Gaussian test bed with a likelihood that is disturbed without bias; exact evidence",
         build_noisy_likelihood},
    };
}

} // namespace pearlite::app
