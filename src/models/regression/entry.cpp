#include "models/common/orders.hpp"
#include "models/common/reading.hpp"
#include "models/registry.hpp"
#include "models/regression/linear_regression.hpp"
#include "models/regression/logistic_regression.hpp"
#include "models/regression/poisson_regression.hpp"
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

/// A user's table.
struct TableKeys {
    DataFile data;
    MissingKeys missing;

    void keys(Keys& k) {
        k("data", data,
          about("a table: .csv with a header line, or .dat or .txt with columns between blanks").must_be_given());
        missing.keys(k);
    }
};

/// The terms of a regression on the columns of the table.
struct RegressionKeys {
    std::string response;
    std::optional<std::string> exposure; ///< of Poisson regressions
    TermKeys terms;
    bool standardise = false;
    bool has_intercept = true;

    /// `columns`: those of the table, none in a description.
    void keys(Keys& k, const TableColumns& columns, bool has_exposure) {
        const bool is_named = !k.is_reading() || k.has("response");
        std::vector<std::string> taken;
        if (is_named)
            list_response(k, columns, taken);
        if (has_exposure) {
            k("exposure", exposure, about("the column of exposures, whose rate is modelled").may_be_left_out());
            if (exposure)
                taken.push_back(*exposure);
        }
        terms.list_factors(k, without(columns.names, taken));
        const bool has_terms = !is_named && k.has("terms"); // which the response is not among
        if (has_terms)
            terms.list_terms(k, without(columns.names, taken), {});
        if (!is_named) {
            if (const auto found = terms.choose(k, response_role(), columns, taken)) {
                response = *found;
                list_response(k, columns, taken);
            }
        }
        if (!has_terms)
            terms.list_terms(k, without(columns.names, taken), without(columns.defaults, taken));
        k("standardise", standardise,
          "whether covariates get mean 0 and standard deviation 1, but factors and before products");
        k("intercept", has_intercept, "whether a constant is the first coefficient");
    }

  private:
    void list_response(Keys& k, const TableColumns& columns, std::vector<std::string>& taken) {
        const auto& role = response_role();
        k(role.key, response, columns.names, about("the column of responses").default_is(role.description()));
        taken.push_back(response);
    }
};

/// Defaults follow the response: in another unit of it, the evidences of all models change by one constant. With a
/// quarter of the response's variance as rate, 95 % of the prior of the errors' variance lie between 0.045 and 1.03
/// times that variance. Configurations with a precision_rate keep the prior of 0.1.0.
struct LinearRegressionKeys {
    static constexpr double share_of_variance = 0.25;

    double prior_variance = 100, precision_shape = 2;
    std::optional<double> precision_rate, intercept_mean;

    void keys(Keys& k) {
        k("prior_variance", prior_variance, above(0),
          "prior variance of every coefficient, in units of the variance of the errors");
        k("precision_shape", precision_shape, above(0), "shape of the gamma prior of the errors' precision");
        k("precision_rate", precision_rate, above(0),
          about("rate of that prior, in units of the squared response")
              .default_is("a quarter of the response's variance"));
        k("intercept_mean", intercept_mean,
          about("prior mean of the intercept")
              .default_is("the mean of the response, or 0 where precision_rate is given"));
    }
};

struct CoefficientKeys {
    double prior_variance = 100;

    void keys(Keys& k) { k("prior_variance", prior_variance, above(0), "prior variance of every coefficient"); }
};

/// Coefficients act on the log of a rate, where a standard deviation of 2.5 is wide (that of rstanarm).
struct PoissonKeys : CoefficientKeys {
    std::optional<double> intercept_mean;

    PoissonKeys() { prior_variance = 6.25; }
    void keys(Keys& k) {
        CoefficientKeys::keys(k);
        k("intercept_mean", intercept_mean,
          about("prior mean of the intercept").default_is("0, or the log of the mean rate where there is an exposure"));
    }
};

/// The columns of a table as the data of a regression.
struct RegressionTable {
    DesignColumns design;
    std::vector<Scaling> scalings;
    io::Frame frame;
    RegressionKeys keys;

    TableRows rows;

    Observed observed() const { return {keys.response, rows}; }
};

RegressionTable read_regression(io::Frame frame, RegressionKeys keys, const MissingKeys& missing) {
    const auto used = keys.terms.columns();
    auto needed = used;
    needed.push_back(keys.response);
    if (keys.exposure)
        needed.push_back(*keys.exposure);
    auto rows = missing.apply(frame, std::move(needed));
    RegressionTable read{{}, {}, std::move(frame), std::move(keys), std::move(rows)};
    auto covariates = covariates_of(read.frame, used, read.keys.terms.factors);
    if (read.keys.standardise)
        read.scalings = standardise(covariates, read.frame.source());
    auto terms = read.keys.terms.terms;
    if (read.keys.has_intercept)
        terms.insert(terms.begin(), intercept_term);
    if (terms.empty())
        throw InputError(fmt::format("{}: no covariate and no intercept, expected at least one", read.frame.source()));
    read.design = design_of_terms(covariates, terms, given_order(read.frame.rows()));
    return read;
}

/// Reads the keys of a regression and its table.
template <class ModelKeys>
std::optional<RegressionTable> read_table(io::Configuration& configuration, io::Section& section, ModelKeys& keys,
                                          bool has_exposure = false) {
    const auto table = read_model<TableKeys>(configuration);
    auto frame = read_data(section, "data", table.data, io::Frame::read);
    RegressionKeys of_table;
    if (frame) {
        const auto columns = columns_of(*frame);
        for (const auto& remark : columns.remarks)
            configuration.remark("model.data", remark);
        const bool is_named = section.has(response_role().key);
        io::read_keys(configuration, "model", of_table, columns, has_exposure);
        if (!is_named && !of_table.response.empty())
            configuration.remark("model.response", words_on_default(of_table.response, columns.source));
    } else // without a table its columns could be any
        section.set_aside({"response", "exposure", "factors", "terms", "standardise", "intercept"});
    io::read_keys(configuration, "model", keys);
    if (configuration.has_errors() || !frame)
        return {};
    return read_data(section, "data", table.data, [&](const auto&) {
        return read_regression(*std::move(frame), std::move(of_table), table.missing);
    });
}

template <class ModelKeys, bool has_exposure = false>
void list_regression(Keys& k) {
    TableKeys().keys(k);
    RegressionKeys().keys(k, {}, has_exposure);
    ModelKeys().keys(k);
}

/// A column of the table; its mistakes are those of the key `data`.
template <class Read>
std::optional<Vector> column_of(io::Section& section, const Read& read) {
    try {
        return read();
    } catch (const InputError& error) {
        section.error("data", error.what());
        return {};
    }
}

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

/// The normal prior of the coefficients, in words.
std::string words_on_coefficients(double intercept_mean, const std::string& variance) {
    const auto mean = intercept_mean == 0 ? "0" : fmt::format("0, intercept's {:.6g}", intercept_mean);
    return fmt::format("coefficients ~ N({}; variance {})", mean, variance);
}

std::unique_ptr<BuiltModel> build_linear_regression(io::Configuration& configuration, io::Section& section) {
    LinearRegressionKeys keys;
    auto table = read_table(configuration, section, keys);
    const auto response =
        column_of(section, [&] { return table ? table->frame.numbers(table->keys.response) : Vector(); });
    if (configuration.has_errors() || !table || !response)
        return nullptr;
    const Index p = table->design.values.cols();
    const double mean = response->mean(), variance = (response->array() - mean).square().mean();
    if (!keys.precision_rate && !(variance > 0)) {
        section.error("precision_rate",
                      fmt::format("must be given, since all values of column '{}' are equal; expected "
                                  "a number above 0",
                                  table->keys.response));
        return nullptr;
    }
    const double rate = keys.precision_rate.value_or(keys.share_of_variance * variance);
    Vector prior_mean = Vector::Zero(p);
    if (table->keys.has_intercept)
        prior_mean(0) = keys.intercept_mean.value_or(keys.precision_rate ? 0 : mean);
    auto priors = std::vector{words_on_coefficients(prior_mean(0), fmt::format("{:g}/tau", keys.prior_variance)),
                              fmt::format("tau ~ Gamma({:g}, rate {:.6g})", keys.precision_shape, rate)};
    return built_density(
        LinearRegression({std::move(table->design.values), *response, std::move(table->design.names),
                          std::move(prior_mean), Vector::Constant(p, 1 / keys.prior_variance), keys.precision_shape,
                          rate, std::move(table->scalings), table->observed(), std::move(priors)}));
}

std::unique_ptr<BuiltModel> build_logistic_regression(io::Configuration& configuration, io::Section& section) {
    CoefficientKeys keys;
    auto table = read_table(configuration, section, keys);
    const auto response =
        column_of(section, [&] { return table ? table->frame.zeros_and_ones(table->keys.response) : Vector(); });
    if (configuration.has_errors() || !table || !response)
        return nullptr;
    return built_density(
        LogisticRegression({std::move(table->design.values), *response, std::move(table->design.names),
                            keys.prior_variance, 0, std::move(table->scalings), table->observed(),
                            std::vector{words_on_coefficients(0, fmt::format("{:g}", keys.prior_variance))}}));
}

Vector exposures_of(const RegressionTable& table) {
    if (!table.keys.exposure)
        return Vector::Ones(table.frame.rows());
    auto exposures = table.frame.numbers(*table.keys.exposure);
    for (Index row = 0; row < exposures.size(); ++row)
        if (!(exposures(row) > 0))
            table.frame.refuse(row, table.frame.column(*table.keys.exposure), "a number above 0");
    return exposures;
}

std::unique_ptr<BuiltModel> build_poisson_regression(io::Configuration& configuration, io::Section& section) {
    PoissonKeys keys;
    auto table = read_table(configuration, section, keys, true);
    const auto response =
        column_of(section, [&] { return table ? table->frame.counts(table->keys.response) : Vector(); });
    const auto exposure = column_of(section, [&] { return table ? exposures_of(*table) : Vector(); });
    if (configuration.has_errors() || !table || !response || !exposure)
        return nullptr;
    double intercept_mean = 0;
    if (table->keys.has_intercept)
        intercept_mean = keys.intercept_mean.value_or(
            table->keys.exposure && response->sum() > 0 ? std::log(response->sum() / exposure->sum()) : 0);
    return built_density(PoissonRegression(
        {{std::move(table->design.values), *response, std::move(table->design.names), keys.prior_variance,
          intercept_mean, std::move(table->scalings), table->observed(),
          std::vector{words_on_coefficients(intercept_mean, fmt::format("{:g}", keys.prior_variance))}},
         *exposure}));
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
            list_regression<CoefficientKeys>};
}

ModelEntry linear_regression_entry() {
    return {{"linear-regression", 16, 4096, true, 1, true},
            "Bayesian linear regression of a table; exact evidence",
            build_linear_regression,
            list_regression<LinearRegressionKeys>};
}

ModelEntry poisson_regression_entry() {
    return {{"poisson-regression", 16, 4096, true, 1, true},
            "Bayesian regression of counts of a table",
            build_poisson_regression,
            list_regression<PoissonKeys, true>};
}

} // namespace pearlite::models
