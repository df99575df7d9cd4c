// Text files of numbers.

#include "campaign/fuzz/input_kind.hpp"

#include "app/mbar/mbar_part.hpp"
#include "io/arrays/draws.hpp"
#include "io/arrays/frame.hpp"
#include "pearlite/io/arrays.hpp"

namespace pearlite::fuzz {

namespace {

/// All that models make of a table, for each of its columns.
void read_frame(const std::filesystem::path& file) {
    auto frame = io::Frame::read(file);
    const std::vector<std::string> missing{"", "NA"};
    frame.drop_rows_with(missing, frame.names());
    for (const auto& name : frame.names()) {
        frame.codes(name, frame.levels(name));
        frame.numbers(name);
        frame.counts(name);
    }
}

} // namespace

Kinds table_kinds(const std::filesystem::path& scratch) {
    return {file_kind(scratch, "csv", ".txt", "tables", [](const auto& file) { io::read_csv(file); }),
            file_kind(scratch, "csv-columns", ".txt", "tables",
                      [](const auto& file) {
                          io::read_csv(file, {"y", "x"});
                      }),
            file_kind(scratch, "bare-csv", ".txt", "tables", [](const auto& file) { io::read_bare_csv(file); }),
            file_kind(scratch, "columns", ".txt", "tables", [](const auto& file) { io::read_columns(file); }),
            file_kind(scratch, "last-numbers", ".txt", "tables", [](const auto& file) { io::read_last_numbers(file); }),
            file_kind(scratch, "column", ".txt", "tables", [](const auto& file) { io::read_column(file, "y"); }),
            file_kind(scratch, "only-column", ".txt", "tables", [](const auto& file) { io::read_column(file, ""); }),
            file_kind(scratch, "frame", ".csv", "tables", read_frame),
            file_kind(scratch, "frame-of-blanks", ".dat", "tables", read_frame),
            file_kind(scratch, "draws", ".csv", "tables", [](const auto& file) { io::read_draws(file); }),
            file_kind(scratch, "states", ".csv", "states",
                      [](const auto& file) { app::read_states(file, "state", {"time"}); })};
}

} // namespace pearlite::fuzz
