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
    return read_hdf5_rows(path, name, largest, 2).transpose().cast<float>();
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
