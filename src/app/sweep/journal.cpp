#include "app/sweep/journal.hpp"

#include "app/program/build_info.hpp"
#include "pearlite/core/detail/key_values.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <system_error>
#include <unistd.h>

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

namespace {

/// Top-level entries that describe the run and not its result.
bool describes_the_run(const std::string& name) {
    return name == "schema" || name == "seed" || name == "ranks" || name == "block";
}

std::string label_of(const Json& entry, std::size_t number, std::set<std::string>& taken) {
    const auto text = [&](const char* key) {
        const auto found = entry.find(key);
        return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    std::string label = text("name");
    if (label.empty() && !text("estimator").empty())
        label = text("quantity").empty() ? text("estimator") : text("estimator") + "." + text("quantity");
    if (label.empty())
        label = fmt::format("{}", number);
    if (!taken.insert(label).second)
        label += "." + (text("error_method").empty() ? fmt::format("{}", number) : text("error_method"));
    taken.insert(label);
    return label;
}

void collect(const Json& value, const std::string& name, std::vector<Scalar>& found);

void collect_list(const Json& list, const std::string& name, std::vector<Scalar>& found) {
    const auto are = [&](auto is) { return std::all_of(list.begin(), list.end(), is); };
    if (name.ends_with(".interval95") && list.size() == 2) {
        collect(list[0], name + ".low", found);
        collect(list[1], name + ".high", found);
    } else if (name == "diagnostics.warnings") {
        found.emplace_back("warnings", static_cast<double>(list.size()));
    } else if (name == "spot_check.spots") {
        return; // maxima have no number that runs share
    } else if (!list.empty() && are([](const Json& entry) { return entry.is_object(); })) {
        std::set<std::string> taken;
        for (std::size_t k = 0; k < list.size(); ++k)
            collect(list[k], name + "." + label_of(list[k], k, taken), found);
    }
}

/// Numbers that JSON has no form for are texts in a summary.
void collect_text(const std::string& text, const std::string& name, std::vector<Scalar>& found) {
    if (text == "inf" || text == "-inf")
        found.emplace_back(name, text == "inf" ? infinity : -infinity);
    else if (text == "nan" || text == "-nan")
        found.emplace_back(name, std::numeric_limits<double>::quiet_NaN());
}

void collect(const Json& value, const std::string& name, std::vector<Scalar>& found) {
    if (value.is_object()) {
        for (const auto& [key, inner] : value.items())
            if (!name.empty() || !describes_the_run(key))
                collect(inner, name.empty() ? key : name + "." + key, found);
    } else if (value.is_array()) {
        collect_list(value, name, found);
    } else if (value.is_string()) {
        collect_text(value.get<std::string>(), name, found);
    } else if (value.is_number()) {
        found.emplace_back(name, value.get<double>());
    }
}

} // namespace

std::vector<Scalar> scalars_of(const Json& summary) {
    std::vector<Scalar> found;
    collect(summary, "", found);
    return found;
}

bool is_of_machine(const std::string& scalar) {
    return scalar.starts_with("timing.");
}

std::vector<std::string> headline_of(const std::vector<std::string>& scalars) {
    std::vector<std::string> headline;
    const auto estimate = std::find_if(scalars.begin(), scalars.end(), [](const std::string& name) {
        return name.starts_with("log_evidence.") && name.ends_with(".value");
    });
    if (estimate != scalars.end())
        headline.push_back(*estimate);
    for (const char* name : {"best.energy", "polished.energy", "diagnostics.ess", "timing.wall_seconds"})
        if (contains(scalars, name))
            headline.emplace_back(name);
    return headline;
}

} // namespace pearlite::app
