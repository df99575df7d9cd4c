#pragma once
/// Arrays in NumPy's files (.npz), by minizip.

#include "pearlite/core/types.hpp"

#include <filesystem>
#include <string>

namespace pearlite::io {

/// An array of float64, float32 or integers, in C or Fortran order: (n) as n x 1, or (rows, columns). InputError for a
/// file that is no .npz, an array that is not there or is damaged, of another type, byte order or number of dimensions.
Matrix read_npz(const std::filesystem::path& file, const std::string& array);

} // namespace pearlite::io
