#include "io/arrays/fields.hpp"
#include "models/common/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace pearlite::models {

namespace {

using io::lower_case;

bool is_among(std::string_view name, const auto& names) {
    return std::ranges::find(names, name) != names.end();
}

/// Names of columns that number the rows, in lower case: anywhere, or only where they are the first.
constexpr auto of_numbers = std::to_array<std::string_view>(
    {"index", "id", "row", "rownames", "row.names", "row_names", "...1", "rowid", "row_id"});
constexpr auto of_first_numbers = std::to_array<std::string_view>(
    {"no", "no.", "nr", "nr.", "n", "#", "obs", "case", "number", "record", "observation"});
/// Names that programs give to the names of rows.
constexpr auto of_row_names =
    std::to_array<std::string_view>({"rownames", "rowname", "row.names", "row_names", "...1", "index"});

/// Whether a column has the numbers 0, 1, ... or 1, 2, ...
bool counts_rows(const io::Frame& frame, std::size_t place) {
    const auto first = io::finite_number(frame.text(0, place));
    if (first != 0.0 && first != 1.0)
        return false;
    for (Index row = 1; row < frame.rows(); ++row)
        if (io::finite_number(frame.text(row, place)) != *first + static_cast<double>(row))
            return false;
    return true;
}

/// Whether a column has a text of its own in each row, which is a whole number, if these may be, or a word.
bool names_rows(const io::Frame& frame, std::size_t place, bool may_be_numbers) {
    std::set<std::string_view> found;
    for (Index row = 0; row < frame.rows(); ++row) {
        const auto& text = frame.text(row, place);
        const auto number = io::finite_number(text);
        const bool is_name = number ? may_be_numbers && *number == std::floor(*number) : !text.empty();
        if (!is_name || !found.insert(text).second)
            return false;
    }
    return true;
}

/// Names of the form "Unnamed: 0" stand for none.
bool is_nameless(const std::string& name) {
    return name.empty() || lower_case(name).starts_with("unnamed: ");
}

/// Why no default takes a column; empty for those that one may take.
std::string reason_against(const io::Frame& frame, std::size_t place, bool is_first) {
    const auto& name = frame.names()[place];
    if (is_nameless(name))
        return counts_rows(frame, place) ? "numbers the rows" : "has no name";
    const auto lower = lower_case(name);
    const bool is_name_of_names = is_first && is_among(lower, of_row_names),
               is_name_of_first = is_first && (name == "X" || is_among(lower, of_first_numbers)),
               may_number = is_name_of_first || is_among(lower, of_numbers);
    if (frame.rows() < 2 || !(may_number || is_name_of_names))
        return "";
    if (may_number && counts_rows(frame, place))
        return "numbers the rows";
    return is_first && names_rows(frame, place, is_name_of_names) ? "names the rows" : "";
}

} // namespace

TableColumns columns_of(const io::Frame& frame) {
    TableColumns columns{frame.source(), {}, {}, frame.remarks(), frame.has_names()};
    bool is_first = true;
    for (std::size_t place = 0; place < frame.names().size(); ++place) {
        const auto& name = frame.names()[place];
        if (!name.empty())
            columns.names.push_back(name);
        const auto reason = frame.has_names() ? reason_against(frame, place, is_first) : "";
        if (reason.empty()) {
            if (is_first && frame.has_names() && frame.rows() > 2 && counts_rows(frame, place))
                columns.remarks.push_back(fmt::format("{}: column {} ('{}') counts the rows; it is taken for a column "
                                                      "of values",
                                                      frame.source(), place + 1, name));
            columns.defaults.push_back(name);
            is_first = false;
        } else {
            columns.remarks.push_back(
                fmt::format("{}: column {} ('{}') {}: left out", frame.source(), place + 1, name, reason));
        }
    }
    return columns;
}

std::optional<std::string> Role::default_of(const TableColumns& columns,
                                            std::span<const std::string> candidates) const {
    if (!columns.has_names)
        return {};
    if (candidates.size() == 1)
        return candidates.front();
    std::optional<std::string> found;
    for (const auto& name : candidates) {
        if (!is_among(lower_case(name), usual_names))
            continue;
        if (found)
            return {};
        found = name;
    }
    return found;
}

std::string Role::objection(const TableColumns& columns, std::span<const std::string> candidates) const {
    if (candidates.empty())
        return fmt::format("no column of {} is left for it; expected a line {} = \"NAME\" with one of {}",
                           columns.source, key, fmt::join(columns.names, ", "));
    const auto expected = fmt::format("expected a line such as {} = \"{}\"", key, candidates.front());
    if (!columns.has_names)
        return fmt::format("{} does not name its columns, which are called {}; {}", columns.source,
                           fmt::join(columns.names, ", "), expected);
    return fmt::format("{} has {} columns that it could be ({}); {}", columns.source, candidates.size(),
                       fmt::join(candidates, ", "), expected);
}

std::string Role::description() const {
    return fmt::format("the only column that it can be, or the one called {}", fmt::join(usual_names, ", "));
}

std::string words_on_default(const std::string& column, const std::string& source) {
    return fmt::format("the column '{}' of {}, since no key names one", column, source);
}

const Role& response_role() {
    static const Role role{"response", {"y", "response", "outcome", "target"}};
    return role;
}

} // namespace pearlite::models
