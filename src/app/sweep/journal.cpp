#include "app/sweep/journal.hpp"

#include "app/program/build_info.hpp"
#include "pearlite/core/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

Json line_of(const EndedRun& ended) {
    Json line{{"run", ended.run}, {"ranks", ended.ranks}, {"seconds", ended.seconds}};
    if (ended.failed()) {
        line["error"] = ended.error;
        return line;
    }
    line["verdict"] = ended.verdict;
    auto& scalars = line["scalars"] = Json::object();
    for (const auto& [name, value] : ended.scalars)
        scalars[name] = json_number(value);
    return line;
}

/// False for texts that are no JSON, or another program's.
bool read_line(const std::string& text, EndedRun& ended) try {
    const auto line = Json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("run") || !line["run"].is_number_integer())
        return false;
    ended.run = line["run"].get<Index>();
    ended.ranks = static_cast<int>(whole_at(line, "ranks", 1));
    ended.seconds = line.value("seconds", 0.0);
    ended.error = line.value("error", "");
    ended.verdict = line.value("verdict", "");
    if (!ended.failed() && !line.contains("scalars"))
        return false;
    // A flat object of numbers, read as a summary is.
    ended.scalars = scalars_of(line.value("scalars", Json::object()));
    return true;
} catch (const Json::exception&) {
    return false; // values of other types
}

} // namespace

Journal::Journal(const fs::path& directory, int rank)
    : file_(directory / fmt::format("rows.{}.jsonl", rank)), synced_(Clock::now()) {}

Journal::~Journal() {
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

void Journal::add(const EndedRun& ended) {
    std::string text = line_of(ended).dump() + "\n";
    if (descriptor_ < 0) {
        descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (descriptor_ < 0)
            fail();
        char last = '\n';
        const auto end = ::lseek(descriptor_, 0, SEEK_END);
        if (end > 0 && ::pread(descriptor_, &last, 1, end - 1) == 1 && last != '\n')
            text.insert(text.begin(), '\n'); // ends a line that was cut off
    }
    for (std::size_t written = 0; written < text.size();) {
        const auto n = ::write(descriptor_, text.data() + written, text.size() - written);
        if (n <= 0)
            fail();
        written += static_cast<std::size_t>(n);
    }
    if (Clock::now() - synced_ > std::chrono::seconds(1))
        sync();
}

void Journal::sync() {
    if (descriptor_ >= 0 && ::fdatasync(descriptor_) != 0)
        fail();
    synced_ = Clock::now();
}

void Journal::fail() const {
    throw FileError(fmt::format("{}: cannot write: {}; once it can be written, {} goes on", file_.string(),
                                std::system_category().message(errno), resuming(file_.parent_path())));
}

std::map<Index, EndedRun> read_journals(const fs::path& directory) {
    std::map<Index, EndedRun> ended;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        const auto name = entry.path().filename().string();
        if (!name.starts_with("rows.") || !name.ends_with(".jsonl"))
            continue;
        std::ifstream in(entry.path());
        for (std::string text; std::getline(in, text);) {
            EndedRun run;
            if (!read_line(text, run))
                continue;
            const auto [known, is_new] = ended.try_emplace(run.run, run);
            if (!is_new && known->second.failed())
                known->second = std::move(run);
        }
    }
    return ended;
}

} // namespace pearlite::app
