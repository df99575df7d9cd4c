#include "models/common/estimated_likelihood.hpp"
#include "models/common/reading.hpp"
#include "models/mixed_logistic/mixed_logistic_design.hpp"
#include "models/registry.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

namespace pearlite::models {

namespace {

/// Which data the model has; the columns of a user's table and the rest of the keys follow.
struct DataKeys {
    enum class Study { table, simulated, toenail, ohio_wheeze, polypharmacy };

    Study study = Study::toenail;
    DataFile data;
    MissingKeys missing; ///< of a table
    SimulatedSubjects simulated;
    DataSeed seed;

    void keys(Keys& k) {
        k("study", study,
          {{"table", Study::table, "a table of your own"},
           {"simulated", Study::simulated, "drawn from the model with a random intercept"},
           {"toenail", Study::toenail},
           {"ohio-wheeze", Study::ohio_wheeze},
           {"polypharmacy", Study::polypharmacy}},
          "the data and their design");
        data.name = study == Study::toenail        ? "bayes/toenail.csv"
                    : study == Study::ohio_wheeze  ? "bayes/ohio_wheeze.csv"
                    : study == Study::polypharmacy ? "bayes/polypharm.csv"
                                                   : "";
        k.when("study", study, {Study::table, Study::toenail, Study::ohio_wheeze, Study::polypharmacy}, [&] {
            k("data", data, about("a table with a header line").default_is("the study's file; none of study table"));
        });
        k.when("study", study, Study::table, [&] { missing.keys(k); });
        k.when("study", study, Study::simulated, [&] { list_simulation(k); });
    }

    void list_simulation(Keys& k) {
        k("subjects", simulated.subjects, within(1, 1'000'000), "simulated subjects");
        k("responses_each", simulated.responses_each, within(1, 10'000), "responses of each of them");
        k("true_coefficients", simulated.coefficients,
          "coefficients of the simulation: of the intercept, and of covariates that are uniform on (0, 1)");
        if (simulated.coefficients.empty()) {
            k.error("true_coefficients", "expected at least one number");
            simulated.coefficients = {0};
        }
        k("true_deviation", simulated.deviation, at_least(0), "standard deviation of the simulated random intercept");
        seed.keys(k, "the simulated responses");
    }
};

/// The design from a user's table.
struct TableKeys {
    std::string subject, response;
    TermKeys terms;
    std::vector<std::string> effects{intercept_term};

    /// `columns`: those of the table, none in a description.
    void keys(Keys& k, const TableColumns& columns) {
        const bool has_subject = !k.is_reading() || k.has("subject"),
                   has_response = !k.is_reading() || k.has("response");
        std::vector<std::string> taken;
        if (has_subject)
            list(k, subject_role(), subject, columns, taken);
        if (has_response)
            list(k, response_role(), response, columns, taken);
        terms.list_factors(k, without(columns.names, taken));
        const bool has_terms = !(has_subject && has_response) && k.has("terms");
        if (has_terms) // which the columns to be chosen are not among
            terms.list_terms(k, without(columns.names, taken), {});
        if (!has_subject)
            choose(k, subject_role(), subject, columns, taken);
        if (!has_response)
            choose(k, response_role(), response, columns, taken);
        const auto names = without(columns.names, taken);
        if (!has_terms)
            terms.list_terms(k, names, without(columns.defaults, taken));
        auto possible = TermKeys::possible(names, terms.factors);
        possible.insert(possible.begin(), intercept_term);
        // In a description the columns are not known, and any name may stand here.
        k("effects", effects, columns.names.empty() ? std::vector<std::string>{} : possible,
          "terms whose effects are random");
    }

    static const Role& subject_role() {
        static const Role role{"subject", {"subject", "id", "patient", "person", "participant", "individual"}};
        return role;
    }

  private:
    static void list(Keys& k, const Role& role, std::string& name, const TableColumns& columns,
                     std::vector<std::string>& taken) {
        const char* meaning =
            &role == &subject_role() ? "the column that identifies subjects" : "the column of responses, 0 or 1";
        k(role.key, name, columns.names, about(meaning).default_is(role.description()));
        taken.push_back(name);
    }
    void choose(Keys& k, const Role& role, std::string& name, const TableColumns& columns,
                std::vector<std::string>& taken) const {
        if (const auto found = terms.choose(k, role, columns, taken)) {
            name = *found;
            list(k, role, name, columns, taken);
        }
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

/// A user's table.
MixedLogisticDesign design_of_table(io::Configuration& configuration, const DataKeys& source) {
    auto frame = io::Frame::read(source.data.path);
    const auto columns = columns_of(frame);
    for (const auto& remark : columns.remarks)
        configuration.remark("model.data", remark);
    const auto section = configuration.section("model");
    const bool has_subject = section.has("subject"), has_response = section.has("response");
    const auto keys = read_model<TableKeys>(configuration, columns);
    for (const auto& [is_named, key, name] :
         {std::tuple(has_subject, "subject", keys.subject), std::tuple(has_response, "response", keys.response)}) {
        if (name.empty())
            return {}; // a mistake of that key
        if (!is_named)
            configuration.remark(fmt::format("model.{}", key), words_on_default(name, columns.source));
    }
    auto used = keys.terms.columns();
    for (const auto& effect : keys.effects)
        for (auto& name : parts_of_term(effect))
            if (name != intercept_term && std::ranges::find(used, name) == used.end())
                used.push_back(std::move(name));
    auto needed = used;
    needed.insert(needed.end(), {keys.subject, keys.response});
    auto rows = source.missing.apply(frame, std::move(needed));
    const auto subjects = frame.codes(keys.subject, frame.levels(keys.subject));
    RepeatedResponses data;
    data.subject.resize(frame.rows());
    std::ranges::transform(subjects, data.subject.begin(), [](Index code) { return static_cast<double>(code); });
    data.response = frame.zeros_and_ones(keys.response);
    data.covariates = covariates_of(frame, used, keys.terms.factors);
    auto design = mixed_logistic_design(data, keys.terms.terms, keys.effects);
    design.settings.observed = {keys.response, std::move(rows)};
    return design;
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

MixedLogisticDesign simulated_design(io::Configuration& configuration, const DataKeys& source) {
    auto stream = source.seed.stream(configuration);
    const auto data = simulate_responses(source.simulated, stream);
    std::vector<std::string> terms;
    for (const auto& covariate : data.covariates)
        terms.push_back(covariate.name);
    return mixed_logistic_design(data, terms);
}

MixedLogisticDesign design_of(io::Configuration& configuration, const DataKeys& source) {
    using Study = DataKeys::Study;
    if (source.study == Study::table)
        return design_of_table(configuration, source);
    const auto table = io::read_csv(source.data.path);
    const auto column = [&](const char* name) -> Vector { return table.values.col(table.column(name)); };
    switch (source.study) {
    case Study::toenail:
        return toenail(column("patient"), column("outcome"), column("terbinafine"), column("month"));
    case Study::ohio_wheeze:
        return ohio_wheeze(column("id"), column("resp"), column("age"), column("smoke"));
    case Study::polypharmacy:
        return design_of_polypharmacy(table);
    case Study::table:
    case Study::simulated:
        break;
    }
    throw ContractViolation("a study without a design");
}

std::unique_ptr<BuiltModel> build_mixed_logistic(io::Configuration& configuration, io::Section& section) {
    const auto source = read_model<DataKeys>(configuration);
    std::optional<MixedLogisticDesign> design;
    if (source.study == DataKeys::Study::simulated)
        design = simulated_design(configuration, source);
    else
        design = read_data(section, "data", source.data, [&](const auto&) { return design_of(configuration, source); });
    MixedLogisticKeys keys;
    if (design)
        keys.settings = design->settings;
    else if (source.study == DataKeys::Study::table) // whose columns could be any
        section.set_aside({"subject", "response", "factors", "terms", "effects"});
    io::read_keys(configuration, "model", keys);
    if (!design || configuration.has_errors())
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
