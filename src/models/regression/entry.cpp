#include "models/common/built.hpp"
#include "models/common/reading.hpp"
#include "models/registry.hpp"
#include "models/regression/regression.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

namespace pearlite::models {

namespace {

struct RadiataPineKeys {
    enum class Covariate { density, resin };

    DataFile data{"bayes/radiata_pine.csv"};
    Covariate covariate = Covariate::density;

    void keys(Keys& k) {
        k("data", data, "strength, density and adjusted density of timber");
        k("covariate", covariate, {{"density", Covariate::density}, {"resin", Covariate::resin}},
          "density, or density adjusted for resin");
    }
};

struct LogisticRegressionKeys {
    DataFile data;
    double prior_variance = 100;

    void keys(Keys& k) {
        k("data", data, about("a table: the response, 0 or 1, then covariates").must_be_given());
        k("prior_variance", prior_variance, above(0), "prior variance of every coefficient");
    }
};

std::unique_ptr<BuiltModel> build_radiata_pine(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<RadiataPineKeys>(configuration);
    const char* covariate = keys.covariate == RadiataPineKeys::Covariate::density ? "x" : "z";
    const auto data = read_data(section, "data", keys.data, [&](const auto& path) {
        const auto table = io::read_csv(path);
        if (table.values.rows() < 2)
            throw InputError(table.source + ": 1 row, expected at least two for a line");
        return radiata_pine(table.values.col(table.column("y")), table.values.col(table.column(covariate)));
    });
    return configuration.has_errors() || !data ? nullptr : built_density(LinearRegression(*data));
}

/// The first column is the response, the others covariates; an intercept comes first.
LogisticRegressionData logistic_data(const io::Table& table, double prior_variance) {
    LogisticRegressionData data;
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

std::unique_ptr<BuiltModel> build_logistic_regression(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<LogisticRegressionKeys>(configuration);
    const auto data = read_data(section, "data", keys.data, [&](const auto& path) {
        const bool has_header = path.extension() == ".csv";
        return logistic_data(has_header ? io::read_csv(path) : io::read_columns(path), keys.prior_variance);
    });
    return configuration.has_errors() || !data ? nullptr : built_density(LogisticRegression(*data));
}

} // namespace

ModelEntry radiata_pine_entry() {
    return {{"radiata-pine", 16, 4096, true, 1, true},
            "conjugate linear regression of timber strength; exact evidence",
            build_radiata_pine,
            list_keys<RadiataPineKeys>};
}

ModelEntry logistic_regression_entry() {
    return {{"logistic-regression", 16, 4096, true, 1, true},
            "Bayesian logistic regression of a table",
            build_logistic_regression,
            list_keys<LogisticRegressionKeys>};
}

} // namespace pearlite::models
