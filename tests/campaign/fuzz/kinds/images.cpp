// Images of two colours, and MNIST's idx format, plain or compressed.

#include "campaign/fuzz/input_kind.hpp"

#include "io/arrays/images.hpp"
#include "pearlite/io/arrays.hpp"

namespace pearlite::fuzz {

Kinds image_kinds(const std::filesystem::path& scratch) {
    const auto kind = [&](const std::string& name, const std::string& corpus, const std::string& extension,
                          const std::function<void(const std::filesystem::path&)>& read) {
        const auto file = scratch / (name + extension);
        return InputKind{name, corpus, [=](const std::string& input) {
                             write_file(file, input);
                             read(file);
                         }};
    };
    constexpr Index most = 100; // images
    const auto read_grey = [](const auto& file) { io::read_grey_images(file, "images", most); };
    return {kind("binary-image", "images", "", [](const auto& file) { io::read_binary_image(file); }),
            kind("idx-counts", "idx", "", [](const auto& file) { io::read_idx_pixel_counts(file); }),
            kind("idx-images", "idx", "", [](const auto& file) { io::read_idx_images(file, most); }),
            kind("grey-images-idx", "idx", "", read_grey), kind("grey-images-csv", "grey-csv", ".csv", read_grey)};
}

} // namespace pearlite::fuzz
