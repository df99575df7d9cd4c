#pragma once
/// One run at a time in a directory.

#include <filesystem>
#include <string>

namespace pearlite::app {

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

} // namespace pearlite::app
