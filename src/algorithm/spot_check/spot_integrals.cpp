#include "algorithm/spot_check/spot_integrals.hpp"

#include "core/log_space.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>

namespace pearlite::algorithm {

using estimator::HalfMass;
using estimator::SpotIntegral;

namespace {

/// Ids of the streams of lines; those of draws are smaller.
constexpr Index first_of_lines = Index{1} << 40;

} // namespace

SpotIntegrals::Draws SpotIntegrals::draws_in(const HalfMass& ellipsoid, Index first) const {
    Draws draws{Matrix(density_.dimension(), draws_at_once), Vector(draws_at_once)};
    for (Index i = 0; i < draws_at_once; ++i) {
        random::Stream stream({seed_, random::Purpose::reference, static_cast<std::uint64_t>(first + i), 0});
        draws.log_q(i) = ellipsoid.draw(stream, {draws.points.col(i).data(), at(draws.points.rows())});
    }
    return draws;
}

std::vector<double> SpotIntegrals::dealt(Index tasks, Index each,
                                         const std::function<std::vector<double>(Index)>& numbers_of) const {
    std::vector<double> here;
    parallel::together(ranks_, [&] {
        for (Index task = ranks_.rank(); task < tasks; task += ranks_.size()) {
            const auto numbers = numbers_of(task);
            here.insert(here.end(), numbers.begin(), numbers.end());
        }
    });
    const auto all = ranks_.all_gather(std::span<const double>(here)); // rank by rank
    std::vector<double> ordered(at(tasks * each));
    auto next = all.begin();
    for (Index rank = 0; rank < ranks_.size(); ++rank)
        for (Index task = rank; task < tasks; task += ranks_.size(), next += each)
            std::copy_n(next, each, ordered.begin() + task * each);
    return ordered;
}

std::vector<SpotIntegral> SpotIntegrals::within(std::span<const HalfMass> ellipsoids) {
    const path::JointDensity joint(density_);
    const Index chunks = draws_of_spot / draws_at_once, n = std::ssize(ellipsoids) * chunks;
    const auto log_ratios = dealt(n, draws_at_once, [&](Index c) {
        const auto [points, log_q] = draws_in(ellipsoids[at(c / chunks)], c * draws_at_once);
        const Vector ratios = joint(points) - log_q;
        return std::vector<double>(ratios.begin(), ratios.end());
    });
    densities_ += n * draws_at_once;
    std::vector<SpotIntegral> integrals;
    for (Index k = 0; k < std::ssize(ellipsoids); ++k)
        integrals.push_back(
            estimator::integral_of(std::span(log_ratios).subspan(at(k * draws_of_spot), at(draws_of_spot))));
    return integrals;
}

SpotIntegral SpotIntegrals::beyond(const HalfMass& ellipsoid, Index lines) {
    const path::JointDensity joint(density_);
    const auto log_integrals = dealt(lines, 1, [&](Index k) {
        random::Stream stream({seed_, random::Purpose::reference, static_cast<std::uint64_t>(first_of_lines + k), 0});
        const auto [points, log_weights] = ellipsoid.line(stream, draws_at_once);
        const Vector terms = joint(points) + log_weights;
        return std::vector{log_sum_exp(std::span(terms.data(), at(terms.size())))};
    });
    densities_ += lines * ellipsoid.points_of_line(draws_at_once);
    return estimator::integral_of(log_integrals);
}

} // namespace pearlite::algorithm
