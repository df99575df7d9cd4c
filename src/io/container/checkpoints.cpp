#include "io/container/checkpoints.hpp"

#include "io/files/stamp.hpp"
#include "io/files/temporary_file.hpp"

#include "parallel/agreement.hpp"

#include <algorithm>
#include <charconv>

namespace pearlite::io {
namespace {

constexpr std::string_view checkpoint_prefix = "checkpoint.";
constexpr std::string_view suffix = ".h5";
constexpr std::size_t step_digits = 12;

// The step in "<prefix><digits><suffix>"; none for any other name.
std::optional<Index> step_between(std::string_view name, std::string_view before, std::string_view after) {
    if (!name.starts_with(before) || !name.ends_with(after) || name.size() < before.size() + step_digits + after.size())
        return {};
    const std::string_view digits = name.substr(before.size(), name.size() - before.size() - after.size());
    Index step = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    const bool is_step = result.ec == std::errc{} && result.ptr == digits.data() + digits.size() && step >= 0;
    return is_step && digits.front() != '-' ? std::optional(step) : std::nullopt;
}

std::optional<Index> step_of(const std::filesystem::path& path) {
    return step_between(path.filename().string(), checkpoint_prefix, suffix);
}

// The stamp and the length alone: reading a whole checkpoint again at every commit would double its cost.
bool looks_whole(const std::filesystem::path& path) {
    try {
        return open_stamped(path).stamp.kind == "checkpoint";
    } catch (const FileError&) {
        return false;
    }
}

// Keeps the checkpoint of `step` and the newest older one that looks whole. Checkpoints of later steps are those that
// restore_newest passed over when this run was resumed: kept, they would one day crowd out a good one. A file that
// cannot be removed does no harm, so errors are let go.
void remove_superseded(const std::filesystem::path& run_directory, Index step) {
    std::error_code ignored;
    bool has_predecessor = false;
    for (const auto& path : list_checkpoints(run_directory)) {
        if (step_of(path) == step)
            continue;
        const bool is_predecessor = !has_predecessor && *step_of(path) < step && looks_whole(path);
        has_predecessor |= is_predecessor;
        if (!is_predecessor && std::filesystem::is_regular_file(path, ignored))
            std::filesystem::remove(path, ignored);
    }
    remove_temporary_files(run_directory);
}

// Rank 0's list on every rank: on a network file system the ranks may not see the same one.
std::vector<std::filesystem::path> agreed_list(const parallel::Communicator& ranks,
                                               const std::filesystem::path& run_directory) {
    std::string names;
    parallel::on_root(ranks, [&] {
        for (const auto& path : list_checkpoints(run_directory))
            names += path.filename().string() + "\n";
    });
    names = ranks.broadcast(names);
    std::vector<std::filesystem::path> paths;
    for (std::size_t begin = 0, end = 0; begin < names.size(); begin = end + 1) {
        end = names.find('\n', begin);
        paths.push_back(run_directory / names.substr(begin, end - begin));
    }
    return paths;
}

} // namespace

std::filesystem::path checkpoint_path(const std::filesystem::path& run_directory, Index step) {
    PEARLITE_EXPECTS(step >= 0);
    const std::string digits = std::to_string(step);
    const std::string zeros(step_digits - std::min(step_digits, digits.size()), '0');
    return run_directory / (std::string(checkpoint_prefix) + zeros + digits + std::string(suffix));
}

std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& run_directory) {
    std::error_code error;
    auto paths = paths_in(run_directory, error);
    std::erase_if(paths, [](const auto& path) { return !step_of(path); });
    if (error && error != std::errc::no_such_file_or_directory)
        throw FileError("cannot list " + run_directory.string() + ": " + error.message());
    std::ranges::sort(paths, std::ranges::greater{}, [](const auto& path) { return *step_of(path); });
    return paths;
}

void commit_checkpoint(const parallel::Communicator& ranks, Writer& writer, const std::filesystem::path& run_directory,
                       Index step) {
    writer.commit(checkpoint_path(run_directory, step), "checkpoint");
    parallel::on_root(ranks, [&] { remove_superseded(run_directory, step); });
}

Restored restore_newest(const parallel::Communicator& ranks, const std::filesystem::path& run_directory,
                        const std::function<void(Reader&)>& restore) {
    Restored restored;
    for (const auto& path : agreed_list(ranks, run_directory)) {
        try {
            Reader reader(ranks, path, "checkpoint");
            restore(reader);
            restored.path = path;
            parallel::on_root(ranks, [&] { remove_temporary_files(run_directory); });
            return restored;
        } catch (const FileError& error) {
            if (ranks.size() > 1 && !error.is_agreed())
                throw;
            const std::string name = path.filename().string();
            restored.warnings.push_back("passed over " + name + ": " + error.what());
        }
    }
    if (restored.warnings.empty())
        throw_agreed(ErrorKind::file, "no checkpoint in " + run_directory.string());
    std::string message = "no usable checkpoint in " + run_directory.string();
    for (const std::string& warning : restored.warnings)
        message += "\n  " + warning;
    throw_agreed(ErrorKind::file, message);
}

} // namespace pearlite::io
