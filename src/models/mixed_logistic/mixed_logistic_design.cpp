#include "models/mixed_logistic/mixed_logistic_design.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <cmath>

namespace pearlite::models {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw InputError("mixed logistic regression: " + what);
}

/// Rows in which nothing in use is missing.
std::vector<Index> complete_rows(const RepeatedResponses& data, const std::vector<std::string>& terms) {
    std::vector<const Covariate*> used;
    for (const auto& term : terms)
        if (term != "intercept")
            for (const auto& name : parts_of_term(term))
                used.push_back(&find_covariate(data.covariates, name));
    const Index n = data.response.size();
    for (const Covariate* covariate : used)
        if (covariate->values.size() != n)
            refuse("\"" + covariate->name + "\" has " + std::to_string(covariate->values.size()) +
                   " rows, the response has " + std::to_string(n));
    std::vector<Index> rows;
    for (Index row = 0; row < n; ++row)
        if (std::isfinite(data.response(row)) &&
            std::none_of(used.begin(), used.end(), [&](const Covariate* c) { return is_missing(*c, row); }))
            rows.push_back(row);
    return rows;
}

} // namespace

MixedLogisticDesign mixed_logistic_design(const RepeatedResponses& data, const std::vector<std::string>& terms,
                                          const std::vector<std::string>& effects) {
    if (data.subject.size() != data.response.size())
        refuse("subjects and responses of different lengths");
    auto all = terms;
    all.insert(all.end(), effects.begin(), effects.end());
    const auto rows = complete_rows(data, all);

    MixedLogisticDesign design;
    design.n_left_out = data.response.size() - static_cast<Index>(rows.size());
    auto& settings = design.settings;
    auto fixed = terms;
    fixed.insert(fixed.begin(), intercept_term);
    auto columns = design_of_terms(data.covariates, fixed, rows);
    settings.design = std::move(columns.values);
    settings.names = std::move(columns.names);
    auto effect_columns = design_of_terms(data.covariates, effects, rows);
    if (effect_columns.names.size() != effects.size())
        for (const auto& effect : effects)
            if (design_of_terms(data.covariates, {effect}, rows).names.size() != 1)
                refuse("a random effect of \"" + effect + "\", which is not one column");
    settings.effects_design = std::move(effect_columns.values);
    settings.effect_names = std::move(effect_columns.names);
    settings.response.resize(static_cast<Index>(rows.size()));
    for (const Index row : rows) {
        const double subject = data.subject(row);
        if (subject != std::floor(subject) || std::fabs(subject) > 1e15)
            refuse("row " + std::to_string(row + 1) + " has the subject " + std::to_string(subject) +
                   ", expected a whole number");
        settings.response(static_cast<Index>(settings.subject.size())) = data.response(row);
        settings.subject.push_back(static_cast<Index>(subject));
    }
    check(settings);
    return design;
}

RepeatedResponses simulate_responses(const SimulatedSubjects& settings, random::Stream& stream) {
    PEARLITE_EXPECTS(settings.subjects >= 1 && settings.responses_each >= 1 && !settings.coefficients.empty());
    const Index rows = settings.subjects * settings.responses_each, slopes = std::ssize(settings.coefficients) - 1;
    RepeatedResponses data{Vector(rows), Vector(rows), {}};
    for (Index k = 1; k <= slopes; ++k)
        data.covariates.push_back({slopes == 1 ? "x" : "x" + std::to_string(k), Vector(rows)});
    double effect = 0;
    for (Index row = 0; row < rows; ++row) {
        if (row % settings.responses_each == 0)
            effect = settings.deviation * stream.normal();
        double predictor = settings.coefficients.front() + effect;
        for (Index k = 0; k < slopes; ++k) {
            const double x = stream.uniform();
            data.covariates[static_cast<std::size_t>(k)].values(row) = x;
            predictor += settings.coefficients[static_cast<std::size_t>(k) + 1] * x;
        }
        const Index subject = row / settings.responses_each;
        data.subject(row) = static_cast<double>(subject);
        data.response(row) = stream.bernoulli(1 / (1 + std::exp(-predictor))) ? 1 : 0;
    }
    return data;
}

MixedLogisticDesign toenail(const Vector& patient, const Vector& outcome, const Vector& terbinafine,
                            const Vector& month, const std::vector<std::string>& effects) {
    return mixed_logistic_design({patient, outcome, {{"terbinafine", terbinafine}, {"month", month}}},
                                 {"terbinafine", "month", "terbinafine:month"}, effects);
}

MixedLogisticDesign ohio_wheeze(const Vector& child, const Vector& wheeze, const Vector& age, const Vector& smoke,
                                bool interaction, const std::vector<std::string>& effects) {
    std::vector<std::string> terms{"age", "smoke"};
    if (interaction)
        terms.emplace_back("age:smoke");
    return mixed_logistic_design({child, wheeze, {{"age", age}, {"smoke", smoke}}}, terms, effects);
}

std::vector<std::string> polypharmacy_levels(const std::string& factor) {
    static const std::map<std::string, std::vector<std::string>> levels{
        {"mhv4", {"0", "1-5", "6-14", ">14"}}, {"inptmhv3", {"0", "1", ">1"}}, {"group", {"CFC", "ABD", "FOS"}},
        {"urban", {"Urban", "Rural"}},         {"comorbid", {"No", "Yes"}},    {"anyprim", {"No", "Yes"}},
        {"numprim", {"0", "1", ">1"}},         {"gender", {"Female", "Male"}}, {"race", {"White", "Black", "Other"}},
        {"ethnic", {"Non-Hisp", "Hispanic"}},
    };
    const auto found = levels.find(factor);
    if (found == levels.end())
        refuse("\"" + factor + "\" is no factor of the polypharmacy study");
    return found->second;
}

MixedLogisticDesign polypharmacy(const PolypharmacyColumns& c, const std::vector<std::string>& terms,
                                 const std::vector<std::string>& effects) {
    RepeatedResponses data{c.id, c.polypharmacy, {{"year", c.year}, {"age", c.age}}};
    const auto add = [&](const std::string& name, const Vector& codes) {
        data.covariates.push_back({name, codes, polypharmacy_levels(name)});
    };
    add("mhv4", c.mhv4);
    add("inptmhv3", c.inptmhv3);
    add("group", c.group);
    add("urban", c.urban);
    add("comorbid", c.comorbid);
    add("anyprim", c.anyprim);
    add("numprim", c.numprim);
    add("gender", c.gender);
    add("race", c.race);
    add("ethnic", c.ethnic);
    return mixed_logistic_design(data, terms, effects);
}

} // namespace pearlite::models
