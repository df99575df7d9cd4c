#include "models/common/design.hpp"

#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace pearlite::models {

namespace {

/// Columns that a term contributes, with their names.
struct Columns {
    std::vector<Vector> values;
    std::vector<std::string> names;
};

Columns columns_of(const Covariate& covariate, const std::vector<Index>& rows) {
    const auto column = [&](auto value) {
        return Vector(Vector::NullaryExpr(
            std::ssize(rows), [&](Index i) { return value(covariate.values(rows[static_cast<std::size_t>(i)])); }));
    };
    Columns columns;
    if (covariate.levels.empty()) {
        columns.values.push_back(column([](double x) { return x; }));
        columns.names.push_back(covariate.name);
    }
    for (std::size_t level = 1; level < covariate.levels.size(); ++level) {
        columns.values.push_back(
            column([level](double code) { return code == static_cast<double>(level) ? 1.0 : 0.0; }));
        columns.names.push_back(fmt::format("{}[{}]", covariate.name, covariate.levels[level]));
    }
    return columns;
}

Columns columns_of_term(const std::vector<Covariate>& covariates, const std::string& term,
                        const std::vector<Index>& rows) {
    Columns product{{Vector::Ones(std::ssize(rows))}, {intercept_term}};
    if (term == intercept_term)
        return product;
    bool first = true;
    for (const auto& name : parts_of_term(term)) {
        const Columns factor = columns_of(find_covariate(covariates, name), rows);
        Columns next;
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

} // namespace

const Covariate& find_covariate(const std::vector<Covariate>& covariates, const std::string& name) {
    const auto found = std::ranges::find(covariates, name, &Covariate::name);
    if (found != covariates.end())
        return *found;
    std::string all;
    for (const auto& covariate : covariates)
        all += (all.empty() ? "" : ", ") + covariate.name;
    throw InputError(fmt::format("no covariate \"{}\", expected one of {}", name, all));
}

std::vector<std::string> parts_of_term(const std::string& term) {
    std::vector<std::string> names;
    std::size_t begin = 0;
    for (std::size_t colon = term.find(':'); colon != std::string::npos; colon = term.find(':', begin)) {
        names.push_back(term.substr(begin, colon - begin));
        begin = colon + 1;
    }
    names.push_back(term.substr(begin));
    return names;
}

bool is_missing(const Covariate& covariate, Index row) {
    const double value = covariate.values(row);
    if (covariate.levels.empty())
        return !std::isfinite(value);
    if (!(value >= 0))
        return true;
    if (value != std::floor(value) || value >= static_cast<double>(covariate.levels.size()))
        throw InputError(fmt::format("row {} of \"{}\" is {}, expected a code from 0 to {}", row + 1, covariate.name,
                                     value, covariate.levels.size() - 1));
    return false;
}

DesignColumns design_of_terms(const std::vector<Covariate>& covariates, const std::vector<std::string>& terms,
                              const std::vector<Index>& rows) {
    std::vector<Vector> columns;
    DesignColumns design;
    for (const auto& term : terms) {
        auto more = columns_of_term(covariates, term, rows);
        std::ranges::move(more.values, std::back_inserter(columns));
        std::ranges::move(more.names, std::back_inserter(design.names));
    }
    design.values.resize(std::ssize(rows), std::ssize(columns));
    for (std::size_t k = 0; k < columns.size(); ++k)
        design.values.col(static_cast<Index>(k)) = columns[k];
    return design;
}

} // namespace pearlite::models
