#pragma once
/// Input files as plain arrays. Every reader throws InputError with file, line (or offset) and what was expected.

#include "pearlite/core/types.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::io {

/// A table of numbers, rows x columns; names if the file has a header.
struct Table {
    std::vector<std::string> names;
    Matrix values;
    /// The column of this name; InputError lists the names there are.
    Index column(const std::string& name) const;
    std::string source; ///< the file, for messages
};

/// Comma-separated numbers under one header line of names.
Table read_csv(const std::filesystem::path& file);
/// Reads some columns only; the other columns may hold anything.
Table read_csv(const std::filesystem::path& file, const std::vector<std::string>& columns);
/// Numbers in a text made for people, with words above and below a table whose lines begin with a number: the last
/// field (between blanks) of every line. InputError with the line's number for one that ends with no finite number, has
/// another number of fields than the first, or stands in the table without being one of it; and for fewer than two
/// lines.
Vector read_last_numbers(const std::filesystem::path& file);
/// A column of a table as programs of the field write them: between commas, or blanks if the first line has no comma, a
/// header if no field of the first line is a number; lines that start with # or @ are skipped (.xvg). `column`: a name
/// of the header, or a number from 1; empty: the last. The other columns may hold anything. InputError with the line's
/// number for a row of another length and for a field that is no finite number, and for fewer than two rows.
Vector read_column(const std::filesystem::path& file, const std::string& column);
/// Comma-separated numbers without a header.
Table read_bare_csv(const std::filesystem::path& file);
/// Blank-separated numbers without a header (lines that start with # are skipped).
Table read_columns(const std::filesystem::path& file);
/// The rows of the second table under those of the first, whose names they take; InputError if the numbers of columns
/// differ.
Table stack_rows(const Table& first, const Table& second);

/// The first `largest` rows of a dataset of an HDF5 file: a number each, numbers, or images of rows x columns, which
/// become one row. InputError for a dataset of fewer dimensions than `least_dimensions`.
Matrix read_hdf5_rows(const std::filesystem::path& file, const std::string& dataset, Index largest,
                      int least_dimensions = 1);

/// RBM weights and biases: W is visible x hidden.
struct RbmArrays {
    Matrix weights;
    Vector visible_bias;
    Vector hidden_bias;
};
/// By extension. .h5: datasets `weights` (visible x hidden, float64), `visible_bias`, `hidden_bias`. .f64: int64
/// n_visible, n_hidden, then float64 W row-major by visible unit, visible biases, hidden biases, all little-endian,
/// nothing after.
RbmArrays read_rbm(const std::filesystem::path& file);
/// Writes the .h5 form; replaces the file once the new one is whole. FileError if it cannot be written.
void write_rbm(const std::filesystem::path& file, const RbmArrays& arrays);

/// Per-pixel counts of a set of images in MNIST's idx format (gzip or plain): in how many of the n images is pixel i
/// on, where a grey level g of 0..255 counts g/255.
struct PixelCounts {
    Vector n_on;
    Index n_images = 0;
};
PixelCounts read_idx_pixel_counts(const std::filesystem::path& file);
/// The first `largest` images of such a file: pixels x images, grey levels.
Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> read_idx_images(const std::filesystem::path& file,
                                                                            Index largest);

/// The first `largest` images of a file, pixels x images, as grey levels 0 .. 255. By extension: .csv, an image a line
/// of comma-separated numbers without a header; .h5 or .hdf5, the dataset of that name, images x pixels or images x
/// rows x columns; anything else is MNIST's idx format (gzip or plain). Levels are whole numbers up to 255, or numbers
/// from 0 to 1, which are multiplied by 255 and rounded: a file without a number above 1 has the latter.
Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> read_grey_images(const std::filesystem::path& file,
                                                                             const std::string& dataset, Index largest);

} // namespace pearlite::io
