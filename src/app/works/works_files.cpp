#include "app/works/works_files.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

/// By trapezoids; and the time that it spans.
struct Integral {
    double value = 0, time = 0;
};
Integral integrated(const fs::path& file, const std::string& column) {
    const Vector times = io::read_column(file, "1"), values = io::read_column(file, column);
    Integral integral;
    for (Index i = 0; i + 1 < times.size(); ++i) {
        const double step = times(i + 1) - times(i);
        if (!(step > 0))
            throw InputError(fmt::format("{}: time {} comes after {}, expected times that ascend in the first column",
                                         file.string(), times(i + 1), times(i)));
        integral.value += 0.5 * step * (values(i) + values(i + 1));
    }
    integral.time = times(times.size() - 1) - times(0);
    return integral;
}

} // namespace

Vector read_works(const fs::path& path, const std::string& column, const std::optional<WorkIntegral>& integral,
                  bool is_reverse) {
    std::error_code ignored;
    const bool is_directory = fs::is_directory(path, ignored);
    if (!integral && is_directory)
        throw InputError(fmt::format("{}: a directory; expected a file of works, or --integrate, which makes works of "
                                     "the records in it",
                                     path.string()));
    if (!integral)
        return io::read_column(path, column);
    if (!is_directory)
        throw InputError(fmt::format(
            "{}: no directory; --integrate makes works of a directory of records, a trajectory each", path.string()));
    const auto files = records_in(path);
    Vector works(std::ssize(files));
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto [value, time] = integrated(files[i], column);
        const double forward = integral->of == WorkIntegral::Of::lambda ? value / time : value * integral->velocity;
        works(static_cast<Index>(i)) = is_reverse ? -forward : forward;
    }
    return works;
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
