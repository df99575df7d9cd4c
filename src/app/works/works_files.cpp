#include "app/works/works_files.hpp"

#include "app/works/foreign_table.hpp"
#include "io/files/digest.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> records_in(const fs::path& directory) {
    constexpr std::array endings{".xvg", ".dat", ".txt", ".csv"};
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
        if (std::ranges::find(endings, entry->path().extension()) != endings.end())
            files.push_back(entry->path());
    if (error)
        throw InputError(fmt::format("{}: cannot be read ({})", directory.string(), error.message()));
    if (files.size() < 2)
        throw InputError(
            fmt::format("{}: {} record(s) of trajectories (.xvg, .dat, .txt or .csv), expected at least two",
                        directory.string(), files.size()));
    std::ranges::sort(files);
    return files;
}

WantedColumn column_of_works() {
    return {"works", {"work", "works", "w", "wf", "wr"}, {"work"}};
}

WantedColumn column_of_records(WorkIntegral::Of of) {
    if (of == WorkIntegral::Of::lambda)
        return {"derivatives of the energy", {"dhdl", "dvdl", "dudl"}, {"dh/d", "dv/d", "du/d"}, true};
    return {"forces", {"force", "forces", "f"}, {"force"}, true};
}

Vector times_of(const ForeignTable& record) {
    Vector times = record.numbers(0);
    for (Index i = 0; i + 1 < times.size(); ++i)
        if (!(times(i + 1) > times(i)))
            throw InputError(fmt::format("{}: time {} comes after {}, expected times that ascend in the first column",
                                         record.source(), times(i + 1), times(i)));
    return times;
}

/// The times of most records, by their first and last time and their number.
Vector usual_times(const std::vector<Vector>& times) {
    std::map<std::tuple<Index, double, double>, std::pair<Index, std::size_t>> kinds;
    for (std::size_t i = 0; i < times.size(); ++i) {
        auto& [count, first] = kinds[{times[i].size(), times[i](0), times[i](times[i].size() - 1)}];
        if (count++ == 0)
            first = i;
    }
    const auto usual = std::ranges::max_element(
        kinds, {}, [](const auto& kind) { return std::tuple(kind.second.first, std::get<0>(kind.first)); });
    return times[usual->second.second];
}

/// A record that ends early, begins late or has a hole is no whole switch.
void check_alike(const fs::path& file, const Vector& times, const Vector& usual) {
    const auto refuse = [&](const std::string& got, const std::string& expected) {
        throw InputError(
            fmt::format("{}: the record {}, expected {} as in most records of {}: works need whole switches",
                        file.string(), got, expected, file.parent_path().string()));
    };
    const double step = (usual(usual.size() - 1) - usual(0)) / static_cast<double>(usual.size() - 1);
    const double end = times(times.size() - 1), usual_end = usual(usual.size() - 1);
    if (std::abs(end - usual_end) > 0.5 * step)
        refuse(fmt::format("ends at time {:g}", end), fmt::format("{:g}", usual_end));
    if (std::abs(times(0) - usual(0)) > 0.5 * step)
        refuse(fmt::format("begins at time {:g}", times(0)), fmt::format("{:g}", usual(0)));
    if (times.size() != usual.size())
        refuse(fmt::format("has {} lines", times.size()), fmt::format("{}", usual.size()));
    for (Index i = 0; i < times.size(); ++i)
        if (std::abs(times(i) - usual(i)) > 0.5 * step)
            refuse(fmt::format("has a line at time {:g}", times(i)), fmt::format("one at {:g}", usual(i)));
}

double by_trapezoids(const Vector& times, const Vector& values) {
    double sum = 0;
    for (Index i = 0; i + 1 < times.size(); ++i)
        sum += 0.5 * (times(i + 1) - times(i)) * (values(i) + values(i + 1));
    return sum;
}

WorksRead read_records(const fs::path& directory, const std::string& column, const WorkIntegral& integral,
                       bool is_reverse) {
    const auto files = records_in(directory);
    const auto wanted = column_of_records(integral.of);
    WorksRead read;
    read.works.resize(std::ssize(files));
    std::vector<Vector> times;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto record = ForeignTable::read(files[i]);
        if (record.columns() < 2)
            throw InputError(fmt::format("{}: one column, expected times and {}", files[i].string(), wanted.what));
        const auto place = record.place_of(column, wanted);
        if (place == 0)
            throw InputError(fmt::format("{}: column 1 has the times, expected another one with the {}",
                                         files[i].string(), wanted.what));
        const auto label = record.label(place);
        const auto others = record.others(place);
        if (i == 0) {
            read.column = label;
            read.not_used = others;
        } else if (label != read.column || others != read.not_used) {
            throw InputError(
                fmt::format("{}: the columns differ from those of {}", files[i].string(), files.front().string()));
        }
        times.push_back(times_of(record));
        const double value = by_trapezoids(times.back(), record.numbers(place));
        const double duration = times.back()(times.back().size() - 1) - times.back()(0);
        const double forward = integral.of == WorkIntegral::Of::lambda ? value / duration : value * integral.velocity;
        read.works(static_cast<Index>(i)) = is_reverse ? -forward : forward;
    }
    const Vector usual = usual_times(times);
    for (std::size_t i = 0; i < files.size(); ++i)
        check_alike(files[i], times[i], usual);
    read.not_used.erase(read.not_used.begin()); // the times
    return read;
}

double duration_of(const fs::path& file) {
    const Vector times = times_of(ForeignTable::read(file));
    return times(times.size() - 1) - times(0);
}

} // namespace

WorksRead read_works(const fs::path& path, const std::string& column, const std::optional<WorkIntegral>& integral,
                     bool is_reverse, double infinite) {
    std::error_code ignored;
    const bool is_directory = fs::is_directory(path, ignored);
    if (!integral && is_directory)
        throw InputError(fmt::format("{}: a directory; expected a file of works, or --integrate, which makes works of "
                                     "the records in it",
                                     path.string()));
    if (integral && !is_directory)
        throw InputError(fmt::format(
            "{}: no directory; --integrate makes works of a directory of records, a trajectory each", path.string()));
    if (integral)
        return read_records(path, column, *integral, is_reverse);
    const auto table = ForeignTable::read(path);
    const auto place = table.place_of(column, column_of_works());
    WorksRead read{table.numbers(place, infinite), table.label(place), table.others(place)};
    read.infinite = static_cast<Index>(std::ranges::count_if(read.works, [](double w) { return std::isinf(w); }));
    return read;
}

std::string sha256_of_works(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored))
        return io::sha256_of_file(path);
    io::Sha256 hash;
    for (const auto& record : records_in(path))
        hash.add(fmt::format("{}  {}\n", io::sha256_of_file(record), record.filename().string()));
    return hash.finish_hex();
}

void check_durations(const fs::path& forward, const fs::path& reverse) {
    constexpr double rounding = 0.005;
    const double f = duration_of(records_in(forward).front()), r = duration_of(records_in(reverse).front());
    if (std::abs(f - r) > rounding * std::max(f, r))
        throw InputError(fmt::format("{}: the records last {:g}, those of {} last {:g}, expected the same: the reverse "
                                     "process is the forward one backwards",
                                     reverse.string(), r, forward.string(), f));
}

EnergyUnit energy_unit(const std::string& units, const std::optional<double>& temperature,
                       const std::optional<double>& beta, const std::string& what) {
    struct Known {
        const char* name;
        double gas_constant; ///< in this unit per kelvin
    };
    constexpr Known known[] = {{"kJ/mol", 8.31446261815324e-3}, {"kcal/mol", 8.31446261815324e-3 / 4.184}};
    if (beta && temperature)
        throw InputError("got both --beta and --temperature, expected one of them");
    if (beta)
        return {units == "kT" ? "units of " + what : units, 1 / *beta};
    for (const auto& unit : known)
        if (units == unit.name) {
            if (!temperature)
                throw InputError(fmt::format("{} in {} need --temperature, in kelvin, or --beta", what, unit.name));
            return {unit.name, unit.gas_constant * *temperature};
        }
    if (temperature)
        throw InputError(fmt::format("{} in kT have no --temperature; expected --units kJ/mol or kcal/mol", what));
    return {};
}

} // namespace pearlite::app
