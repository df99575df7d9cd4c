#include "simd/bit_runs.hpp"

#include "models/image/image_restoration.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "simd/instructions.hpp"

#include <cmath>

namespace pearlite::models {
namespace {

using simd::count_unlike;

bool contains(const ImageRectangle& rectangle, Index row, Index column) {
    return row >= rectangle.row && row < rectangle.row + rectangle.height && column >= rectangle.column &&
           column < rectangle.column + rectangle.width;
}

} // namespace

std::pair<ImageCounts, ImageCounts>
ImageRestoration::exchange_changes(const ImageState& first, const ImageState& second, Index from, Index to) const {
    PEARLITE_EXPECTS(0 <= from && from <= to && to <= size());
    if (from == to)
        return {};
    return simd::on_this_cpu([&](auto cpu) { return run_changes<decltype(cpu)>(first, second, from, to); });
}

void ImageRestoration::exchange(ImageState& first, ImageState& second, Index from, Index to,
                                const std::pair<ImageCounts, ImageCounts>& changes) const {
    PEARLITE_EXPECTS(0 <= from && from <= to && to <= size());
    if (from < to)
        simd::exchange_bits(first.words_.data(), second.words_.data(), run_position(from), run_position(to - 1) + 1);
    first.counts_ += changes.first;
    second.counts_ += changes.second;
}

ImageCounts ImageRestoration::flip_change(const ImageState& state, const ImageRectangle& rectangle) const {
    const auto& [row, column, height, width] = rectangle;
    PEARLITE_EXPECTS(row >= 0 && column >= 0 && height >= 1 && width >= 1 && row + height <= settings_.rows &&
                     column + width <= settings_.columns);
    ImageCounts change{-height * width, 0};
    for (Index r = row; r < row + height; ++r) {
        const Index start = run_position(r * settings_.columns + column);
        change.agreements +=
            2 * count_unlike(state.words_.data(), observed_.data(), 0, inside_.data(), start, start + width);
        // Pairs inside the rectangle keep their sort: only pixels on its rim matter.
        const bool is_rim_row = r == row || r + 1 == row + height;
        const Index step = is_rim_row || width == 1 ? 1 : width - 1;
        for (Index c = column; c < column + width; c += step) {
            const Index pixel = r * settings_.columns + c;
            for (const Index other : neighbours(pixel)) {
                if (other < 0 || contains(rectangle, row_of(other), other % settings_.columns))
                    continue;
                change.equal_pairs += this->pixel(state, pixel) == this->pixel(state, other) ? -1 : 1;
            }
        }
    }
    return change;
}

void ImageRestoration::flip(ImageState& state, const ImageRectangle& rectangle, const ImageCounts& change) const {
    for (Index r = rectangle.row; r < rectangle.row + rectangle.height; ++r) {
        const Index start = r * settings_.columns + rectangle.column;
        for (Index pixel = start; pixel < start + rectangle.width; ++pixel)
            flip(state, pixel, ImageCounts{});
    }
    state.counts_ += change;
}

/// Pixels around this one, row by row; -1 for those outside the image.
std::array<Index, 8> ImageRestoration::neighbours(Index pixel) const {
    const Index row = row_of(pixel), column = pixel - row * settings_.columns;
    std::array<Index, 8> around{};
    std::size_t n = 0;
    for (Index r = row - 1; r <= row + 1; ++r) {
        for (Index c = column - 1; c <= column + 1; ++c) {
            if (r == row && c == column)
                continue;
            const bool is_inside = r >= 0 && r < settings_.rows && c >= 0 && c < settings_.columns;
            around[n++] = is_inside ? r * settings_.columns + c : -1;
        }
    }
    return around;
}

void ImageRestoration::grow_cluster(const ImageState& state, Index pixel, double strength, random::Stream& stream,
                                    ImageCluster& cluster) const {
    PEARLITE_EXPECTS(strength >= 0 && pixel >= 0 && pixel < size());
    PEARLITE_EXPECTS(cluster.is_member.empty() || static_cast<Index>(cluster.is_member.size()) == size());
    cluster.is_member.resize(static_cast<std::size_t>(size()));
    for (const Index old : cluster.pixels)
        cluster.is_member[static_cast<std::size_t>(old)] = 0;
    const auto is_member = [&](Index i) -> std::uint8_t& { return cluster.is_member[static_cast<std::size_t>(i)]; };

    const double probability = -std::expm1(-strength);
    const bool colour = this->pixel(state, pixel);
    cluster.pixels.assign(1, pixel);
    is_member(pixel) = 1;
    for (std::size_t next = 0; next < cluster.pixels.size(); ++next) {
        for (const Index other : neighbours(cluster.pixels[next])) {
            if (other >= 0 && is_member(other) == 0 && this->pixel(state, other) == colour &&
                stream.bernoulli(probability)) {
                is_member(other) = 1;
                cluster.pixels.push_back(other);
            }
        }
    }

    cluster.change = {};
    for (const Index member : cluster.pixels) {
        cluster.change.agreements += colour == bit(observed_, run_position(member)) ? -1 : 1;
        for (const Index other : neighbours(member)) {
            if (other >= 0 && is_member(other) == 0)
                cluster.change.equal_pairs += this->pixel(state, other) == colour ? -1 : 1;
        }
    }
}

void ImageRestoration::flip(ImageState& state, const ImageCluster& cluster) const {
    for (const Index pixel : cluster.pixels)
        flip(state, pixel, ImageCounts{});
    state.counts_ += cluster.change;
}

} // namespace pearlite::models
