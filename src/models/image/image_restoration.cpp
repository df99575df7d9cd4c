#include "models/image/image_restoration.hpp"

#include "simd/bit_runs.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "random/fill.hpp"

#include <cmath>
#include <cstring>

namespace pearlite::models {
namespace {

// Packed images are copied as words.
static_assert(std::endian::native == std::endian::little);

/// Bits in 64-bit words, with a word more than they need.
std::vector<std::uint64_t> room_for(Index bits) {
    return std::vector<std::uint64_t>(static_cast<std::size_t>(bits / 64 + 2));
}

std::vector<std::uint64_t> dense_bits(std::span<const std::uint8_t> pixels) {
    std::vector<std::uint64_t> words = room_for(static_cast<Index>(pixels.size()));
    for (std::size_t i = 0; i < pixels.size(); ++i)
        words[i / 64] |= std::uint64_t{pixels[i] != 0} << (i % 64);
    return words;
}

void require_weight(const char* name, double value) {
    if (!(value > 0) || !std::isfinite(value)) {
        throw InputError(std::string("image restoration: ") + name + " is " + std::to_string(value) +
                         ", expected a finite number > 0");
    }
}

void require_valid(const ImageRestorationSettings& settings) {
    const Index rows = settings.rows, columns = settings.columns;
    if (rows < 1 || columns < 1 || rows > ImageRestoration::largest_size / columns) {
        throw InputError("image restoration: " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                         " columns, expected 1 to " + std::to_string(ImageRestoration::largest_size) + " pixels");
    }
    if (static_cast<Index>(settings.observed.size()) != rows * columns) {
        throw InputError("image restoration: " + std::to_string(settings.observed.size()) +
                         " observed pixels, expected " + std::to_string(rows * columns));
    }
    const auto wrong = std::find_if(settings.observed.begin(), settings.observed.end(), [](auto y) { return y > 1; });
    if (wrong != settings.observed.end()) {
        throw InputError("image restoration: observed pixel " + std::to_string(wrong - settings.observed.begin()) +
                         " is " + std::to_string(*wrong) + ", expected 0 or 1");
    }
    require_weight("the weight of the data", settings.data_weight);
    require_weight("the weight of pairs", settings.pair_weight);
}

} // namespace

ImageRestoration::ImageRestoration(ImageRestorationSettings settings)
    : settings_((require_valid(settings), std::move(settings))),
      stride_(settings_.columns + 1),
      row_factor_((std::uint64_t{1} << 63) / static_cast<std::uint64_t>(settings_.columns) + 1) {
    const std::vector<std::uint8_t> all(static_cast<std::size_t>(size()), 1);
    inside_ = spread(dense_bits(all));
    observed_ = spread(dense_bits(settings_.observed));
    for (std::size_t d = 0; d < 4; ++d) {
        Words& both = both_inside_[d];
        both.resize(inside_.size());
        for (Index p = run_position(0); p < run_position(size() - 1); ++p) {
            if (bit(inside_, p) && bit(inside_, p + directions()[d])) {
                both[static_cast<std::size_t>(p) / 64] |= std::uint64_t{1} << (p % 64);
                ++n_pairs_;
            }
        }
    }
}

/// Rows of bits with their borders, from pixels without: a row of zeros above, one below, a zero before each row.
ImageRestoration::Words ImageRestoration::spread(std::span<const std::uint64_t> dense) const {
    Words words = room_for((settings_.rows + 3) * stride_); // a row more, for what lies below the border
    for (Index row = 0; row < settings_.rows; ++row)
        simd::copy_bits(dense.data(), row * settings_.columns, words.data(), (row + 1) * stride_ + 1,
                        settings_.columns);
    return words;
}

ImageRestoration::Words ImageRestoration::gather(const Words& words) const {
    Words dense = room_for(size());
    for (Index row = 0; row < settings_.rows; ++row)
        simd::copy_bits(words.data(), (row + 1) * stride_ + 1, dense.data(), row * settings_.columns,
                        settings_.columns);
    return dense;
}

ImageState ImageRestoration::counted(Words words) const {
    ImageState state;
    state.words_ = std::move(words);
    state.counts_ = recount(state);
    return state;
}

ImageCounts ImageRestoration::recount(const ImageState& state) const {
    const std::uint64_t* const x = state.words_.data();
    const Index from = run_position(0), to = run_position(size() - 1) + 1;
    ImageCounts counts{size() - simd::count_unlike(x, observed_.data(), 0, inside_.data(), from, to), n_pairs_};
    for (std::size_t d = 0; d < 4; ++d)
        counts.equal_pairs -= simd::count_unlike(x, x, directions()[d], both_inside_[d].data(), from, to);
    return counts;
}

ImageState ImageRestoration::make_state(std::span<const std::uint8_t> pixels) const {
    PEARLITE_EXPECTS(static_cast<Index>(pixels.size()) == size());
    return counted(spread(dense_bits(pixels)));
}

ImageState ImageRestoration::random_state(const random::Address& address) const {
    std::vector<std::uint32_t> halves(static_cast<std::size_t>((size() + 31) / 32));
    random::fill_bits(address, halves);
    Words dense = room_for(size());
    for (std::size_t i = 0; i < halves.size(); ++i)
        dense[i / 2] |= std::uint64_t{halves[i]} << (i % 2 * 32);
    return counted(spread(dense));
}

std::vector<std::uint8_t> ImageRestoration::pixels(const ImageState& state) const {
    const Words dense = gather(state.words_);
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size()));
    for (std::size_t i = 0; i < pixels.size(); ++i)
        pixels[i] = dense[i / 64] >> (i % 64) & 1;
    return pixels;
}

void ImageRestoration::pack(const ImageState& state, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(out.size() == packed_bytes());
    const Words dense = gather(state.words_);
    std::memcpy(out.data(), dense.data(), out.size());
}

ImageState ImageRestoration::unpack(std::span<const std::byte> in) const {
    PEARLITE_EXPECTS(in.size() == packed_bytes());
    Words dense = room_for(size());
    std::memcpy(dense.data(), in.data(), in.size());
    return counted(spread(dense));
}

void ImageRestoration::store(const ImageState& state, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(out.size() == stored_bytes());
    const std::size_t bytes = out.size() - sizeof(ImageCounts);
    std::memcpy(out.data(), state.words_.data(), bytes);
    std::memcpy(out.data() + bytes, &state.counts_, sizeof(ImageCounts));
}

void ImageRestoration::restore(std::span<const std::byte> in, ImageState& state) const {
    PEARLITE_EXPECTS(in.size() == stored_bytes());
    const std::size_t bytes = in.size() - sizeof(ImageCounts);
    state.words_.resize(inside_.size());
    std::memcpy(state.words_.data(), in.data(), bytes);
    std::memcpy(&state.counts_, in.data() + bytes, sizeof(ImageCounts));
    std::uint64_t outside = 0;
    for (std::size_t w = 0; w < inside_.size(); ++w)
        outside |= state.words_[w] & ~inside_[w];
    const auto& [agreements, equal_pairs] = state.counts_;
    PEARLITE_EXPECTS(outside == 0 && 0 <= agreements && agreements <= size() && 0 <= equal_pairs &&
                     equal_pairs <= n_pairs_);
}

void ImageRestoration::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("image-restoration");
    fingerprint.add(static_cast<double>(settings_.rows));
    fingerprint.add(static_cast<double>(settings_.columns));
    fingerprint.add(settings_.data_weight);
    fingerprint.add(settings_.pair_weight);
    std::string text(packed_bytes(), '\0');
    pack(observed_state(), std::as_writable_bytes(std::span(text)));
    fingerprint.add(text);
}

void add_noise(std::span<std::uint8_t> pixels, double probability, std::uint64_t seed) {
    if (!(probability >= 0 && probability <= 1)) {
        throw InputError("image restoration: the probability of a wrong pixel is " + std::to_string(probability) +
                         ", expected 0 to 1");
    }
    std::vector<double> uniform(pixels.size());
    random::fill_uniform({seed, random::Purpose::synthetic_data, 0, 0}, uniform);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        if (uniform[i] < probability)
            pixels[i] = pixels[i] == 0 ? 1 : 0;
    }
}

} // namespace pearlite::models
