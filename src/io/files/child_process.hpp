#pragma once
/// Reading by a library that damaged files may crash or keep for ever, in a process of its own.
///
/// HDF5 1.10 does both: a few bytes of metadata are enough. A stamp guards the containers of this program; files of
/// users have none.

#include "pearlite/core/types.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace pearlite::io {

/// A file to read; the reader knows the meaning of the rest.
struct ReadRequest {
    std::filesystem::path file;
    std::string name = {};
    Index largest = 0;
    int least_dimensions = 0;
};
/// A function, not a closure: the process that calls it may have begun before the request was made.
using FileReader = std::vector<Matrix> (*)(const ReadRequest& request);

/// The matrices that `read` returns in another process. The errors that it throws there are thrown here; InputError if
/// it crashes, or takes more time of a processor than any whole file of this size asks for (at least 2 s). That process
/// is a child of the one that is ready to read, or else of this one.
std::vector<Matrix> read_in_child_process(FileReader read, const ReadRequest& request);

/// A process that is ready to read, from before MPI starts: a process that uses an InfiniBand network should not fork.
/// At most one at a time.
class ReadyToRead {
  public:
    ReadyToRead();
    ~ReadyToRead();
    ReadyToRead(const ReadyToRead&) = delete;
    ReadyToRead& operator=(const ReadyToRead&) = delete;
};

} // namespace pearlite::io
