#include "io/arrays/images.hpp"

#include "io/files/temporary_file.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <png.h>

namespace pearlite::io {

namespace {

constexpr const char* known_formats =
    "a binary image: PNG, PGM (P2, P5), PBM (P1, P4), or text (rows, columns, then 0 and 1)";
constexpr std::string_view blanks = " \t\n\r\v\f";

bool is_blank(char c) {
    return blanks.find(c) != std::string_view::npos;
}

/// An image file, read from its beginning.
class Scanner {
  public:
    Scanner(std::string source, std::string_view text, bool has_comments)
        : source_(std::move(source)), text_(text), has_comments_(has_comments) {}

    void skip(std::size_t bytes) { position_ += bytes; }
    std::size_t position() const { return position_; }
    std::string_view rest() const { return text_.substr(position_); }
    const std::string& source() const { return source_; }

    [[noreturn]] void fail(const std::string& what) const {
        const auto lines = std::count(text_.begin(), text_.begin() + static_cast<Index>(position_), '\n');
        throw InputError(source_ + ":" + std::to_string(lines + 1) + ": " + what);
    }

    /// Skips to the next character that is neither blank nor comment; whether there is one.
    bool skip_blanks() {
        while (position_ < text_.size()) {
            if (has_comments_ && text_[position_] == '#') {
                position_ = std::min(text_.find('\n', position_), text_.size());
            } else if (is_blank(text_[position_])) {
                ++position_;
            } else {
                return true;
            }
        }
        return false;
    }

    /// The next number, with only blanks (or a comment) before and after it.
    Index number(const std::string& name, Index smallest, Index largest) {
        const std::string range = std::to_string(smallest) + " to " + std::to_string(largest);
        if (!skip_blanks())
            fail("the file ends before " + name + ", expected a number of " + range);
        std::string_view word = rest().substr(0, rest().find_first_of(blanks));
        word = word.substr(0, has_comments_ ? word.find('#') : word.npos);
        Index value = -1;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || value < smallest || value > largest) {
            fail(name + " is wrong (got \"" + std::string(word.substr(0, 20)) + "\"), expected a number of " + range);
        }
        position_ += word.size();
        return value;
    }

    /// A digit 0 or 1, which may touch the next one.
    bool digit(const std::string& name) {
        if (!skip_blanks())
            fail("the file ends before " + name + ", expected 0 or 1");
        const char c = text_[position_];
        if (c != '0' && c != '1')
            fail(name + " is wrong (got \"" + std::string(1, c) + "\"), expected 0 or 1");
        ++position_;
        return c == '1';
    }

    void expect_end(const BinaryImage& image) {
        if (skip_blanks()) {
            fail("data after the image (\"" + std::string(rest().substr(0, 8)) + "\"), expected one of " +
                 std::to_string(image.rows) + " rows and " + std::to_string(image.columns) + " columns");
        }
    }

  private:
    std::string source_;
    std::string_view text_;
    bool has_comments_;
    std::size_t position_ = 0;
};

/// Allocates the pixels after a check that the file is long enough to hold them.
void make_pixels(BinaryImage& image, const Scanner& scanner) {
    const Index size = image.rows * image.columns;
    const auto left = static_cast<Index>(scanner.rest().size());
    if (left < size) {
        scanner.fail(std::to_string(left) + " characters are left for the pixels, expected at least one for each of " +
                     std::to_string(image.rows) + " rows and " + std::to_string(image.columns) + " columns");
    }
    image.pixels.resize(static_cast<std::size_t>(size));
}

/// Sides in the order in which netpbm writes them.
BinaryImage read_sides(Scanner& scanner) {
    BinaryImage image;
    image.columns = scanner.number("the number of columns", 1, largest_image_side);
    image.rows = scanner.number("the number of rows", 1, largest_image_side);
    return image;
}

/// The raw pixels after the one blank that ends a header, in rows of `row_bytes`.
std::span<const unsigned char> raw_pixels(Scanner& scanner, const BinaryImage& image, Index row_bytes) {
    if (scanner.rest().empty() || !is_blank(scanner.rest().front()))
        scanner.fail("no blank at the end of the header, expected one before the pixels");
    scanner.skip(1);
    const std::string_view bytes = scanner.rest();
    const Index expected = image.rows * row_bytes;
    if (static_cast<Index>(bytes.size()) != expected) {
        throw InputError(scanner.source() + ", byte " + std::to_string(scanner.position()) +
                         ": wrong number of bytes for the pixels (got " + std::to_string(bytes.size()) +
                         "), expected " + std::to_string(expected) + " (" + std::to_string(image.rows) + " rows of " +
                         std::to_string(row_bytes) + ")");
    }
    return {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
}

BinaryImage read_pgm(Scanner& scanner, bool raw) {
    BinaryImage image = read_sides(scanner);
    const Index white = scanner.number("the largest grey level", 1, 65535);
    const Index size = image.rows * image.columns;
    if (raw) {
        const Index pixel_bytes = white > 255 ? 2 : 1;
        const auto bytes = raw_pixels(scanner, image, image.columns * pixel_bytes);
        image.pixels.resize(static_cast<std::size_t>(size));
        for (Index i = 0; i < size; ++i) {
            const auto k = static_cast<std::size_t>(i * pixel_bytes);
            const Index level = pixel_bytes == 1 ? bytes[k] : bytes[k] * 256 + bytes[k + 1];
            image.pixels[static_cast<std::size_t>(i)] = colour(level, white, image, i, scanner.source());
        }
        return image;
    }
    make_pixels(image, scanner);
    for (Index i = 0; i < size; ++i) {
        const Index level = scanner.number(pixel_name(image, i), 0, white);
        image.pixels[static_cast<std::size_t>(i)] = colour(level, white, image, i, scanner.source());
    }
    scanner.expect_end(image);
    return image;
}

BinaryImage read_pbm(Scanner& scanner, bool raw) {
    BinaryImage image = read_sides(scanner);
    const Index size = image.rows * image.columns;
    if (raw) {
        const Index row_bytes = (image.columns + 7) / 8;
        const auto bytes = raw_pixels(scanner, image, row_bytes);
        image.pixels.resize(static_cast<std::size_t>(size));
        for (Index i = 0; i < size; ++i) {
            const Index column = i % image.columns;
            const unsigned byte = bytes[static_cast<std::size_t>(i / image.columns * row_bytes + column / 8)];
            image.pixels[static_cast<std::size_t>(i)] = (byte >> (7 - column % 8) & 1) != 0 ? 0 : 1;
        }
        return image;
    }
    make_pixels(image, scanner);
    for (Index i = 0; i < size; ++i)
        image.pixels[static_cast<std::size_t>(i)] = scanner.digit(pixel_name(image, i)) ? 0 : 1;
    scanner.expect_end(image);
    return image;
}

BinaryImage read_text_image(Scanner& scanner) {
    BinaryImage image;
    image.rows = scanner.number("the number of rows", 1, largest_image_side);
    image.columns = scanner.number("the number of columns", 1, largest_image_side);
    make_pixels(image, scanner);
    for (Index i = 0; i < image.rows * image.columns; ++i)
        image.pixels[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(scanner.number(pixel_name(image, i), 0, 1));
    scanner.expect_end(image);
    return image;
}

} // namespace

std::string pixel_name(const BinaryImage& image, Index pixel) {
    return "the pixel of row " + std::to_string(pixel / image.columns + 1) + ", column " +
           std::to_string(pixel % image.columns + 1);
}

std::uint8_t colour(Index level, Index white, const BinaryImage& image, Index pixel, const std::string& source) {
    if (level != 0 && level != white) {
        throw InputError(source + ": " + pixel_name(image, pixel) + " is grey (got level " + std::to_string(level) +
                         "), expected 0 or " + std::to_string(white) + " only");
    }
    return level == 0 ? 0 : 1;
}

BinaryImage read_binary_image(const std::filesystem::path& file) {
    const std::string text = read_whole_file(file, known_formats);
    if (is_png(text))
        return read_png(text, file.string());
    const std::string magic = text.substr(0, 2);
    const bool is_netpbm = text.size() > 2 && (is_blank(text[2]) || text[2] == '#');
    if (is_netpbm && (magic == "P1" || magic == "P2" || magic == "P4" || magic == "P5")) {
        Scanner scanner(file.string(), text, true);
        scanner.skip(2);
        const bool raw = magic[1] >= '4';
        return magic == "P2" || magic == "P5" ? read_pgm(scanner, raw) : read_pbm(scanner, raw);
    }
    Scanner scanner(file.string(), text, false);
    if (!scanner.skip_blanks() || scanner.rest().front() < '0' || scanner.rest().front() > '9')
        throw InputError(file.string() + ": unknown format, expected " + known_formats);
    return read_text_image(scanner);
}

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
