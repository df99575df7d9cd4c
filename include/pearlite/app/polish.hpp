#pragma once
/// The end of a search in a box: descents from the best states of its replicates to the nearest minima.

#include "pearlite/app/describe_state.hpp"
#include "pearlite/app/run.hpp"
#include "pearlite/kernel/local_descent.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/parallel/layout.hpp"

#include <cmath>
#include <limits>

namespace pearlite::app {

/// Energies of points of a box alone have descents.
template <class Space>
inline constexpr bool can_polish = false;
template <class E>
inline constexpr bool can_polish<kernel::BoxSpace<E>> = true;

namespace detail {

/// A point per column, padded with NaN where a replicate found nothing; on every rank.
Matrix best_points(const parallel::Communicator& ranks, const std::vector<sampler::SearchOutcome>& outcomes,
                   Index replicates, Index dimension);
/// From rows of energy, counts and point, those of all ranks one after the other.
std::vector<PolishedState> unpack_polished(std::span<const double> rows, Index dimension);
std::size_t lowest(const std::vector<PolishedState>& states);

/// How far `gradient` is from what differences of an energy of about `energy` give, which are no better than 1e-5 or so
/// of these figures.
double gradient_error(std::span<const double> gradient, std::span<const double> differences, double energy);

template <class E>
double gradient_error_at(const E& energy, std::span<const double> x) {
    if constexpr (model::HasEnergyGradient<E>) {
        const kernel::DescentTarget target{
            [&](std::span<const double> y) { return energy.energy(y); }, {}, energy.lower(), energy.upper()};
        std::vector<double> gradient(x.size()), differences(x.size());
        energy.gradient(x, gradient);
        kernel::difference_gradient(target, x, differences);
        return gradient_error(gradient, differences, energy.energy(x));
    }
    return 0;
}

template <class E>
void append_descent(const E& energy, std::span<const double> start, std::vector<double>& rows) {
    kernel::LocalMinimum minimum{{start.begin(), start.end()}, std::numeric_limits<double>::infinity()};
    double error = 0;
    if (!std::isnan(start.front())) {
        error = gradient_error_at(energy, start);
        minimum = kernel::descend(energy, start);
    }
    rows.push_back(minimum.energy);
    rows.push_back(static_cast<double>(minimum.energies));
    rows.push_back(static_cast<double>(minimum.gradients));
    rows.push_back(error);
    rows.insert(rows.end(), minimum.x.begin(), minimum.x.end());
}

} // namespace detail

/// Collective. `outcomes`, on the root, are the replicates'; the ranks share the descents, whose results are those of
/// any other number of ranks. Complete on the root; elsewhere empty.
template <class E>
PolishResult polish(const parallel::Communicator& ranks, const kernel::BoxSpace<E>& space,
                    const std::vector<sampler::SearchOutcome>& outcomes, Index replicates) {
    const Index d = space.dimension();
    const auto starts = detail::best_points(ranks, outcomes, replicates, d);
    const parallel::BlockLayout shares(replicates, 1, ranks.size(), ranks.rank());
    std::vector<double> mine;
    parallel::together(ranks, [&] {
        for (Index r = shares.first_local_item(); r < shares.first_local_item() + shares.local_items(); ++r)
            detail::append_descent(space.energy(), {starts.col(r).data(), static_cast<std::size_t>(d)}, mine);
    });
    const auto all = ranks.gather(std::span<const double>(mine));
    PolishResult result;
    parallel::on_root(ranks, [&] {
        result.replicates = detail::unpack_polished(all, d);
        result.best_replicate = detail::lowest(result.replicates);
        const auto& point = result.replicates[result.best_replicate].point;
        result.best = describe_state(space, std::as_bytes(std::span(point)));
    });
    return result;
}

} // namespace pearlite::app
