#include "io/files/posix_file.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"

#include <array>
#include <memory>
#include <zlib.h>

namespace pearlite::io {
namespace {

/// A plain or gzip-compressed file, read in order; offsets count uncompressed bytes.
class GzipReader {
  public:
    explicit GzipReader(const std::filesystem::path& path)
        : source_(path.string()), file_(gzopen(path.c_str(), "rb"), gzclose_r) {
        if (file_ == nullptr) {
            throw InputError(source_ + ": cannot be opened, expected images in idx format");
        }
    }

    /// Fills `bytes`, or throws with the offset at which the data end.
    void read(std::span<unsigned char> bytes, const std::string& expected) {
        const std::size_t count = read_some(bytes);
        if (count < bytes.size()) {
            throw InputError(source_ + ": the data end at byte " + std::to_string(offset_) + ", expected " + expected);
        }
    }

    /// Whether nothing follows. Throws if a compressed file lacks its end, where the checksum stands.
    bool at_end() {
        std::array<unsigned char, 1> next;
        const bool is_end = read_some(next) == 0;
        int error = Z_OK;
        gzerror(file_.get(), &error);
        if (is_end && error == Z_BUF_ERROR) {
            throw InputError(source_ + ": the gzip data are cut short after byte " + std::to_string(offset_) +
                             ", expected a checksum");
        }
        return is_end;
    }

    Index offset() const { return offset_; }

  private:
    std::size_t read_some(std::span<unsigned char> bytes) {
        const int count = gzread(file_.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
        int error = Z_OK;
        const char* reason = gzerror(file_.get(), &error);
        // A short gzip stream is Z_BUF_ERROR, with the bytes there are; anything else but an end is damage.
        if (count < 0 || (error != Z_OK && error != Z_BUF_ERROR && error != Z_STREAM_END)) {
            throw InputError(source_ + ": damaged gzip data after byte " + std::to_string(offset_) + " (" + reason +
                             ")");
        }
        offset_ += count;
        return static_cast<std::size_t>(count);
    }

    std::string source_;
    std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
    Index offset_ = 0;
};

struct IdxHeader {
    Index n_images;
    Index n_pixels;
};

Index big_endian(std::span<const unsigned char, 4> bytes) {
    return (Index{bytes[0]} << 24) | (Index{bytes[1]} << 16) | (Index{bytes[2]} << 8) | Index{bytes[3]};
}

IdxHeader read_header(GzipReader& reader, const std::string& source) {
    std::array<unsigned char, 16> bytes;
    reader.read(bytes, "a header of 16 bytes");
    const std::span<const unsigned char, 16> header(bytes);
    constexpr Index magic_of_images = 2051;
    const Index magic = big_endian(header.subspan<0, 4>());
    if (magic != magic_of_images) {
        throw InputError(source + ", byte 0: wrong magic number (got " + std::to_string(magic) +
                         "), expected 2051, images in idx format");
    }
    const Index images = big_endian(header.subspan<4, 4>());
    const Index rows = big_endian(header.subspan<8, 4>());
    const Index columns = big_endian(header.subspan<12, 4>());
    constexpr Index largest_side = 4096; // beyond it the header is damaged, and the buffers would be huge
    const auto is_side = [](Index size) { return size >= 1 && size <= largest_side; };
    if (images < 1 || !is_side(rows) || !is_side(columns)) {
        throw InputError(source + ", byte 4: impossible sizes (got " + std::to_string(images) + " images of " +
                         std::to_string(rows) + " x " + std::to_string(columns) +
                         "), expected at least one image, sides of 1 to 4096 pixels");
    }
    // Deflate makes at most 1032 bytes of one: a larger header is damaged, whatever the memory at hand.
    constexpr std::uintmax_t largest_ratio = 1032;
    const IdxHeader read{images, rows * columns};
    const std::uintmax_t size = std::filesystem::file_size(source);
    if (static_cast<std::uintmax_t>(images * read.n_pixels) / largest_ratio > size) {
        throw InputError(source + ": a file of " + std::to_string(size) + " bytes cannot hold " +
                         std::to_string(images) + " images of " + std::to_string(rows) + " x " +
                         std::to_string(columns) + " pixels");
    }
    return read;
}

} // namespace

PixelCounts read_idx_pixel_counts(const std::filesystem::path& file) {
    const std::string source = file.string();
    require_readable_file(file, "images in idx format");
    GzipReader reader(file);
    const IdxHeader header = read_header(reader, source);

    // Grey levels are summed as integers and scaled once, so the counts are as exact as doubles can be.
    Eigen::Array<std::int64_t, Eigen::Dynamic, 1> sums = decltype(sums)::Zero(header.n_pixels);
    Eigen::Array<unsigned char, Eigen::Dynamic, 1> image(header.n_pixels);
    const std::string expected = std::to_string(header.n_images) + " images of " + std::to_string(header.n_pixels) +
                                 " bytes after a header of 16";
    for (Index i = 0; i < header.n_images; ++i) {
        reader.read({image.data(), static_cast<std::size_t>(image.size())}, expected);
        sums += image.cast<std::int64_t>();
    }
    const Index end = reader.offset();
    if (!reader.at_end()) {
        throw InputError(source + ": data after byte " + std::to_string(end) + ", expected " + expected);
    }
    return {sums.cast<double>().matrix() / 255.0, header.n_images};
}

Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> read_idx_images(const std::filesystem::path& file,
                                                                            Index largest) {
    const std::string source = file.string();
    require_readable_file(file, "images in idx format");
    GzipReader reader(file);
    const IdxHeader header = read_header(reader, source);
    Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic> images(header.n_pixels,
                                                                       std::min(header.n_images, largest));
    reader.read({images.data(), static_cast<std::size_t>(images.size())},
                std::to_string(images.cols()) + " images of " + std::to_string(header.n_pixels) + " bytes");
    return images;
}

} // namespace pearlite::io
