#pragma once
/// The directory of a run or of a sweep, and the lock that keeps others out.

#include "parallel/communicator.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace pearlite::app {

// One run at a time in a directory.

/// Held on the file run.lock of a run directory, whose text names the host and process that hold it. The kernel
/// releases it when the process ends, in whatever way, so that what a killed run leaves is taken over. Across hosts it
/// holds where the file system has locks (NFS with a lock service).
class DirectoryLock {
  public:
    DirectoryLock() = default;
    /// Waits for some seconds for a run that is just ending. InputError that names the process if another one holds it.
    explicit DirectoryLock(const std::filesystem::path& directory);
    DirectoryLock(DirectoryLock&& other) noexcept;
    DirectoryLock& operator=(DirectoryLock&& other) noexcept;
    /// Removes the file.
    ~DirectoryLock();

    /// A warning if the directory could not be locked; empty if it is locked.
    const std::string& remark() const { return remark_; }

  private:
    std::filesystem::path file_;
    int descriptor_ = -1;
    std::string remark_;
};

/// The process that holds a directory's lock, in words ("process 17 on node3"); empty if none does, or if that cannot
/// be found out. Takes no lock.
std::string lock_holder(const std::filesystem::path& directory);
/// A sign of life of the process that holds the lock: the time of the lock file.
void give_sign_of_life(const std::filesystem::path& directory);
/// Seconds since the last one, by this machine's clock; nothing if there is no lock file.
std::optional<double> age_of_sign_of_life(const std::filesystem::path& directory);

/// Makes an empty directory for a run, and locks it. `overwrite` removes the files of an earlier run or sweep; other
/// files stay. The directory gets the identity of a new run. InputError if it is not empty, or cannot be made, or if
/// another run is using it; FileError if it cannot be written to.
[[nodiscard]] DirectoryLock make_run_directory(const std::filesystem::path& directory, bool overwrite);

/// The identity of the run in a directory, 32 random hexadecimal digits in the file run.id, by which a run recognises
/// its checkpoints. Empty if there is none, for example after checkpoints were copied to another directory.
std::string read_run_id(const std::filesystem::path& directory);
/// Collective. The same on every rank, as rank 0 reads it.
std::string run_id_of(const parallel::Communicator& ranks, const std::filesystem::path& directory);
/// FileError.
void write_run_id(const std::filesystem::path& directory, const std::string& id);
std::string new_run_id();

/// The directory of one run of a sweep.
std::filesystem::path directory_of_run(const std::filesystem::path& sweep, long run);

} // namespace pearlite::app
