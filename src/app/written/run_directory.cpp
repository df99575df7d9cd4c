#include "app/written/run_directory.hpp"

#include "app/posterior/draws_files.hpp"
#include "app/program/build_info.hpp"
#include "app/result/parts/search/search.hpp"
#include "app/written/summary.hpp"
#include "io/container/checkpoints.hpp"
#include "io/files/temporary_file.hpp"
#include "parallel/agreement.hpp"

#include <cctype>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* run_id_file = "run.id";

bool is_of_a_sweep(const std::string& name) {
    constexpr std::array<std::string_view, 6> files{"configuration.json", "sweep.h5",  "runs.csv",
                                                    "settings.csv",       "pairs.csv", "tables.md"};
    return std::find(files.begin(), files.end(), name) != files.end() ||
           (name.starts_with("rows.") && name.ends_with(".jsonl"));
}

bool is_of_a_run(const fs::path& file) {
    const auto name = file.filename().string();
    return name == "results.h5" || name == "posterior.nc" || name == "summary.json" || name == "run.log" ||
           name == "report.html" || name == run_id_file || is_progress_file(name) || is_best_file(name) ||
           is_draws_file(file) || io::is_temporary(file) || is_of_a_sweep(name);
}

/// The figures that the report has listed as its own.
void remove_figures(const fs::path& directory) {
    const auto list = directory / ".report-figures", figures = directory / "figures";
    std::error_code ignored;
    std::ifstream in(list);
    for (std::string name; std::getline(in, name);)
        if (const auto file = fs::path(name).filename(); file.has_extension())
            fs::remove(figures / file, ignored);
    fs::remove(list, ignored);
    fs::remove(figures, ignored); // unless there is more in it
}

/// The runs of a sweep have numbers for names.
void remove_runs(const fs::path& runs) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(runs, ignored)) {
        const auto name = entry.path().filename().string();
        if (std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
            fs::remove_all(entry.path());
    }
    fs::remove(runs, ignored); // unless there is more in it
}

/// Makes a directory and those above it that are not there, so that a crash of the machine does not undo it.
void make_durably(const fs::path& directory) {
    std::error_code error;
    std::vector<fs::path> missing;
    for (auto at = fs::absolute(directory); !at.empty() && !fs::exists(at, error); at = at.parent_path())
        missing.push_back(at);
    fs::create_directories(directory, error);
    if (error)
        throw InputError(fmt::format("{}: cannot make this directory: {}", directory.string(), error.message()));
    for (const auto& made : missing)
        try {
            io::sync_directory(made.parent_path());
        } catch (const FileError&) { // one may be allowed to make a directory where one may not read
        }
}

} // namespace

std::string new_run_id() {
    std::random_device device;
    std::string id;
    for (int word = 0; word < 4; ++word)
        id += fmt::format("{:08x}", device());
    return id;
}

std::string read_run_id(const fs::path& directory) {
    std::ifstream in(directory / run_id_file);
    std::string id;
    in >> id;
    return id;
}

namespace {

/// InputError unless this rank has the directory in which rank 0 has found, or written, this id. A network file system
/// may show it some seconds later.
void require_shared(const fs::path& directory, const std::string& id) {
    constexpr auto pause = std::chrono::milliseconds(50);
    constexpr int looks = 100;
    std::error_code ignored;
    for (int k = 0; k < looks && (!fs::is_directory(directory, ignored) || read_run_id(directory) != id); ++k)
        std::this_thread::sleep_for(pause);
    const char* wrong = !fs::is_directory(directory, ignored) ? "is not on the host of this rank"
                        : read_run_id(directory) != id
                            ? "is another directory on the host of this rank than on rank 0's"
                        : ::access(directory.c_str(), W_OK | X_OK) != 0 ? "cannot be written on the host of this rank"
                                                                        : nullptr;
    if (wrong)
        throw InputError(fmt::format("{}: {}; expected a directory of a file system that all hosts of the job share",
                                     fs::absolute(directory).string(), wrong));
}

} // namespace

std::string run_id_of(const parallel::Communicator& ranks, const fs::path& directory) {
    std::string id;
    parallel::on_root(ranks, [&] { id = read_run_id(directory); });
    id = ranks.broadcast(id);
    parallel::together(ranks, [&] {
        if (!ranks.is_root())
            require_shared(directory, id);
    });
    return id;
}

void write_run_id(const fs::path& directory, const std::string& id) {
    io::write_durably(directory / run_id_file, id + "\n");
}

DirectoryLock make_run_directory(const fs::path& directory, bool overwrite) {
    std::error_code error;
    if (fs::exists(directory, error)) {
        if (!fs::is_directory(directory, error))
            throw InputError(
                fmt::format("{}: not a directory; expected a directory for the run (-o)", directory.string()));
        if (!fs::is_empty(directory, error) && !overwrite)
            throw InputError(fmt::format("{}: not empty; {} continues a run, --overwrite replaces it",
                                         directory.string(), resuming(directory)));
        DirectoryLock lock(directory);
        for (const auto& checkpoint : io::list_checkpoints(directory))
            fs::remove_all(checkpoint);
        for (const auto& entry : fs::directory_iterator(directory))
            if (is_of_a_run(entry.path()))
                fs::remove_all(entry.path());
        remove_figures(directory);
        remove_runs(directory / "runs");
        write_run_id(directory, new_run_id());
        return lock;
    }
    make_durably(directory);
    DirectoryLock lock(directory);
    write_run_id(directory, new_run_id());
    return lock;
}

fs::path directory_of_run(const fs::path& sweep, long run) {
    return sweep / "runs" / fmt::format("{:06}", run);
}

namespace {

/// The kernel's answer: 0, or the error.
int try_to_lock(int descriptor) {
    struct flock whole {};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    return ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0 ? 0 : errno;
}

/// Whether the path still leads to this file, which its last holder may have removed.
bool is_at(const std::filesystem::path& path, int descriptor) {
    struct stat there {
    }, here{};
    return ::stat(path.c_str(), &there) == 0 && ::fstat(descriptor, &here) == 0 && there.st_ino == here.st_ino &&
           there.st_dev == here.st_dev;
}

std::string text_of(int descriptor) {
    std::array<char, 256> text{};
    const auto length = ::pread(descriptor, text.data(), text.size(), 0);
    std::string found(text.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    while (!found.empty() && found.back() == '\n')
        found.pop_back();
    return found.empty() ? "a process" : found;
}

/// Writes the name of this process into the lock file. If it cannot be written, on a full disk for example, the lock
/// still holds.
void sign(int descriptor) {
    std::array<char, 128> host{};
    ::gethostname(host.data(), host.size() - 1);
    const auto text = fmt::format("process {} on {}\n", ::getpid(), host.data());
    [[maybe_unused]] const bool is_written =
        ::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, text.data(), text.size(), 0) > 0;
}

constexpr const char* lock_file = "run.lock";

} // namespace

std::string lock_holder(const std::filesystem::path& directory) {
    const int descriptor = ::open((directory / lock_file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
        return {};
    struct flock whole {};
    whole.l_type = F_RDLCK;
    whole.l_whence = SEEK_SET;
    const bool is_held = ::fcntl(descriptor, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    std::string holder = is_held ? text_of(descriptor) : "";
    ::close(descriptor);
    return holder;
}

void give_sign_of_life(const std::filesystem::path& directory) {
    ::utimensat(AT_FDCWD, (directory / lock_file).c_str(), nullptr, 0); // a sign that is missing does no harm
}

std::optional<double> age_of_sign_of_life(const std::filesystem::path& directory) {
    std::error_code error;
    const auto given = fs::last_write_time(directory / lock_file, error);
    if (error)
        return {};
    const std::chrono::duration<double> age = fs::file_time_type::clock::now() - given;
    return std::max(0.0, age.count());
}

DirectoryLock::DirectoryLock(const std::filesystem::path& directory) : file_(directory / lock_file) {
    using Clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::seconds(5);
    constexpr auto pause = std::chrono::milliseconds(50);
    const auto give_up = Clock::now() + patience;
    for (;;) {
        descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        const int error = descriptor_ < 0 ? errno : try_to_lock(descriptor_);
        if (error == 0 && is_at(file_, descriptor_)) {
            sign(descriptor_);
            return;
        }
        const bool is_held = descriptor_ >= 0 && (error == EAGAIN || error == EACCES);
        const auto holder = is_held ? text_of(descriptor_) : "";
        if (descriptor_ >= 0)
            ::close(std::exchange(descriptor_, -1));
        if (error != 0 && !is_held) {
            remark_ = fmt::format("{} cannot be locked ({}): a second run in it would not be noticed",
                                  directory.string(), std::strerror(error));
            return;
        }
        if (is_held && Clock::now() >= give_up)
            throw InputError(
                fmt::format("{}: {} runs here; expected a directory that no run is using", directory.string(), holder));
        if (is_held)
            std::this_thread::sleep_for(pause);
    }
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      remark_(std::move(other.remark_)) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(remark_, other.remark_);
    return *this;
}

DirectoryLock::~DirectoryLock() {
    if (descriptor_ < 0)
        return;
    // Remove the file before the lock is released, so that a waiting process sees that the file is gone and makes a new
    // one.
    ::unlink(file_.c_str());
    ::close(descriptor_);
}

} // namespace pearlite::app
