#include "models/common/estimated_likelihood.hpp"
#include "models/common/reading.hpp"
#include "models/mixed_logistic/mixed_logistic.hpp"
#include "models/mixed_logistic/mixed_logistic_design.hpp"
#include "models/registry.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pearlite::models {

namespace {

/// Which data the model has; the columns of a user's table and the rest of the keys follow.
struct DataKeys {
    enum class Study { table, toenail, ohio_wheeze, polypharmacy };

    Study study = Study::toenail;
    DataFile data;

    void keys(Keys& k) {
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
};

/// The design from a user's table. `columns` are those of the table, none in a description.
struct TableKeys {
    std::string subject, response;
    std::vector<std::string> factors, terms, effects;

    /// The columns that are neither subject nor response.
    std::vector<std::string> covariates(const std::vector<std::string>& columns) const {
        std::vector<std::string> names;
        for (const auto& name : columns)
            if (name != subject && name != response)
                names.push_back(name);
        return names;
    }

    void keys(Keys& k, const std::vector<std::string>& columns) {
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
        k("terms", terms, possible,
          about("covariates in the sum, and products a:b of two").default_is("all covariates"));
        possible.insert(possible.begin(), "intercept");
        effects = {"intercept"};
        // In a description the columns are not known, and any name may stand here.
        k("effects", effects, columns.empty() ? std::vector<std::string>{} : possible,
          "terms whose effects are random");
    }
};

/// The keys that follow those of the data.
struct MixedLogisticKeys {
    MixedLogisticSettings settings;
    bool is_exact = false; ///< the likelihood

    void keys(Keys& k) {
        list_exactness(k, is_exact);
        k("samples", settings.samples, within(4, 1'000'000), "samples of each subject's effects");
        list_constant_variance(k, "most_samples", settings.constant_variance);
        k.in_table("prior", [&] { list_prior(k); });
    }

    void list_prior(Keys& k) {
        settings.coefficient_priors.resize(1, settings.coefficient_priors.front());
        settings.deviation_priors.resize(1, settings.deviation_priors.front());
        k("coefficients", settings.coefficient_priors.front(), "prior of every coefficient");
        k("deviations", settings.deviation_priors.front(), "prior of the effects' standard deviations");
        if (k.is_reading() && !k.has("correlation"))
            return;
        auto correlation = model::Prior::parse("uniform(-1, 1)");
        k("correlation", correlation, about("prior of the correlation of two effects").may_be_left_out());
        settings.correlation_prior = correlation;
    }
};

/// The names of the levels of a column of codes: all up to the greatest code.
std::vector<std::string> levels_of(const Covariate& covariate, const std::string& source) {
    constexpr double largest_code = 999; // every level is a coefficient
    const double greatest = covariate.values.maxCoeff();
    if (greatest > largest_code)
        throw InputError(fmt::format("{}: column '{}': code {:g} of a level, expected whole numbers from 0 to {:g}",
                                     source, covariate.name, greatest, largest_code));
    std::vector<std::string> levels;
    for (int level = 0; level <= greatest; ++level)
        levels.push_back(std::to_string(level));
    return levels;
}

/// A user's table: the columns named, all of them numbers but those in `factors`.
MixedLogisticDesign design_of_table(io::Configuration& configuration, const io::Table& table) {
    const auto keys = read_model<TableKeys>(configuration, table.names);
    RepeatedResponses data;
    data.subject = table.values.col(table.column(keys.subject));
    data.response = table.values.col(table.column(keys.response));
    for (Index row = 0; row < data.response.size(); ++row)
        if (data.response(row) != 0 && data.response(row) != 1)
            throw InputError(fmt::format("{}: row {} of column '{}': response {}, expected 0 or 1", table.source,
                                         row + 1, keys.response, data.response(row)));
    for (const auto& name : keys.covariates(table.names)) {
        Covariate covariate{name, table.values.col(table.column(name)), {}};
        if (std::find(keys.factors.begin(), keys.factors.end(), name) != keys.factors.end())
            covariate.levels = levels_of(covariate, table.source);
        data.covariates.push_back(std::move(covariate));
    }
    return mixed_logistic_design(data, keys.terms, keys.effects);
}

MixedLogisticDesign design_of_polypharmacy(const io::Table& table) {
    const auto column = [&](const char* name) -> Vector { return table.values.col(table.column(name)); };
    PolypharmacyColumns columns;
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
    return polypharmacy(columns);
}

MixedLogisticDesign design_of(io::Configuration& configuration, DataKeys::Study study, const io::Table& table) {
    using Study = DataKeys::Study;
    const auto column = [&](const char* name) -> Vector { return table.values.col(table.column(name)); };
    switch (study) {
    case Study::toenail:
        return toenail(column("patient"), column("outcome"), column("terbinafine"), column("month"));
    case Study::ohio_wheeze:
        return ohio_wheeze(column("id"), column("resp"), column("age"), column("smoke"));
    case Study::polypharmacy:
        return design_of_polypharmacy(table);
    case Study::table:
        break;
    }
    return design_of_table(configuration, table);
}

std::unique_ptr<BuiltModel> build_mixed_logistic(io::Configuration& configuration, io::Section& section) {
    const auto source = read_model<DataKeys>(configuration);
    const auto design = read_data(section, "data", source.data, [&](const auto& path) {
        return design_of(configuration, source.study, io::read_csv(path));
    });
    MixedLogisticKeys keys;
    if (design)
        keys.settings = design->settings;
    io::read_keys(configuration, "model", keys);
    if (!design)
        return nullptr;
    return built_either_way<MixedLogistic>(configuration, std::move(keys.settings), keys.is_exact);
}

/// In a description every study's columns could be any.
void list(Keys& k) {
    DataKeys source;
    source.keys(k);
    k.when("study", source.study, DataKeys::Study::table, [&] { TableKeys().keys(k, {}); });
    MixedLogisticKeys().keys(k);
}

} // namespace

ModelEntry mixed_logistic_entry() {
    return {{"mixed-logistic", 16, 4096, true, 1, true, {}, "samples"},
            "logistic regression with random effects; likelihood by importance sampling",
            build_mixed_logistic,
            list};
}

} // namespace pearlite::models
