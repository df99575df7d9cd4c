// Images of two colours, PNG among them, and MNIST's idx format, plain or compressed.

#include "campaign/fuzz/kinds/checksums.hpp"

#include "io/arrays/images.hpp"
#include "pearlite/io/arrays.hpp"

namespace pearlite::fuzz {

Kinds image_kinds(const std::filesystem::path& scratch) {
    constexpr Index most = 100; // images
    const auto read_grey = [](const auto& file) { io::read_grey_images(file, "images", most); };
    const auto read_binary = [](const auto& file) { io::read_binary_image(file); };
    return {file_kind(scratch, "binary-image", "", "images", read_binary),
            checked_kind(file_kind(scratch, "png", ".png", "png", read_binary), with_png_checksums),
            file_kind(scratch, "idx-counts", "", "idx", [](const auto& file) { io::read_idx_pixel_counts(file); }),
            file_kind(scratch, "idx-images", "", "idx", [](const auto& file) { io::read_idx_images(file, most); }),
            file_kind(scratch, "grey-images-idx", "", "idx", read_grey),
            file_kind(scratch, "grey-images-csv", ".csv", "grey-csv", read_grey)};
}

} // namespace pearlite::fuzz
