#include "app/mbar/states_file.hpp"

#include "io/arrays/fields.hpp"
#include "io/arrays/frame.hpp"
#include "io/arrays/npz.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::app {

namespace {

StatesTable of_arrays(const std::filesystem::path& file, Matrix potentials, const Matrix& counts) {
    StatesTable table{{}, std::move(potentials), {}};
    if (counts.size() != table.potentials.rows())
        throw InputError(fmt::format("{}: u_kn has {} states and N_k {}, expected as many", file.string(),
                                     table.potentials.rows(), counts.size()));
    double total = 0;
    for (Index k = 0; k < counts.size(); ++k) {
        const double count = counts(k);
        if (!(count >= 0 && count == std::floor(count)))
            throw InputError(
                fmt::format("{}: N_k[{}] is {}, expected a whole number of at least 0", file.string(), k, count));
        table.names.push_back(fmt::format("{}", k));
        total += count;
    }
    if (total != static_cast<double>(table.potentials.cols()))
        throw InputError(
            fmt::format("{}: N_k sums to {}, but u_kn has {} samples", file.string(), total, table.potentials.cols()));
    for (Index k = 0; k < counts.size(); ++k)
        table.counts.push_back(static_cast<Index>(counts(k)));
    return table;
}

StatesTable of_frame(const std::filesystem::path& file, const std::string& state,
                     const std::vector<std::string>& leave_out) {
    const auto frame = io::Frame::read(file);
    const auto own = frame.column(state);
    StatesTable table;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < frame.names().size(); ++k)
        if (k != own && std::ranges::find(leave_out, frame.names()[k]) == leave_out.end()) {
            places.push_back(k);
            table.names.push_back(frame.names()[k]);
        }
    if (table.names.empty())
        throw InputError(fmt::format("{}: no columns of states beside '{}'", frame.source(), state));
    table.counts.assign(table.names.size(), 0);
    for (const Index code : frame.codes(state, table.names))
        ++table.counts[static_cast<std::size_t>(code)];
    table.potentials.resize(std::ssize(places), frame.rows());
    for (Index row = 0; row < frame.rows(); ++row)
        for (std::size_t k = 0; k < places.size(); ++k) {
            const auto& text = frame.text(row, places[k]);
            const auto value = io::finite_number(text);
            const bool is_impossible = text == "inf" || text == "+inf" || text == "Inf";
            if (!value && !is_impossible)
                frame.refuse(row, places[k], "a number, or inf");
            table.potentials(static_cast<Index>(k), row) = value.value_or(infinity);
        }
    return table;
}

} // namespace

StatesTable read_states(const std::filesystem::path& file, const std::string& state,
                        const std::vector<std::string>& leave_out) {
    if (file.extension() == ".npz")
        return of_arrays(file, io::read_npz(file, "u_kn"), io::read_npz(file, "N_k"));
    if (file.extension() == ".h5" || file.extension() == ".hdf5") {
        constexpr Index most = Index{1} << 24;
        return of_arrays(file, io::read_hdf5_rows(file, "u_kn", most, 2), io::read_hdf5_rows(file, "N_k", most));
    }
    return of_frame(file, state, leave_out);
}

} // namespace pearlite::app
