#include "models/regression/regression_keys.hpp"

namespace pearlite::models {

void GaussianMixtureKeys::keys(Keys& k) {
    using Path = GaussianMixtureSettings::Path;
    auto& prior = settings.prior;
    k("components", settings.components, within(1, 64), "components of the mixture");
    k("path", settings.path,
      {{"data", Path::data, "points are added one by one"}, {"likelihood", Path::likelihood, "all at once, tempered"}},
      "how the likelihood grows");
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
    });
}

void RadiataPineKeys::keys(Keys& k) {
    k("data", data, "strength, density and adjusted density of timber");
    k("covariate", covariate, {{"density", Covariate::density}, {"resin", Covariate::resin}},
      "density, or density adjusted for resin");
}

void LogisticRegressionKeys::keys(Keys& k) {
    k("data", data, about("a table: the response, 0 or 1, then covariates").must_be_given());
    k("prior_variance", prior_variance, above(0), "prior variance of every coefficient");
}

} // namespace pearlite::models
