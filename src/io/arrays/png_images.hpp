#pragma once
/// PNG images of two colours, by libpng: definitions that the readers and writers of images share.

#include "io/arrays/images.hpp"

#include <string>
#include <string_view>

namespace pearlite::io {

bool is_png(std::string_view content);
/// A PNG of any format must have the levels black and white only; transparent pixels count as white.
BinaryImage read_png(std::string_view content, const std::string& source);

/// "the pixel of row 2, column 3".
std::string pixel_name(const BinaryImage& image, Index pixel);
/// 1 for `white`, 0 for 0; InputError for a level in between.
std::uint8_t colour(Index level, Index white, const BinaryImage& image, Index pixel, const std::string& source);

} // namespace pearlite::io
