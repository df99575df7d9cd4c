#pragma once
/// Checksums of formats that have them, made right again after a mutation: otherwise nothing behind them is tried.

#include "campaign/fuzz/input_kind.hpp"

namespace pearlite::fuzz {

/// Those of the chunks of a PNG image, as far as chunks follow each other.
std::string with_png_checksums(std::string image);
/// Those of the members of a zip archive that are stored as they are, where their sizes fit.
std::string with_zip_checksums(std::string archive);

/// A kind whose mutations are bytes, most of them with right checksums.
InputKind checked_kind(InputKind kind, std::string (*with_checksums)(std::string));

} // namespace pearlite::fuzz
