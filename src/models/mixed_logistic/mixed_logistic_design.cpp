#include "models/mixed_logistic/mixed_logistic_design.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace pearlite::models {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw InputError("mixed logistic regression: " + what);
}

/// Columns that a term contributes, with their names.
struct Columns {
    std::vector<Vector> values;
    std::vector<std::string> names;
};

const Covariate& find(const std::vector<Covariate>& covariates, const std::string& name) {
    const auto found =
        std::find_if(covariates.begin(), covariates.end(), [&](const Covariate& c) { return c.name == name; });
    if (found != covariates.end())
        return *found;
    std::string all;
    for (const auto& covariate : covariates)
        all += (all.empty() ? "" : ", ") + covariate.name;
    refuse("no covariate \"" + name + "\", expected one of " + all);
}

std::vector<std::string> factors_of(const std::string& term) {
    std::vector<std::string> names;
    std::size_t begin = 0;
    for (std::size_t colon = term.find(':'); colon != std::string::npos; colon = term.find(':', begin)) {
        names.push_back(term.substr(begin, colon - begin));
        begin = colon + 1;
    }
    names.push_back(term.substr(begin));
    return names;
}

bool missing(const Covariate& covariate, Index row) {
    const double value = covariate.values(row);
    if (covariate.levels.empty())
        return !std::isfinite(value);
    if (!(value >= 0))
        return true;
    if (value != std::floor(value) || value >= static_cast<double>(covariate.levels.size()))
        refuse("row " + std::to_string(row + 1) + " of \"" + covariate.name + "\" is " + std::to_string(value) +
               ", expected a code from 0 to " + std::to_string(covariate.levels.size() - 1));
    return false;
}

Columns columns_of(const Covariate& covariate, const std::vector<Index>& rows) {
    const auto n = static_cast<Index>(rows.size());
    const auto column = [&](auto value) {
        return Vector(Vector::NullaryExpr(
            n, [&](Index i) { return value(covariate.values(rows[static_cast<std::size_t>(i)])); }));
    };
    Columns columns;
    if (covariate.levels.empty()) {
        columns.values.push_back(column([](double x) { return x; }));
        columns.names.push_back(covariate.name);
    }
    for (std::size_t level = 1; level < covariate.levels.size(); ++level) {
        columns.values.push_back(
            column([level](double code) { return code == static_cast<double>(level) ? 1.0 : 0.0; }));
        columns.names.push_back(covariate.name + "[" + covariate.levels[level] + "]");
    }
    return columns;
}

Columns term_columns(const RepeatedResponses& data, const std::string& term, const std::vector<Index>& rows) {
    Columns product{{Vector::Ones(static_cast<Index>(rows.size()))}, {"intercept"}};
    if (term == "intercept")
        return product;
    bool first = true;
    for (const auto& name : factors_of(term)) {
        const Columns factor = columns_of(find(data.covariates, name), rows);
        Columns next;
        // As R orders them: the levels of the first factor change fastest.
        for (std::size_t b = 0; b < factor.values.size(); ++b)
            for (std::size_t a = 0; a < product.values.size(); ++a) {
                next.values.emplace_back(product.values[a].cwiseProduct(factor.values[b]));
                next.names.push_back(first ? factor.names[b] : product.names[a] + ":" + factor.names[b]);
            }
        product = std::move(next);
        first = false;
    }
    return product;
}

/// Rows in which nothing in use is missing.
std::vector<Index> complete_rows(const RepeatedResponses& data, const std::vector<std::string>& terms) {
    std::vector<const Covariate*> used;
    for (const auto& term : terms)
        if (term != "intercept")
            for (const auto& name : factors_of(term))
                used.push_back(&find(data.covariates, name));
    const Index n = data.response.size();
    for (const Covariate* covariate : used)
        if (covariate->values.size() != n)
            refuse("\"" + covariate->name + "\" has " + std::to_string(covariate->values.size()) +
                   " rows, the response has " + std::to_string(n));
    std::vector<Index> rows;
    for (Index row = 0; row < n; ++row)
        if (std::isfinite(data.response(row)) &&
            std::none_of(used.begin(), used.end(), [&](const Covariate* c) { return missing(*c, row); }))
            rows.push_back(row);
    return rows;
}

void append(const Columns& columns, Matrix& design, std::vector<std::string>& names) {
    for (std::size_t k = 0; k < columns.values.size(); ++k) {
        design.conservativeResize(columns.values[k].size(), design.cols() + 1);
        design.rightCols(1) = columns.values[k];
        names.push_back(columns.names[k]);
    }
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
    append(term_columns(data, "intercept", rows), settings.design, settings.names);
    for (const auto& term : terms)
        append(term_columns(data, term, rows), settings.design, settings.names);
    for (const auto& effect : effects) {
        const Columns columns = term_columns(data, effect, rows);
        if (columns.values.size() != 1)
            refuse("a random effect of \"" + effect + "\", which is not one column");
        append(columns, settings.effects_design, settings.effect_names);
    }
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
