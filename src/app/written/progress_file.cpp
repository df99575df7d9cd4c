#include "app/written/progress_file.hpp"

#include "app/program/build_info.hpp"
#include "io/container/container.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <system_error>

namespace pearlite::app {

namespace {

constexpr const char* file_name = "progress.h5";

} // namespace

void write_progress(const Job& job, const RunFacts& facts, const Standing& standing, const ResultParts& known) {
    io::Writer writer(job.ranks);
    writer("configuration", job.configuration);
    writer("build/version", build_id());
    writer("build/compiler", compiler());
    writer("build/libraries", library_versions());
    for (const auto& part : known)
        part->write_fields(writer);
    writer("summary", job.ranks.is_root() ? summary_text(facts, "running", standing, known) : std::string());
    writer.commit(job.directory / file_name, "results");
}

std::optional<std::string> read_progress(const std::filesystem::path& directory) {
    const auto file = directory / file_name;
    std::error_code error;
    if (!std::filesystem::exists(file, error))
        return {};
    try {
        io::Reader reader(parallel::Communicator::alone(), file, "results");
        std::string summary;
        reader("summary", summary);
        return summary;
    } catch (const FileError&) { // a newer one may just be taking its place
        return {};
    }
}

void remove_progress(const std::filesystem::path& directory) {
    std::error_code ignored;
    std::filesystem::remove(directory / file_name, ignored);
}

std::filesystem::file_time_type last_written(const std::filesystem::path& directory) {
    auto newest = std::filesystem::file_time_type::min();
    for (const auto* name : {file_name, "summary.json"}) {
        std::error_code error;
        if (const auto written = std::filesystem::last_write_time(directory / name, error); !error)
            newest = std::max(newest, written);
    }
    return newest;
}

bool is_progress_file(const std::string& name) {
    return name == file_name;
}

} // namespace pearlite::app
