#include "io/arrays/png_images.hpp"

#include "io/files/temporary_file.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <cstring>
#include <png.h>

namespace pearlite::io {

namespace {

/// libpng's simplified interface, whose errors are values.
struct PngImage {
    png_image image{};
    PngImage() { image.version = PNG_IMAGE_VERSION; }
    ~PngImage() { png_image_free(&image); }
    PngImage(const PngImage&) = delete;
    PngImage& operator=(const PngImage&) = delete;
};

constexpr png_byte white = 255;

} // namespace

bool is_png(std::string_view content) {
    constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
    return content.starts_with(signature);
}

BinaryImage read_png(std::string_view content, const std::string& source) {
    PngImage png;
    const auto refuse = [&] {
        throw InputError(fmt::format("{}: not a whole PNG image ({})", source, png.image.message));
    };
    if (png_image_begin_read_from_memory(&png.image, content.data(), content.size()) == 0)
        refuse();
    if (png.image.width > largest_image_side || png.image.height > largest_image_side)
        throw InputError(fmt::format("{}: {} x {} pixels, expected at most {} a side", source, png.image.width,
                                     png.image.height, largest_image_side));
    // Deflate makes at most 1032 bytes of one, and a byte is eight pixels: no more room is taken than the file can
    // fill.
    constexpr double most_pixels_of_a_byte = 8 * 1032;
    if (1.0 * png.image.width * png.image.height > most_pixels_of_a_byte * static_cast<double>(content.size()))
        throw InputError(fmt::format("{}: not a whole PNG image (too short for {} x {} pixels)", source,
                                     png.image.width, png.image.height));
    png.image.format = PNG_FORMAT_GRAY;
    BinaryImage image{png.image.height, png.image.width, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(png.image))};
    const png_color background{white, white, white};
    if (png_image_finish_read(&png.image, &background, image.pixels.data(), 0, nullptr) == 0)
        refuse();
    for (std::size_t i = 0; i < image.pixels.size(); ++i)
        image.pixels[i] = colour(image.pixels[i], white, image, static_cast<Index>(i), source);
    return image;
}

void write_png(const std::filesystem::path& file, const BinaryImage& image) {
    PEARLITE_EXPECTS(image.rows >= 1 && image.columns >= 1 &&
                     static_cast<Index>(image.pixels.size()) == image.rows * image.columns);
    std::vector<png_byte> levels;
    levels.reserve(image.pixels.size());
    for (const std::uint8_t pixel : image.pixels)
        levels.push_back(pixel != 0 ? white : 0);
    PngImage png;
    png.image.width = static_cast<png_uint_32>(image.columns);
    png.image.height = static_cast<png_uint_32>(image.rows);
    png.image.format = PNG_FORMAT_GRAY;
    std::string content;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png.image);
    content.resize(size);
    if (png_image_write_to_memory(&png.image, content.data(), &size, 0, levels.data(), 0, nullptr) == 0)
        throw FileError(fmt::format("{}: cannot be written ({})", file.string(), png.image.message));
    content.resize(size);
    write_durably(file, content);
}

} // namespace pearlite::io
