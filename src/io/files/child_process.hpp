#pragma once
/// Reading by a library that damaged files may crash or keep for ever, in a child of this process.
///
/// HDF5 1.10 does both: a few bytes of metadata are enough. A stamp guards the containers of this program; files of
/// users have none.

#include "pearlite/core/types.hpp"

#include <filesystem>
#include <functional>
#include <vector>

namespace pearlite::io {

/// The matrices that `read` returns in a child. The errors that it throws there are thrown here; InputError if it
/// crashes, or takes more time of a processor than any whole file of the size of `file` asks for (at least 2 s).
std::vector<Matrix> read_in_child_process(const std::filesystem::path& file,
                                          const std::function<std::vector<Matrix>()>& read);

} // namespace pearlite::io
