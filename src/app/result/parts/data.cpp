#include "app/result/parts/kinds.hpp"

#include <bit>
#include <map>

namespace pearlite::app {

namespace {

/// SHA-256 of numbers, the same for 0 and -0, and for all that are not numbers.
template <class Numbers>
std::string digest_of(const Numbers& numbers) {
    io::Sha256 hash;
    for (const auto number : numbers) {
        const auto value = static_cast<double>(number);
        const auto bits =
            std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value + 0.0);
        hash.add(std::as_bytes(std::span(&bits, 1)));
    }
    return hash.finish_hex();
}

/// "3, 17-19" of ascending numbers.
std::string ranges_of(const std::vector<Index>& numbers) {
    std::string text;
    for (std::size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
        for (end = begin + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;)
            ++end;
        text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[begin]);
        if (end > begin + 1)
            text += fmt::format("{}{}", end > begin + 2 ? "-" : ", ", numbers[end - 1]);
    }
    return text;
}

/// An array of observations: name, size, SHA-256, mean and standard deviation of those that are not missing, number of
/// those that are.
Json observed_entry(const LabelledArray& array) {
    double n = 0, mean = 0, squares = 0;
    for (const double value : array.values)
        if (std::isfinite(value)) {
            const double difference = value - mean;
            mean += difference / ++n;
            squares += difference * (value - mean);
        }
    Json entry{{"name", array.name}, {"size", array.size()}, {"sha256", digest_of(array.values)}};
    if (n > 0) {
        entry["mean"] = json_number(mean);
        entry["sd"] = json_number(std::sqrt(squares / n));
    }
    if (const auto missing = array.size() - static_cast<Index>(n); missing > 0)
        entry["missing"] = missing;
    return entry;
}

Json rows_entry(const TableRows& rows) {
    std::vector<Index> left_out;
    std::map<std::string, Index> lacking;
    for (const auto& row : rows.left_out) {
        left_out.push_back(row.row);
        ++lacking[row.column];
    }
    return {{"file", rows.source},
            {"used", rows.used.size()},
            {"sha256", digest_of(rows.used)},
            {"left_out", left_out.size()},
            {"left_out_rows", ranges_of(left_out)},
            {"lacking", lacking}};
}

/// Whether the array has a value, or some, for each observation.
bool is_along(const LabelledArray& array, const std::vector<LabelledArray>& observed) {
    return std::ranges::any_of(observed, [&](const LabelledArray& one) {
        return !one.dimensions.empty() && !array.dimensions.empty() &&
               one.dimensions.front().name == array.dimensions.front().name;
    });
}

/// Whether all values are equal, as exposures that nobody gave.
bool is_one_number(const LabelledArray& array) {
    return std::ranges::all_of(array.values, [&](double value) { return value == array.values.front(); });
}

/// Identifies the data of a model, so that its evidence is only compared with those of the same data.
class DataPart final : public ResultPart {
  public:
    explicit DataPart(const model::DataDescription& data) {
        for (const auto& array : data.observed)
            entry_["observed"].push_back(observed_entry(array));
        for (const auto& array : data.constant) {
            if (!is_along(array, data.observed) || is_one_number(array))
                continue;
            entry_["given"].push_back({{"name", array.name}, {"sha256", digest_of(array.values)}});
            for (const auto& dimension : array.dimensions)
                if (array.name == "design" && !dimension.labels.empty())
                    entry_["given"].back()["columns"] = dimension.labels;
        }
        if (!data.priors.empty())
            entry_["priors"] = data.priors;
        if (data.rows)
            entry_["rows"] = rows_entry(*data.rows);
    }

    void write_summary(SummaryParts& summary) const override { summary.entries["data"] = entry_; }

  private:
    Json entry_ = Json::object();
};

std::unique_ptr<ResultPart> data_part(RunView& run) {
    const auto* described = run.target->offers<model::DescribedData>();
    return described ? std::make_unique<DataPart>(described->describe_data()) : nullptr;
}

/// "data: visits, 231 rows of trial.csv; design: intercept, age, site".
std::string describe_data(const Json& summary) {
    constexpr std::size_t most_columns = 12;
    const auto data = summary.value("data", Json::object());
    std::string text;
    for (const auto& observed : data.value("observed", Json::array())) {
        text += fmt::format("{}{}, {} value(s)", text.empty() ? "  data: " : "; ", observed.value("name", ""),
                            whole_at(observed, "size"));
        if (const auto missing = whole_at(observed, "missing"); missing > 0)
            text += fmt::format(", {} of them missing", missing);
    }
    if (text.empty())
        return {};
    const auto rows = data.value("rows", Json::object());
    if (!rows.empty())
        text += " of the table";
    for (const auto& given : data.value("given", Json::array()))
        if (const auto columns = given.value("columns", std::vector<std::string>()); !columns.empty()) {
            const auto shown = std::min(columns.size(), most_columns);
            text += fmt::format("; {}: {}", given.value("name", ""),
                                fmt::join(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
            if (shown < columns.size())
                text += fmt::format(" and {} more", columns.size() - shown);
        } else {
            text += "; " + given.value("name", "");
        }
    text += "\n";
    if (const auto priors = data.value("priors", std::vector<std::string>()); !priors.empty())
        text += fmt::format("  priors: {}\n", fmt::join(priors, ", "));
    if (const auto left_out = whole_at(rows, "left_out"); left_out > 0) {
        std::string lacking;
        const auto columns = rows.value("lacking", Json::object());
        for (const auto& [column, n] : columns.items())
            lacking += fmt::format("{}{} ({})", lacking.empty() ? "" : ", ", column, n.get<Index>());
        auto numbers = rows.value("left_out_rows", "");
        if (constexpr std::size_t longest = 60; numbers.size() > longest)
            numbers = numbers.substr(0, numbers.rfind(',', longest)) + ", ...";
        text += fmt::format("  {} row(s) left out, which lack a value of {}: {}\n", left_out, lacking, numbers);
    }
    return text;
}

} // namespace

PartKind data_kind() {
    return {data_part, describe_data, model::Task::annealing, false, "the description of the data"};
}

} // namespace pearlite::app
