#pragma once
/// The best states of searches as people read them.

#include "pearlite/app/run.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/kernel/categorical_space.hpp"
#include "pearlite/kernel/permutation_space.hpp"
#include "pearlite/models/image_space.hpp"
#include "pearlite/models/network_space.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace pearlite::app {

/// The energy has conformations: coordinates(x), a bead per row.
template <class E>
concept HasCoordinates = requires(const E& energy, std::span<const double> x) {
    { energy.coordinates(x) } -> std::convertible_to<Matrix>;
};

/// The coordinates of a point; of a molecule also where its beads are.
template <class E>
BestState describe_state(const kernel::BoxSpace<E>& space, std::span<const std::byte> packed) {
    BestState best;
    best.values.resize(packed.size() / sizeof(double));
    std::memcpy(best.values.data(), packed.data(), packed.size());
    if constexpr (HasCoordinates<E>)
        best.positions = space.energy().coordinates(best.values);
    return best;
}
/// The sites' values.
template <class E>
BestState describe_state(const kernel::CategoricalSpace<E>& space, std::span<const std::byte> packed) {
    auto chains = space.make_chains(1);
    chains.unpack(0, packed);
    const auto x = std::as_const(chains).state(0);
    return {.values = {x.begin(), x.end()}};
}
/// The permutation: the element at each place.
template <class E>
BestState describe_state(const kernel::PermutationSpace<E>& space, std::span<const std::byte> packed) {
    auto chains = space.make_chains(1);
    chains.unpack(0, packed);
    const auto x = std::as_const(chains).state(0);
    return {.values = {x.begin(), x.end()}};
}
/// The pixels, row by row; the images are the best one and the observed one.
BestState describe_state(const models::ImageSpace& space, std::span<const std::byte> packed);
/// The edges, parent and child after each other; and the graph.
BestState describe_state(const models::NetworkSpace& space, std::span<const std::byte> packed);

/// The best state of each region, a row each, as describe_state() gives their values; NaN where none was found. Without
/// rows if a search did not keep them, if they are not equally long, or if there are more numbers than most people
/// want.
template <class Space>
Matrix describe_regions(const Space& space, const sampler::SearchOutcome& outcome) {
    constexpr std::size_t most_numbers = std::size_t{1} << 20;
    const std::size_t n = outcome.region_best.size(), bytes = n == 0 ? 0 : outcome.region_states.size() / n;
    Matrix rows;
    if (bytes == 0)
        return rows;
    for (std::size_t j = 0; j < n; ++j) {
        if (!std::isfinite(outcome.region_best[j]))
            continue;
        const auto values = describe_state(space, std::span(outcome.region_states).subspan(j * bytes, bytes)).values;
        if (rows.size() == 0 && values.size() <= most_numbers / n)
            rows = Matrix::Constant(static_cast<Index>(n), static_cast<Index>(values.size()),
                                    std::numeric_limits<double>::quiet_NaN());
        if (rows.cols() != static_cast<Index>(values.size()))
            return {};
        for (std::size_t k = 0; k < values.size(); ++k)
            rows(static_cast<Index>(j), static_cast<Index>(k)) = values[k];
    }
    return rows;
}

} // namespace pearlite::app
