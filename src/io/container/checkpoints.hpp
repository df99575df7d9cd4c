#pragma once
/// The checkpoints of a run directory: checkpoint.<step, 12 digits>.h5, the last two kept.

#include "io/container/container.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pearlite::io {

/// The checkpoint file for a step.
std::filesystem::path checkpoint_path(const std::filesystem::path& run_directory, Index step);

/// Checkpoint files of the directory, newest (highest step) first; all files with such a name, whole or not.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& run_directory);

/// Collective. Commits `writer` as the checkpoint of `step`; when that has succeeded, removes left-over temporary files
/// and all checkpoints but this one and the newest earlier one that is not visibly damaged: also those of later steps,
/// which a resumed run has passed over. FileError on failure, with the earlier checkpoints still in place.
void commit_checkpoint(const parallel::Communicator& ranks, Writer& writer, const std::filesystem::path& run_directory,
                       Index step);

/// Collective. Tries the checkpoints newest first: opens each and hands it to `restore`, which throws FileError if it
/// does not fit. Returns the path that succeeded and a warning for each that did not. If none succeeds: FileError
/// listing why each failed. Left-over temporary files are removed after a success. InputError from `restore` (another
/// model, other data) is passed on at once. `restore` must throw the same on all ranks, as the reader does.
struct Restored {
    std::filesystem::path path;
    std::vector<std::string> warnings;
};
Restored restore_newest(const parallel::Communicator& ranks, const std::filesystem::path& run_directory,
                        const std::function<void(Reader&)>& restore);

} // namespace pearlite::io
