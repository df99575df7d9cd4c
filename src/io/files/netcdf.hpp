#pragma once
/// NetCDF-4 files of groups of labelled arrays, which xarray and ArviZ read.

#include "pearlite/core/labelled_array.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::io {

/// Dimensions of the same name are one dimension of the group.
struct NetcdfGroup {
    using Attribute = std::pair<std::string, std::string>;
    std::string name;
    std::vector<LabelledArray> arrays;
    std::vector<Attribute> attributes = {};
};

/// Writes the file under a temporary name, syncs and renames it. The same groups give the same bytes. Each dimension
/// gets a coordinate variable with its labels or 0, 1, 2 ...; names that NetCDF does not allow, or that are taken, are
/// mended with underscores. Empty arrays are left out, since a dimension has no length 0. FileError if it cannot be
/// written, and the old file is then untouched. ContractViolation for dimensions of one name that differ, or values
/// that are not as many as their dimensions say. No MPI: for one rank.
///
/// The library lays the file out in memory and never writes to the disk itself.
void write_netcdf(const std::filesystem::path& path, const std::vector<NetcdfGroup>& groups,
                  const std::vector<NetcdfGroup::Attribute>& attributes);

/// A group of such a file: its arrays of numbers in the order in which they were written, without coordinate variables
/// and labels, and its attributes that are texts. Nothing if the file has no such group. InputError for what is no
/// NetCDF-4 file; one that crashes the library does so in a child of this process.
std::optional<NetcdfGroup> read_netcdf_group(const std::filesystem::path& path, const std::string& name);

} // namespace pearlite::io
