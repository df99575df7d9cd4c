#include "models/common/table.hpp"

#include "io/arrays/fields.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::models {

namespace {

bool is_one_of(const std::string& name, std::span<const std::string> names) {
    return std::ranges::find(names, name) != names.end();
}

} // namespace

void MissingKeys::keys(Keys& k, const char* dropping, bool leaves_rows_out) {
    k("missing", rule, {{"refuse", Rule::refuse}, {"drop", Rule::drop, dropping}}, "treatment of missing values");
    k.when("missing", rule, Rule::drop, [&] {
        k("missing_values", texts, {}, "texts that stand for a missing value");
        if (leaves_rows_out)
            k("complete", further, {},
              "further columns: rows that lack one of their values are left out, too, as in models that use them");
    });
}

TableRows MissingKeys::apply(io::Frame& frame, std::vector<std::string> columns) const {
    if (rule == Rule::refuse)
        return frame.table_rows();
    for (const auto& name : further)
        if (!is_one_of(name, columns))
            columns.push_back(name);
    frame.drop_rows_with(texts, columns);
    auto rows = frame.table_rows();
    rows.complete = std::move(columns);
    rows.missing_values = texts;
    return rows;
}

std::vector<std::string> TermKeys::possible(const std::vector<std::string>& names,
                                            std::span<const std::string> factors) {
    auto all = names;
    for (std::size_t a = 0; a < names.size(); ++a)
        for (std::size_t b = is_one_of(names[a], factors) ? a + 1 : a; b < names.size(); ++b)
            all.push_back(names[a] + ":" + names[b]);
    return all;
}

void TermKeys::list_factors(Keys& k, const std::vector<std::string>& names) {
    k("factors", factors, names, "covariates that are levels, by word or code; the first is the reference");
}

void TermKeys::list_terms(Keys& k, const std::vector<std::string>& names, const std::vector<std::string>& defaults) {
    terms = defaults;
    k("terms", terms, possible(names, factors),
      about("covariates in the sum, products a:b of two, and squares a:a").default_is("all covariates"));
}

std::optional<std::string> TermKeys::choose(Keys& k, const Role& role, const TableColumns& columns,
                                            std::span<const std::string> taken) const {
    auto used = this->columns();
    used.insert(used.end(), factors.begin(), factors.end());
    const auto candidates = without(without(columns.defaults, taken), used);
    auto found = role.default_of(columns, candidates);
    if (!found)
        k.error(role.key, role.objection(columns, candidates));
    return found;
}

std::vector<std::string> TermKeys::columns() const {
    std::vector<std::string> used;
    for (const auto& term : terms)
        for (auto& name : parts_of_term(term))
            if (!is_one_of(name, used))
                used.push_back(std::move(name));
    return used;
}

LabelledDimension Observed::dimension(Index n) const {
    return {"row", n, {}, rows ? rows->used : std::vector<Index>()};
}

std::vector<std::string> without(const std::vector<std::string>& names, std::span<const std::string> those) {
    auto others = names;
    std::erase_if(others, [&](const auto& name) { return is_one_of(name, those); });
    return others;
}

std::vector<Covariate> covariates_of(const io::Frame& frame, std::span<const std::string> names,
                                     const std::vector<std::string>& factors) {
    constexpr std::size_t most_levels = 1000; // every level is a coefficient
    std::vector<Covariate> covariates;
    for (const auto& name : names) {
        if (!is_one_of(name, factors)) {
            const auto place = frame.column(name);
            for (Index row = 0; row < frame.rows(); ++row)
                if (!io::finite_number(frame.text(row, place)))
                    frame.refuse(row, place,
                                 "a finite number (model.factors names columns of levels, model.missing = \"drop\" "
                                 "leaves out rows that lack a value)");
            covariates.push_back({name, frame.numbers(name), {}});
            continue;
        }
        auto levels = frame.levels(name);
        if (levels.size() < 2 || levels.size() > most_levels)
            throw InputError(fmt::format("{}: column '{}': {} different level(s), expected 2 to {}", frame.source(),
                                         name, levels.size(), most_levels));
        const auto codes = frame.codes(name, levels);
        Vector values(std::ssize(codes));
        std::ranges::transform(codes, values.begin(), [](Index code) { return static_cast<double>(code); });
        covariates.push_back({name, std::move(values), std::move(levels)});
    }
    return covariates;
}

std::vector<Scaling> standardise(std::vector<Covariate>& covariates, const std::string& source) {
    std::vector<Scaling> scalings;
    for (auto& covariate : covariates) {
        if (!covariate.levels.empty())
            continue;
        auto& x = covariate.values;
        const double mean = x.mean();
        const double sd = std::sqrt((x.array() - mean).square().sum() / static_cast<double>(x.size() - 1));
        if (!(sd > 0))
            throw InputError(fmt::format("{}: column '{}' has one value only, which cannot be standardised", source,
                                         covariate.name));
        x = (x.array() - mean) / sd;
        scalings.push_back({covariate.name, mean, sd});
    }
    return scalings;
}

} // namespace pearlite::models
