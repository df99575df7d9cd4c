#pragma once
/// Checks for every energy with lanes and a gradient.

#include "pearlite/model/energy/energy.hpp"
#include "random/fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace pearlite::testing {

/// p chains, uniform in the box of the energy.
template <class E>
model::LaneMatrix points_in_box(const E& energy, Index p, std::uint64_t id) {
    model::LaneMatrix points(energy.dimension(), p);
    random::fill_uniform({2025, random::Purpose::test, id, 0},
                         std::span(points.data(), static_cast<std::size_t>(points.size())));
    for (Index i = 0; i < points.rows(); ++i) {
        const double lower = energy.lower()[static_cast<std::size_t>(i)];
        const double upper = energy.upper()[static_cast<std::size_t>(i)];
        points.row(i) = (lower + (upper - lower) * points.row(i).array()).matrix();
    }
    return points;
}

template <class M>
std::vector<double> chain(const M& points, Index c) {
    std::vector<double> x(static_cast<std::size_t>(points.rows()));
    for (Index i = 0; i < points.rows(); ++i)
        x[static_cast<std::size_t>(i)] = points(i, c);
    return x;
}

template <class E>
std::vector<double> lane_energies(const E& energy, const model::LaneMatrix& points) {
    std::vector<double> out(static_cast<std::size_t>(points.cols()), -1e300);
    energy.energies(points, out);
    return out;
}

template <class E>
void expect_lanes_as_plain(const E& energy, const model::LaneMatrix& points, double relative) {
    const std::vector<double> lanes = lane_energies(energy, points);
    for (Index c = 0; c < points.cols(); ++c) {
        const double plain = energy.energy(chain(points, c));
        ASSERT_NEAR(lanes[static_cast<std::size_t>(c)], plain, relative * std::max(1.0, std::abs(plain)))
            << "chain " << c;
    }
}

/// `points` has more than 8 columns: the chains are moved to other lanes, among other neighbours, in a call of 8.
template <class E>
void expect_lanes_independent(const E& energy, const model::LaneMatrix& points) {
    const std::vector<double> together = lane_energies(energy, points);
    for (Index c = 0; c < points.cols(); ++c) {
        model::LaneMatrix few = points.leftCols(lane_padding);
        const Index lane = (3 * c + 5) % lane_padding;
        few.col(lane) = points.col(c);
        const double alone = lane_energies(energy, few)[static_cast<std::size_t>(lane)];
        ASSERT_EQ(std::memcmp(&alone, &together[static_cast<std::size_t>(c)], sizeof alone), 0) << "chain " << c;
    }
}

/// Central differences of width 2 step; the error allowed is relative to the largest component.
template <class E>
void expect_gradient_as_differences(const E& energy, const model::LaneMatrix& points, double step, double relative) {
    for (Index c = 0; c < points.cols(); ++c) {
        const std::vector<double> x = chain(points, c);
        std::vector<double> gradient(x.size());
        energy.gradient(x, gradient);
        double scale = 1;
        for (const double g : gradient)
            scale = std::max(scale, std::abs(g));
        for (std::size_t i = 0; i < x.size(); ++i) {
            std::vector<double> after = x;
            std::vector<double> before = x;
            after[i] += step;
            before[i] -= step;
            const double slope = (energy.energy(after) - energy.energy(before)) / (after[i] - before[i]);
            ASSERT_NEAR(gradient[i], slope, relative * scale) << "chain " << c << ", coordinate " << i;
        }
    }
}

template <class E>
std::vector<std::byte> fingerprint_of(const E& energy) {
    std::vector<std::byte> bytes;
    model::Fingerprint fingerprint(
        [&bytes](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
    energy.fingerprint(fingerprint);
    return bytes;
}

} // namespace pearlite::testing
