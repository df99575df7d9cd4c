#include "io/container/hdf5_handle.hpp"
#include "io/files/whole_file.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::io {
namespace {

using GreyImages = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;
/// Pixels x images.
using Levels = Eigen::MatrixXf;

constexpr float brightest_level = 255;

/// `values` are whole numbers up to 255, or from 0 to 1.
GreyImages grey_levels(const Levels& values, const std::string& source) {
    const float scale = values.maxCoeff() > 1 ? 1 : brightest_level;
    GreyImages images(values.rows(), values.cols());
    for (Index image = 0; image < values.cols(); ++image)
        for (Index pixel = 0; pixel < values.rows(); ++pixel) {
            const float value = values(pixel, image), level = std::round(scale * value);
            const bool is_whole = scale != 1 || level == value;
            if (!(level >= 0 && level <= brightest_level && is_whole))
                throw InputError(source + ", image " + std::to_string(image) + ", pixel " + std::to_string(pixel) +
                                 ": no grey level (got " + std::to_string(value) +
                                 "), expected whole numbers from 0 to 255, or numbers from 0 to 1 throughout");
            images(pixel, image) = static_cast<std::uint8_t>(level);
        }
    return images;
}

Levels read_csv_levels(const std::filesystem::path& file, Index largest) {
    const Table table = read_bare_csv(file);
    const Index n = std::min(largest, table.values.rows());
    return table.values.topRows(n).transpose().cast<float>();
}

Levels read_hdf5_levels(const std::filesystem::path& path, const std::string& name, Index largest) {
    const std::string source = path.string();
    require_readable_file(path, "images in HDF5");
    const QuietHdf5 quiet;
    try {
        if (H5Fis_hdf5(source.c_str()) <= 0)
            throw InputError(source + ": not an HDF5 file that can be read, expected images");
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
        if (rank != 2 && rank != 3)
            throw InputError(where + ": wrong number of dimensions (got " + std::to_string(rank) +
                             "), expected images x pixels, or images x rows x columns");
        hsize_t sizes[3] = {1, 1, 1};
        hdf5_check(H5Sget_simple_extent_dims(space.get(), sizes, nullptr), where + ": cannot read the shape");
        constexpr hsize_t most_pixels = hsize_t{1} << 24, most_images = hsize_t{1} << 32;
        if (sizes[0] < 1 || sizes[0] > most_images || sizes[1] < 1 || sizes[1] > most_pixels || sizes[2] < 1 ||
            sizes[2] > most_pixels / sizes[1])
            throw InputError(where + ": impossible sizes, expected at least one image and one pixel");
        const hsize_t count[3] = {std::min(sizes[0], static_cast<hsize_t>(largest)), sizes[1], sizes[2]};
        const hsize_t start[3] = {0, 0, 0};
        hdf5_check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr), where);
        Levels levels(static_cast<Index>(sizes[1] * sizes[2]), static_cast<Index>(count[0]));
        const Hdf5Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose, where);
        hdf5_check(H5Dread(dataset.get(), H5T_NATIVE_FLOAT, memory.get(), space.get(), H5P_DEFAULT, levels.data()),
                   where + " cannot be read");
        return levels;
    } catch (const FileError& error) {
        throw InputError(error.what()); // the user's file cannot be read: bad input
    }
}

} // namespace

GreyImages read_grey_images(const std::filesystem::path& file, const std::string& dataset, Index largest) {
    const auto extension = file.extension();
    if (extension == ".csv")
        return grey_levels(read_csv_levels(file, largest), file.string());
    if (extension == ".h5" || extension == ".hdf5")
        return grey_levels(read_hdf5_levels(file, dataset, largest), file.string());
    auto images = read_idx_images(file, largest);
    if (images.maxCoeff() <= 1)
        images *= std::uint8_t{255};
    return images;
}

} // namespace pearlite::io
