// Text files of numbers.

#include "campaign/fuzz/input_kind.hpp"

#include "pearlite/io/arrays.hpp"

namespace pearlite::fuzz {

Kinds table_kinds(const std::filesystem::path& scratch) {
    const auto kind = [&](const std::string& name, const std::function<void(const std::filesystem::path&)>& read) {
        const auto file = scratch / (name + ".txt");
        return InputKind{name, "tables", [=](const std::string& input) {
                             write_file(file, input);
                             read(file);
                         }};
    };
    return {kind("csv", [](const auto& file) { io::read_csv(file); }),
            kind("csv-columns",
                 [](const auto& file) {
                     io::read_csv(file, {"y", "x"});
                 }),
            kind("bare-csv", [](const auto& file) { io::read_bare_csv(file); }),
            kind("columns", [](const auto& file) { io::read_columns(file); }),
            kind("last-numbers", [](const auto& file) { io::read_last_numbers(file); })};
}

} // namespace pearlite::fuzz
