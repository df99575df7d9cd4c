#pragma once
/// Images of two colours, from and to files. Readers throw InputError with file, line (or byte) and what was expected.

#include "pearlite/core/types.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite::io {

/// Pixels 0 (black) and 1 (white), row by row from the top.
struct BinaryImage {
    Index rows = 0;
    Index columns = 0;
    std::vector<std::uint8_t> pixels; ///< rows x columns
};

/// Sides of 1 to this many pixels are read.
inline constexpr Index largest_image_side = 65536;

/// Reads by content: PNG whose pixels are black and white; PGM, plain or raw (P2, P5; black is 0 and white the largest
/// level, with nothing between them), PBM, plain or raw (P1, P4; a set bit is black, so it becomes 0), or text: the
/// numbers of rows and of columns, then the pixels as 0 and 1, all between blanks. One image, and nothing but blanks
/// after it.
BinaryImage read_binary_image(const std::filesystem::path& file);

/// PNG with grey levels 0 and 255; replaces the file. FileError if it cannot be written.
void write_png(const std::filesystem::path& file, const BinaryImage& image);

// PNG images of two colours, by libpng: definitions that the readers and writers of images share.

bool is_png(std::string_view content);
/// A PNG of any format must have the levels black and white only; transparent pixels count as white.
BinaryImage read_png(std::string_view content, const std::string& source);

/// "the pixel of row 2, column 3".
std::string pixel_name(const BinaryImage& image, Index pixel);
/// 1 for `white`, 0 for 0; InputError for a level in between.
std::uint8_t colour(Index level, Index white, const BinaryImage& image, Index pixel, const std::string& source);

} // namespace pearlite::io
