#include "models/common/estimated_keys.hpp"

#include <algorithm>

namespace pearlite::models {

namespace {

/// The estimate's own keys are read in either case, so that one word of a configuration changes the likelihood.
void list_exactness(Keys& k, bool& is_exact) {
    k("likelihood", is_exact, {{"estimated", false}, {"exact", true, "the reference for the estimate"}},
      "whether the likelihood is estimated");
}

void list_filter(Keys& k, FilterSettings& filter, const Choices<FilterKind>& kinds) {
    k("filter", filter.kind, kinds, "the particle filter");
    k("particles", filter.particles, within(2, 10'000'000), "number of the filter's particles");
    k("resample_below", filter.resample_below, at_least(0),
      "resample when the effective sample size falls below this share of the particles; above 1: every step");
}

/// N by point, if the configuration sets a variance.
template <class Goal>
void list_constant_variance(Keys& k, const std::string& largest_key, std::optional<Goal>& goal) {
    std::optional<double> variance;
    Goal chosen;
    k("likelihood_variance", variance, above(0),
      "target variance of the estimated log likelihood; the number of particles or samples then differs from point to "
      "point");
    k.when_given("likelihood_variance", [&] {
        k(largest_key, chosen.largest, within(chosen.smallest, 1'000'000), "largest number at any point");
    });
    if (variance) {
        chosen.variance = *variance;
        goal = chosen;
    }
}

} // namespace

void StochasticVolatilityKeys::keys(Keys& k) {
    k("rates", rates, "rates of a foreign currency, in place of returns");
    k.unless_given("rates", [&] {
        k("data", data, "a table of returns with a header line");
        k("column", column, "the column of the table");
        k("centred", centred, "subtract the mean of the returns");
    });
    k("leverage", settings.leverage, "returns and volatility are correlated");
    k("student", settings.student, "errors have Student's t distribution");
    list_exactness(k, is_exact);
    list_filter(k, settings.filter, {{"bootstrap", FilterKind::bootstrap}, {"adapted", FilterKind::adapted}});
    list_constant_variance(k, "most_particles", settings.constant_variance);
    k.in_table("prior", [&] {
        k("mu", settings.mu, "prior of the mean log volatility");
        k("phi", settings.phi, "prior of the persistence");
        k("sigma", settings.sigma, "prior of the volatility of log volatility");
        k.when("model.leverage is true", settings.leverage,
               [&] { k("rho", settings.rho, "prior of the correlation of returns and volatility"); });
        k.when("model.student is true", settings.student,
               [&] { k("nu", settings.nu, "prior of the degrees of freedom"); });
    });
}

void LinearGaussianKeys::keys(Keys& k) {
    k("data", data, "a table with a header line; else observations are simulated");
    k.when_given("data", [&] { k("column", column, "the column of the table"); });
    k.unless_given("data", [&] {
        k("simulated_length", simulated_length, within(1, 1'000'000), "observations");
        k("true_mean", truth.mean, "mean of the simulated states");
        k("true_persistence", truth.persistence, between(-1, 1), "persistence of the simulated states");
        k("true_state_sd", truth.state_sd, above(0), "standard deviation of the simulated states' innovations");
        k("true_noise_sd", truth.noise_sd, above(0), "standard deviation of the simulated noise");
        k("data_seed", data_seed, "seed of the simulated observations");
    });
    list_exactness(k, is_exact);
    settings.filter.particles = 200;
    list_filter(
        k, settings.filter,
        {{"bootstrap", FilterKind::bootstrap}, {"auxiliary", FilterKind::auxiliary}, {"adapted", FilterKind::adapted}});
    list_constant_variance(k, "most_particles", settings.constant_variance);
    k.in_table("prior", [&] {
        k("mean", settings.mean, "prior of the mean");
        k("persistence", settings.persistence, "prior of the persistence");
        k("state_sd", settings.state_sd, "prior of the states' standard deviation");
        k("noise_sd", settings.noise_sd, "prior of the observations' standard deviation");
    });
}

void MixedLogisticDataKeys::keys(Keys& k) {
    k("study", study,
      {{"table", Study::table, "a table of your own"},
       {"toenail", Study::toenail},
       {"ohio-wheeze", Study::ohio_wheeze},
       {"polypharmacy", Study::polypharmacy}},
      "the data and their design");
    data.name = study == Study::toenail        ? "bayes/toenail.csv"
                : study == Study::ohio_wheeze  ? "bayes/ohio_wheeze.csv"
                : study == Study::polypharmacy ? "bayes/polypharm.csv"
                                               : "";
    k("data", data, about("a table with a header line").default_is("the study's file; none of study table"));
}

std::vector<std::string> MixedLogisticTableKeys::covariates(const std::vector<std::string>& columns) const {
    std::vector<std::string> names;
    for (const auto& name : columns)
        if (name != subject && name != response)
            names.push_back(name);
    return names;
}

void MixedLogisticTableKeys::keys(Keys& k, const std::vector<std::string>& columns) {
    if (!columns.empty()) {
        subject = columns.front();
        response = columns[1 % columns.size()];
    }
    k("subject", subject, columns, about("the column that tells subjects apart").default_is("the first"));
    k("response", response, columns, about("the column of responses, 0 or 1").default_is("the second"));
    const auto names = covariates(columns);
    k("factors", factors, names, "covariates that are codes of levels");
    auto possible = names;
    for (std::size_t a = 0; a < names.size(); ++a)
        for (std::size_t b = a + 1; b < names.size(); ++b)
            possible.push_back(names[a] + ":" + names[b]);
    terms = names;
    k("terms", terms, possible, about("covariates in the sum, and products a:b of two").default_is("all covariates"));
    possible.insert(possible.begin(), "intercept");
    effects = {"intercept"};
    // In a description the columns are not known, and any name may stand here.
    k("effects", effects, columns.empty() ? std::vector<std::string>{} : possible, "terms whose effects are random");
}

void MixedLogisticKeys::keys(Keys& k) {
    list_exactness(k, is_exact);
    k("samples", settings.samples, within(4, 1'000'000), "samples of each subject's effects");
    list_constant_variance(k, "most_samples", settings.constant_variance);
    k.in_table("prior", [&] {
        settings.coefficient_priors.resize(1, settings.coefficient_priors.front());
        settings.deviation_priors.resize(1, settings.deviation_priors.front());
        k("coefficients", settings.coefficient_priors.front(), "prior of every coefficient");
        k("deviations", settings.deviation_priors.front(), "prior of the effects' standard deviations");
        if (k.is_reading() && !k.has("correlation"))
            return;
        auto correlation = model::Prior::parse("uniform(-1, 1)");
        k("correlation", correlation, about("prior of the correlation of two effects").may_be_left_out());
        settings.correlation_prior = correlation;
    });
}

} // namespace pearlite::models
