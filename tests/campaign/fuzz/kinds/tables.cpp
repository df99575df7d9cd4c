// Text files of numbers.

#include "campaign/fuzz/input_kind.hpp"

#include "pearlite/io/arrays.hpp"

namespace pearlite::fuzz {

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
            file_kind(scratch, "only-column", ".txt", "tables", [](const auto& file) { io::read_column(file, ""); })};
}

} // namespace pearlite::fuzz
