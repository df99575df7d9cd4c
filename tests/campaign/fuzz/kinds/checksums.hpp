#pragma once
/// Checksums of formats that have them, made right again after a mutation: otherwise nothing behind them is tried.

#include "campaign/fuzz/input_kind.hpp"

namespace pearlite::fuzz {

/// Corrects the checksums of the chunks of a PNG image, up to the first chunk that is not where it should be.
std::string with_png_checksums(std::string image);
/// Corrects the checksums of the uncompressed members of a zip archive whose sizes fit.
std::string with_zip_checksums(std::string archive);

/// A kind whose mutations are bytes, most of them with right checksums.
InputKind checked_kind(InputKind kind, std::string (*with_checksums)(std::string));

} // namespace pearlite::fuzz
