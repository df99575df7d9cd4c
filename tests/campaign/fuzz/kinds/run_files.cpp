// The small files of directories of runs and sweeps, which resume and report read again.

#include "campaign/fuzz/input_kind.hpp"

#include "app/sweep/journal.hpp"
#include "app/sweep/sweep_files.hpp"
#include "app/written/summary.hpp"

namespace pearlite::fuzz {

Kinds run_file_kinds(const std::filesystem::path& scratch) {
    const auto directory = scratch / "run-files";
    std::filesystem::create_directory(directory);
    const auto kind = [&](const std::string& name, const std::string& file, const std::function<void()>& read) {
        InputKind made{name, name, [=](const std::string& input) {
                           write_file(directory / file, input);
                           read();
                       }};
        made.refusals = {ErrorKind::input, ErrorKind::file};
        return made;
    };
    return {kind("summary", "summary.json",
                 [=] {
                     app::read_status(directory);
                     app::describe_summary(directory);
                 }),
            kind("sweep-origin", "configuration.json", [=] { app::read_origin(directory); }),
            kind("sweep-journal", "rows.0.jsonl", [=] { app::read_journals(directory); })};
}

} // namespace pearlite::fuzz
