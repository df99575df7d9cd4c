#include "io/container/hdf5_handle.hpp"
#include "io/files/child_process.hpp"
#include "io/files/temporary_file.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace pearlite::io {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

static_assert(std::endian::native == std::endian::little, "the .f64 form is read as it lies in memory");

constexpr std::size_t word_bytes = 8;

/// Sums of as many numbers as an RBM has stay finite in single precision.
constexpr double largest_magnitude = 1e30;

/// InputError at the first value that no RBM has; `offset` is where the values start in the file.
void require_sane(const double* values, Index count, const std::string& where, std::size_t offset) {
    for (Index i = 0; i < count; ++i) {
        if (!(std::abs(values[i]) <= largest_magnitude)) {
            throw InputError(fmt::format("{}, byte {}: no value of an RBM (got {}), expected a number in [-{}, {}]",
                                         where, offset + static_cast<std::size_t>(i) * word_bytes, values[i],
                                         largest_magnitude, largest_magnitude));
        }
    }
}

/// Sizes from the first 16 bytes, checked against the size of the file before anything is computed from them.
std::pair<Index, Index> read_sizes(const std::string& bytes, const std::string& source) {
    if (bytes.size() < 2 * word_bytes) {
        throw InputError(source + ": ends at byte " + std::to_string(bytes.size()) +
                         ", expected 16 bytes with n_visible and n_hidden as int64");
    }
    std::int64_t sizes[2];
    std::memcpy(sizes, bytes.data(), sizeof sizes);
    const auto [n_visible, n_hidden] = sizes;
    const std::string got = "n_visible = " + std::to_string(n_visible) + ", n_hidden = " + std::to_string(n_hidden);
    if (n_visible < 1 || n_hidden < 1) {
        throw InputError(source + ", byte 0: impossible sizes (got " + got +
                         "), expected positive little-endian int64");
    }
    // Against overflow: neither factor, nor their product, may pass the number of words that there are.
    const auto words = static_cast<Index>(bytes.size() / word_bytes);
    const bool fits = n_visible <= words && n_hidden <= words / n_visible;
    const Index expected = fits ? 2 + n_visible * n_hidden + n_visible + n_hidden : 0;
    if (!fits || expected * static_cast<Index>(word_bytes) != static_cast<Index>(bytes.size())) {
        const std::string size =
            fits ? std::to_string(expected * static_cast<Index>(word_bytes)) + " bytes" : "a longer file";
        throw InputError(source + ": wrong size (got " + std::to_string(bytes.size()) + " bytes), expected " + size +
                         " for " + got);
    }
    return {n_visible, n_hidden};
}

RbmArrays read_f64(const std::filesystem::path& file) {
    const std::string source = file.string();
    const std::string bytes = read_whole_file(file, "RBM weights (int64 n_visible, n_hidden, then float64 values)");
    const auto [n_visible, n_hidden] = read_sizes(bytes, source);
    Vector values(n_visible * n_hidden + n_visible + n_hidden);
    std::memcpy(values.data(), bytes.data() + 2 * word_bytes, static_cast<std::size_t>(values.size()) * word_bytes);
    require_sane(values.data(), values.size(), source, 2 * word_bytes);
    return {Eigen::Map<const RowMajor>(values.data(), n_visible, n_hidden),
            values.segment(n_visible * n_hidden, n_visible), values.tail(n_hidden)};
}

/// Sizes of a dataset with `rank` dimensions, none of them zero.
std::vector<Index> dataset_sizes(const Hdf5Handle& dataset, int rank, const std::string& where) {
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, where + ": cannot read the shape");
    const int found = hdf5_check(H5Sget_simple_extent_ndims(space.get()), where + ": cannot read the shape");
    if (found != rank) {
        throw InputError(where + ": wrong number of dimensions (got " + std::to_string(found) + "), expected " +
                         std::to_string(rank));
    }
    std::vector<hsize_t> sizes(static_cast<std::size_t>(rank));
    hdf5_check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), where + ": cannot read the shape");
    std::vector<Index> result;
    for (const hsize_t size : sizes) {
        // More units than this are no RBM but a damaged file, and the product must not overflow.
        constexpr hsize_t largest = hsize_t{1} << 24;
        if (size < 1 || size > largest) {
            throw InputError(where + ": impossible size (got " + std::to_string(size) + "), expected 1 to " +
                             std::to_string(largest));
        }
        result.push_back(static_cast<Index>(size));
    }
    return result;
}

/// A dataset of floating-point numbers of any width, row-major; a vector is a matrix of one column.
RowMajor read_dataset(hid_t file, const std::string& name, int rank, const std::string& source) {
    const std::string where = source + ": dataset '" + name + "'";
    if (H5Lexists(file, name.c_str(), H5P_DEFAULT) <= 0) {
        throw InputError(where + " is missing, expected weights, visible_bias and hidden_bias");
    }
    const Hdf5Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, where + " cannot be opened");
    const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, where + ": cannot read the type");
    if (H5Tget_class(type.get()) != H5T_FLOAT) {
        throw InputError(where + ": wrong type, expected floating-point numbers");
    }
    const std::vector<Index> sizes = dataset_sizes(dataset, rank, where);
    RowMajor values(sizes[0], rank == 2 ? sizes[1] : 1);
    hdf5_check(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
               where + " cannot be read");
    for (Index i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values.data()[i])) {
            throw InputError(where + ", element " + std::to_string(i) + ": the value is not finite (got " +
                             std::to_string(values.data()[i]) + "), expected a finite number");
        }
    }
    return values;
}

void require_length(const Vector& bias, Index units, const std::string& name, const std::string& source) {
    if (bias.size() != units) {
        throw InputError(source + ": dataset '" + name + "': wrong length (got " + std::to_string(bias.size()) +
                         "), expected " + std::to_string(units) + " as in 'weights'");
    }
}

RbmArrays read_h5_here(const std::filesystem::path& path) {
    const std::string source = path.string();
    try {
        if (H5Fis_hdf5(source.c_str()) <= 0) {
            throw InputError(source + ": not an HDF5 file that can be read, expected RBM weights");
        }
        const Hdf5Handle file(H5Fopen(source.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                              source + " cannot be opened");
        RbmArrays arrays{read_dataset(file.get(), "weights", 2, source),
                         read_dataset(file.get(), "visible_bias", 1, source),
                         read_dataset(file.get(), "hidden_bias", 1, source)};
        require_length(arrays.visible_bias, arrays.weights.rows(), "visible_bias", source);
        require_length(arrays.hidden_bias, arrays.weights.cols(), "hidden_bias", source);
        return arrays;
    } catch (const FileError& error) {
        throw InputError(error.what()); // the user's file cannot be read: bad input
    }
}

RbmArrays read_h5(const std::filesystem::path& path) {
    const auto read = [](const ReadRequest& request) {
        const QuietHdf5 quiet;
        const RbmArrays arrays = read_h5_here(request.file);
        return std::vector<Matrix>{arrays.weights, arrays.visible_bias, arrays.hidden_bias};
    };
    const auto parts = read_in_child_process(read, {path});
    return {parts.at(0), parts.at(1).col(0), parts.at(2).col(0)};
}

void write_dataset(const Hdf5Handle& file, const char* name, const std::vector<hsize_t>& sizes, const double* values,
                   const std::string& where) {
    const Hdf5Handle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose, where);
    const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, where);
    hdf5_check(H5Pset_obj_track_times(properties.get(), false), where); // equal weights leave equal files
    const Hdf5Handle dataset(
        H5Dcreate2(file.get(), name, H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Dclose,
        where);
    hdf5_check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), where);
}

/// The bytes of a file that HDF5 holds in memory: on the disk itself, a failed write would end in a crash of HDF5.
std::vector<std::byte> image_of(const Hdf5Handle& file, const std::string& where) {
    hdf5_check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), where);
    const auto size = hdf5_check(H5Fget_file_image(file.get(), nullptr, 0), where);
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    hdf5_check(H5Fget_file_image(file.get(), bytes.data(), bytes.size()), where);
    return bytes;
}

} // namespace

void write_rbm(const std::filesystem::path& file, const RbmArrays& arrays) {
    constexpr std::size_t growth = std::size_t{1} << 20;
    const std::string where = file.string() + ": cannot write RBM weights";
    const QuietHdf5 quiet;
    const auto n_visible = static_cast<hsize_t>(arrays.weights.rows());
    const auto n_hidden = static_cast<hsize_t>(arrays.weights.cols());
    const RowMajor weights = arrays.weights;
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, where);
    hdf5_check(H5Pset_fapl_core(access.get(), growth, false), where);
    const Hdf5Handle out(H5Fcreate(file.filename().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), H5Fclose, where);
    write_dataset(out, "weights", {n_visible, n_hidden}, weights.data(), where);
    write_dataset(out, "visible_bias", {n_visible}, arrays.visible_bias.data(), where);
    write_dataset(out, "hidden_bias", {n_hidden}, arrays.hidden_bias.data(), where);
    write_durably(file, image_of(out, where));
}

RbmArrays read_rbm(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    if (extension == ".f64") {
        return read_f64(file);
    }
    if (extension == ".h5") {
        require_readable_file(file, "RBM weights in HDF5");
        return read_h5(file);
    }
    throw InputError(file.string() + ": unknown kind of RBM weights (got \"" + extension +
                     "\"), expected .h5 or .f64; import_rbm.py converts MATLAB's .mat");
}

} // namespace pearlite::io
