#include "app/mbar/mbar_part.hpp"
#include "io/arrays/fields.hpp"
#include "io/arrays/frame.hpp"
#include "io/arrays/npz.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace pearlite::app {

namespace {

StatesTable of_arrays(const std::filesystem::path& file, Matrix potentials, const Matrix& counts) {
    StatesTable table;
    table.potentials = std::move(potentials);
    table.source = {file.string(), "the order of N_k", {}};
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
    for (Index k = 0; k < counts.size(); ++k) {
        table.counts.push_back(static_cast<Index>(counts(k)));
        table.own.insert(table.own.end(), at(table.counts.back()), k);
    }
    return table;
}

/// The numbers of a text as 0.5 or (0.5, 0); empty for a text of another kind.
std::vector<double> tuple_of(std::string_view text) {
    text = io::without_blanks(text);
    if (text.starts_with('(') && text.ends_with(')'))
        text = text.substr(1, text.size() - 2);
    std::vector<double> numbers;
    while (!text.empty()) {
        const auto end = std::min(text.find(','), text.size());
        const auto number = io::finite_number(io::without_blanks(text.substr(0, end)));
        if (!number)
            return {};
        numbers.push_back(*number);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return numbers;
}

bool ends_with_lambda(const std::string& name) {
    return name.ends_with("lambda") || name.ends_with("lambdas");
}

bool is_time(const std::string& name) {
    const auto text = io::lower_case(name.substr(0, name.find_first_of("(["))); // without a unit
    const auto word = io::without_blanks(text);
    return word == "time" || word == "t" || word == "step" || word == "frame";
}

/// The columns that name the state of a sample.
std::vector<std::size_t> columns_of_state(const io::Frame& frame, const std::vector<std::string>& state) {
    std::vector<std::size_t> places;
    if (!state.empty()) {
        const auto whole = fmt::format("{}", fmt::join(state, ","));
        if (std::ranges::find(frame.names(), whole) != frame.names().end())
            return {frame.column(whole)};
        for (const auto& name : state)
            places.push_back(frame.column(name));
        return places;
    }
    const auto& names = frame.names();
    if (std::ranges::find(names, "state") == names.end())
        for (std::size_t k = 0; k < names.size(); ++k)
            if (ends_with_lambda(names[k]))
                places.push_back(k);
    return places.empty() ? std::vector{frame.column("state")} : places;
}

/// The texts of a row's state.
std::string state_of(const io::Frame& frame, Index row, const std::vector<std::size_t>& places) {
    if (places.size() == 1)
        return frame.text(row, places.front());
    std::vector<std::string> texts;
    texts.reserve(places.size());
    for (const auto place : places)
        texts.push_back(frame.text(row, place));
    return fmt::format("({})", fmt::join(texts, ", "));
}

/// The place of a state among the names, as a text or as numbers; their number if it is none of them.
std::size_t place_among(const std::vector<std::string>& names, const std::string& state) {
    const auto found = std::ranges::find(names, state);
    if (found != names.end())
        return static_cast<std::size_t>(found - names.begin());
    const auto wanted = tuple_of(state);
    std::size_t k = 0;
    while (k < names.size() && (wanted.empty() || tuple_of(names[k]) != wanted))
        ++k;
    return k;
}

/// Columns that may be states: with names of numbers if the samples' states are numbers.
std::vector<std::size_t> columns_of_potentials(const io::Frame& frame, const std::vector<std::size_t>& of_state,
                                               const std::vector<std::string>& leave_out, StatesTable& table) {
    for (const auto& name : leave_out)
        (void)frame.column(name);
    const auto size = tuple_of(state_of(frame, 0, of_state)).size();
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < frame.names().size(); ++k) {
        const auto& name = frame.names()[k];
        if (std::ranges::find(of_state, k) != of_state.end())
            continue;
        const bool is_state = size > 0 && tuple_of(name).size() == size;
        const bool is_asked_out = std::ranges::find(leave_out, name) != leave_out.end();
        const bool is_no_state = !is_state && (is_time(name) || ends_with_lambda(name));
        if (is_asked_out || (is_no_state && place_among({name}, state_of(frame, 0, of_state)) == 1)) {
            table.source.not_used.push_back(name);
            continue;
        }
        if (size > 0 && !is_state)
            throw InputError(fmt::format("{}: column {} ('{}') is no state as {}, which are numbers, expected "
                                         "--leave-out '{}'",
                                         frame.source(), k + 1, name, state_of(frame, 0, of_state), name));
        places.push_back(k);
        table.names.push_back(name);
    }
    return places;
}

StatesTable of_frame(const std::filesystem::path& file, const std::vector<std::string>& state,
                     const std::vector<std::string>& leave_out) {
    const auto frame = io::Frame::read(file);
    const auto of_state = columns_of_state(frame, state);
    StatesTable table;
    std::vector<std::string> labels;
    labels.reserve(of_state.size());
    for (const auto place : of_state)
        labels.push_back(fmt::format("'{}'", frame.names()[place]));
    table.source = {file.string(), fmt::format("states by {}", fmt::join(labels, ", ")), {}};
    const auto places = columns_of_potentials(frame, of_state, leave_out, table);
    if (table.names.empty())
        throw InputError(fmt::format("{}: no columns of states beside {}", frame.source(), fmt::join(labels, ", ")));
    table.counts.assign(table.names.size(), 0);
    for (Index row = 0; row < frame.rows(); ++row) {
        const auto own = place_among(table.names, state_of(frame, row, of_state));
        if (own == table.names.size())
            frame.refuse(row, of_state.front(), fmt::format("one of {}", fmt::join(table.names, ", ")));
        ++table.counts[own];
        table.own.push_back(static_cast<Index>(own));
    }
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

StatesTable read_states(const std::filesystem::path& file, const std::vector<std::string>& state,
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
