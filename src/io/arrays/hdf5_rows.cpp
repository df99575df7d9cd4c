#include "io/container/hdf5_handle.hpp"
#include "io/files/apart.hpp"
#include "io/files/whole_file.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace pearlite::io {
namespace {

/// `rows` has a row of the dataset in each column.
void require_finite(const Matrix& rows, const std::string& where) {
    for (Index row = 0; row < rows.cols(); ++row)
        for (Index number = 0; number < rows.rows(); ++number)
            if (!std::isfinite(rows(number, row)))
                throw InputError(where + ", row " + std::to_string(row) + ", number " + std::to_string(number) +
                                 ": the value is not finite (got " + std::to_string(rows(number, row)) +
                                 "), expected a finite number");
}

Matrix read_rows_here(const std::filesystem::path& path, const std::string& name, Index largest, int least_dimensions) {
    const std::string source = path.string();
    try {
        if (H5Fis_hdf5(source.c_str()) <= 0)
            throw InputError(source + ": not an HDF5 file that can be read");
        const std::string where = source + ": dataset '" + name + "'";
        const Hdf5Handle file(H5Fopen(source.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                              source + " cannot be opened");
        const Hdf5Handle dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), H5Dclose, where + " is missing");
        const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, where + ": cannot read the type");
        const auto kind = H5Tget_class(type.get());
        if (kind != H5T_FLOAT && kind != H5T_INTEGER)
            throw InputError(where + ": wrong type, expected numbers");
        const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, where + ": cannot read the shape");
        const int rank = H5Sget_simple_extent_ndims(space.get());
        if (rank < least_dimensions || rank > 3)
            throw InputError(where + ": wrong number of dimensions (got " + std::to_string(rank) + "), expected " +
                             (least_dimensions == 1 ? "rows, " : "") + "rows x numbers, or images x rows x columns");
        hsize_t sizes[3] = {1, 1, 1};
        hdf5_check(H5Sget_simple_extent_dims(space.get(), sizes, nullptr), where + ": cannot read the shape");
        constexpr hsize_t most_numbers = hsize_t{1} << 24, most_rows = hsize_t{1} << 32;
        if (sizes[0] < 1 || sizes[0] > most_rows || sizes[1] < 1 || sizes[1] > most_numbers || sizes[2] < 1 ||
            sizes[2] > most_numbers / sizes[1])
            throw InputError(where + ": impossible sizes, expected at least one row and one number");
        const hsize_t count[3] = {std::min(sizes[0], static_cast<hsize_t>(largest)), sizes[1], sizes[2]};
        const hsize_t start[3] = {0, 0, 0};
        hdf5_check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr), where);
        Matrix rows(static_cast<Index>(sizes[1] * sizes[2]), static_cast<Index>(count[0]));
        const Hdf5Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose, where);
        hdf5_check(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, rows.data()),
                   where + " cannot be read");
        require_finite(rows, where);
        return rows.transpose();
    } catch (const FileError& error) {
        throw InputError(error.what()); // the user's file cannot be read: bad input
    }
}

} // namespace

Matrix read_hdf5_rows(const std::filesystem::path& path, const std::string& name, Index largest, int least_dimensions) {
    require_readable_file(path, "numbers in HDF5");
    const QuietHdf5 quiet; // and ready, in this process, lest every child should make HDF5 so anew
    auto rows = read_apart(path, [&] { return std::vector{read_rows_here(path, name, largest, least_dimensions)}; });
    return std::move(rows.at(0));
}

} // namespace pearlite::io
