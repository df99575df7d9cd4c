#pragma once
/// Restoration of an image of two colours: the Ising prior on eight neighbours, given an observed image (Besag 1977;
/// Geman & Geman 1984). The energy is a function of two integer counts, which every change keeps exactly.

#include "pearlite/model/fingerprint.hpp"
#include "pearlite/random/stream.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pearlite::models {

struct ImageRestorationSettings {
    Index rows = 0, columns = 0;        ///< at least 1, at most ImageRestoration::largest_size pixels
    std::vector<std::uint8_t> observed; ///< y: rows x columns, row by row, 0 or 1
    double data_weight = 1.1;           ///< a, finite and > 0
    double pair_weight = 0.9;           ///< b, finite and > 0
};

/// The counts that make up the energy, or a change of them.
struct ImageCounts {
    Index agreements = 0;  ///< pixels with x_i = y_i
    Index equal_pairs = 0; ///< unordered pairs of neighbours with x_i = x_j

    bool operator==(const ImageCounts&) const = default;
    ImageCounts& operator+=(const ImageCounts& other) {
        agreements += other.agreements;
        equal_pairs += other.equal_pairs;
        return *this;
    }
    friend ImageCounts operator+(ImageCounts a, const ImageCounts& b) { return a += b; }
};

/// One image x and its counts; made and changed by the ImageRestoration it belongs to.
class ImageState {
  public:
    const ImageCounts& counts() const { return counts_; }

  private:
    friend class ImageRestoration;
    std::vector<std::uint64_t> words_;
    ImageCounts counts_;
};

/// Pixels row .. row + height - 1 by column .. column + width - 1.
struct ImageRectangle {
    Index row = 0, column = 0, height = 1, width = 1;
};

/// Connected pixels of one colour, and the change of the counts if they flip. Reused from move to move.
struct ImageCluster {
    std::vector<Index> pixels;
    ImageCounts change;
    std::vector<std::uint8_t> is_member; ///< for each pixel of the image; grow_cluster() makes and keeps it
};

/// U(x) = -a #{i: x_i = y_i} - b #{i ~ j: x_i = x_j}, where ~ joins a pixel to those of its eight neighbours that lie
/// inside the image, each pair counted once. Minus log posterior up to a constant (eq. 4.7 of Karagiannis et al. 2017).
/// Pixels are numbered row by row. Changes are proposed and made apart: a `*_change` only looks.
///
/// An image is kept as bits, row after row with a border bit of 0 between them, so that any run of pixels is a run of
/// bits and the neighbours of all pixels in one direction are one shift away.
class ImageRestoration {
  public:
    static constexpr Index largest_size = Index{1} << 24;

    /// InputError if a setting is out of range.
    explicit ImageRestoration(ImageRestorationSettings settings);

    const ImageRestorationSettings& settings() const { return settings_; }
    Index size() const { return settings_.rows * settings_.columns; }
    /// Number of unordered pairs of neighbours.
    Index n_pairs() const { return n_pairs_; }

    double energy(const ImageCounts& counts) const {
        return -(settings_.data_weight * static_cast<double>(counts.agreements) +
                 settings_.pair_weight * static_cast<double>(counts.equal_pairs));
    }
    double energy(const ImageState& state) const { return energy(state.counts_); }
    /// The counts of a state from its pixels alone.
    ImageCounts recount(const ImageState& state) const;

    /// `pixels` as in the settings; ContractViolation for a wrong length.
    ImageState make_state(std::span<const std::uint8_t> pixels) const;
    ImageState observed_state() const { return counted(observed_); }
    /// Uniform on all images: pixel i is bit i % 32 of word i / 32 of the stream.
    ImageState random_state(const random::Address& address) const;
    std::vector<std::uint8_t> pixels(const ImageState& state) const;
    bool pixel(const ImageState& state, Index pixel) const { return bit(state.words_, site_of(pixel).position); }

    /// Pixel i is bit i % 8 of byte i / 8.
    std::size_t packed_bytes() const { return static_cast<std::size_t>((size() + 7) / 8); }
    void pack(const ImageState& state, std::span<std::byte> out) const;
    /// Computes the counts afresh.
    ImageState unpack(std::span<const std::byte> in) const;

    /// The image as it is kept, with its borders and counts: a little longer than packed, but copied at once.
    std::size_t stored_bytes() const { return inside_.size() * sizeof(std::uint64_t) + sizeof(ImageCounts); }
    void store(const ImageState& state, std::span<std::byte> out) const;
    /// The inverse. ContractViolation if the bytes are not those of an image: bits in the borders, impossible counts.
    void restore(std::span<const std::byte> in, ImageState& state) const;

    /// The change of counts if this pixel is flipped.
    ImageCounts flip_change(const ImageState& state, Index pixel) const;
    /// Flips it; `change` is the result of flip_change() for this state.
    void flip(ImageState& state, Index pixel, const ImageCounts& change) const;
    void flip(ImageState& state, Index pixel) const { flip(state, pixel, flip_change(state, pixel)); }

    /// The same for a rectangle, which must lie inside the image.
    ImageCounts flip_change(const ImageState& state, const ImageRectangle& rectangle) const;
    void flip(ImageState& state, const ImageRectangle& rectangle, const ImageCounts& change) const;

    /// The changes of counts of both states if they exchange pixels from .. to - 1 (two-point crossover), 0 <= from <=
    /// to <= size(). One pass over the run, 64 pixels at a time.
    std::pair<ImageCounts, ImageCounts> exchange_changes(const ImageState& first, const ImageState& second, Index from,
                                                         Index to) const;
    void exchange(ImageState& first, ImageState& second, Index from, Index to,
                  const std::pair<ImageCounts, ImageCounts>& changes) const;

    /// Wolff's cluster: grown from `pixel` over equal neighbours, each pair bound with probability 1 - exp(-strength),
    /// strength >= 0. Flipping it is a proposal with log q(x|x') - log q(x'|x) = -strength change.equal_pairs; with
    /// strength b / tau the prior cancels at temperature tau, and log acceptance is a change.agreements / tau.
    void grow_cluster(const ImageState& state, Index pixel, double strength, random::Stream& stream,
                      ImageCluster& cluster) const;
    void flip(ImageState& state, const ImageCluster& cluster) const;

    /// An image of least energy, by a minimum cut (Greig, Porteous & Seheult 1989; Boykov & Kolmogorov 2004). The ratio
    /// a/b is met to 2^-50, at worst to 2^-56 size (relative); for it, the equality of cut and flow is checked, which
    /// proves the minimum.
    ImageState exact_minimum() const;

    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    using Words = std::vector<std::uint64_t>;
    struct Site {
        Index position; ///< its bit
        Index degree;   ///< its neighbours inside the image
    };

    Site site_of(Index pixel) const;
    /// The bit of a pixel.
    Index run_position(Index pixel) const { return pixel + row_of(pixel) + stride_ + 1; }
    Index row_of(Index pixel) const {
        return static_cast<Index>((static_cast<WideCount>(row_factor_) * static_cast<WideCount>(pixel)) >> 63);
    }
    static bool bit(const Words& words, Index position) {
        return (words[static_cast<std::size_t>(position) / 64] >> (position % 64) & 1) != 0;
    }
    static unsigned three_bits(const Words& words, Index position);
    std::array<Index, 8> neighbours(Index pixel) const;
    Words spread(std::span<const std::uint64_t> dense) const;
    Words gather(const Words& words) const;
    ImageState counted(Words words) const;
    /// exchange_changes of at least one pixel: a kernel (simd/instructions.hpp).
    template <class Instructions>
    std::pair<ImageCounts, ImageCounts> run_changes(const ImageState& first, const ImageState& second, Index from,
                                                    Index to) const;

    ImageRestorationSettings settings_;
    Index stride_;             ///< bits from a pixel to the one below it: columns + 1
    std::uint64_t row_factor_; ///< floor(2^63 / columns) + 1: pixel / columns as a product
    Index n_pairs_ = 0;
    Words observed_;
    std::array<Words, 4> both_inside_; ///< bit k: k and k + shift are pixels; for each direction of directions()
    Words inside_;                     ///< bit k: k is a pixel
    /// Right, down left, down, down right: each pair of neighbours once.
    std::array<Index, 4> directions() const { return {1, stride_ - 1, stride_, stride_ + 1}; }
};

/// Flips each pixel with this probability, independently (0 .. 1, else InputError).
void add_noise(std::span<std::uint8_t> pixels, double probability, std::uint64_t seed);

inline ImageRestoration::Site ImageRestoration::site_of(Index pixel) const {
    const Index row = row_of(pixel);
    const Index column = pixel - row * settings_.columns;
    const Index wide = 1 + (column > 0 ? 1 : 0) + (column + 1 < settings_.columns ? 1 : 0);
    const Index high = 1 + (row > 0 ? 1 : 0) + (row + 1 < settings_.rows ? 1 : 0);
    return {pixel + row + stride_ + 1, wide * high - 1};
}

/// Bits position .. position + 2, which may lie in two words.
inline unsigned ImageRestoration::three_bits(const Words& words, Index position) {
    const std::uint64_t* const word = words.data() + position / 64;
    const auto offset = static_cast<unsigned>(position % 64);
    return static_cast<unsigned>((word[0] >> offset) | (word[1] << 1 << (63 - offset))) & 7u;
}

inline ImageCounts ImageRestoration::flip_change(const ImageState& state, Index pixel) const {
    const auto [position, degree] = site_of(pixel);
    const unsigned around = three_bits(state.words_, position - stride_ - 1) |
                            (three_bits(state.words_, position - 1) & 5u) << 3 |
                            three_bits(state.words_, position + stride_ - 1) << 6;
    const Index ones = std::popcount(around);
    const Index x = bit(state.words_, position) ? 1 : 0, y = bit(observed_, position) ? 1 : 0;
    // degree - 2 #equal, without a branch on x: it would be mispredicted half of the time.
    return {2 * (x ^ y) - 1, (2 * x - 1) * (degree - 2 * ones)};
}

inline void ImageRestoration::flip(ImageState& state, Index pixel, const ImageCounts& change) const {
    const auto position = static_cast<std::size_t>(run_position(pixel));
    state.words_[position / 64] ^= std::uint64_t{1} << (position % 64);
    state.counts_ += change;
}

} // namespace pearlite::models
