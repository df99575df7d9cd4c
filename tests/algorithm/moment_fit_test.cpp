/// Paths of averaged moments: fitted knots have the requested moments, and log weights annealed along the path have the
/// variance that theory predicts. Enumeration gives both exactly.

#include "algorithm/densities.hpp"
#include "algorithm/moment_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using namespace models::rbm_oracle;
using parallel::Communicator;

constexpr Index n_visible = 5, n_hidden = 4;

const model::MomentFamily& family_of(const model::Target& target) {
    return *target.offers<model::MomentFamily>();
}

double dot(const std::vector<double>& eta, const std::vector<double>& from, const Vector& moments) {
    double sum = 0;
    for (std::size_t i = 0; i < eta.size(); ++i)
        sum += (eta[i] - from[i]) * moments[static_cast<Index>(i)];
    return sum;
}

TEST(MomentFit, KnotsHaveTheMomentsBetweenThoseOfTheEnds) {
    const auto target = small_rbm();
    MomentFit fit(Communicator::alone(), target, {.knots = 3, .chains = 2000, .end_sweeps = 1000, .updates = 600}, 5);
    fit.begin();
    finish(fit);
    const auto& family = family_of(*target);
    const Vector start = moments_of(family.start_parameters(), n_visible, n_hidden).mean,
                 end = moments_of(family.end_parameters(), n_visible, n_hidden).mean;
    const auto first = family.start_parameters(), last = family.end_parameters();
    for (std::size_t k = 0; k < 3; ++k) {
        const double fraction = static_cast<double>(k + 1) / 4;
        const Vector wanted = (1 - fraction) * start + fraction * end;
        auto geometric = first;
        for (std::size_t i = 0; i < geometric.size(); ++i)
            geometric[i] += fraction * (last[i] - first[i]);
        // Means over 6e5 states, whose autocorrelation times are a few sweeps: 0.001, and 0.004 in the largest of 29.
        EXPECT_LT((moments_of(fit.path().knots[k], n_visible, n_hidden).mean - wanted).cwiseAbs().maxCoeff(), 0.006);
        EXPECT_GT((moments_of(geometric, n_visible, n_hidden).mean - wanted).cwiseAbs().maxCoeff(), 0.03);
        EXPECT_LT(fit.path().largest_residual[k], 0.01);
    }
}

TEST(MomentFit, CostsAndPlacesAreThoseOfTheTheory) {
    const auto target = small_rbm();
    const auto& family = family_of(*target);
    for (const auto spacing : {MomentSettings::Spacing::even, MomentSettings::Spacing::length}) {
        MomentFit fit(Communicator::alone(), target,
                      {.knots = 4, .spacing = spacing, .chains = 1000, .end_sweeps = 1000, .updates = 400}, 5);
        fit.begin();
        finish(fit);
        const auto& [knots, at_knots, cost, rate, rms, largest] = fit.path();
        // Any knots cost the same, if their segments have as many steps: (eta_1 - eta_0)'(s_1 - s_0).
        const Vector difference = moments_of(family.end_parameters(), n_visible, n_hidden).mean -
                                  moments_of(family.start_parameters(), n_visible, n_hidden).mean;
        const double whole = dot(family.end_parameters(), family.start_parameters(), difference);
        EXPECT_NEAR(5 * std::accumulate(cost.begin(), cost.end(), 0.0), whole, 0.02 * whole);
        double length = 0, placed = 0;
        for (const double each : cost)
            length += std::sqrt(each);
        for (std::size_t k = 0; k < cost.size(); ++k) {
            const double share = at_knots[k + 1] - at_knots[k];
            EXPECT_NEAR(share, spacing == MomentSettings::Spacing::even ? 0.2 : std::sqrt(cost[k]) / length, 1e-12);
            placed += cost[k] / share;
        }
        if (spacing == MomentSettings::Spacing::length) {
            EXPECT_NEAR(placed, length * length, 1e-9); // the least for joint states, below `whole`
        }
        EXPECT_LT(length * length, 0.97 * whole);
    }
}

/// int Var_b[d log f_b/db] db over the visible states, by enumeration and the trapezium rule within each segment.
double cost_by_enumeration(const model::Target& path, const std::vector<double>& at_knots) {
    constexpr Index n_states = Index{1} << n_visible;
    constexpr int points = 40; // of a segment
    const auto block = path.make_block(n_states);
    for (Index state = 0; state < n_states; ++state) {
        const auto bits = static_cast<std::byte>(state);
        block->unpack(state, {&bits, 1});
    }
    path.prepare(*block);
    const auto variance_at = [&](double b) {
        std::vector<double> log_densities(at(n_states), 0.0), u(at(n_states));
        path.add_log_ratio(*block, 0, b, log_densities);
        path.path_derivative(*block, b, u);
        const auto& spline = dynamic_cast<const model::TargetOf<models::RbmSpline>&>(path).model();
        for (Index state = 0; state < n_states; ++state)
            log_densities[at(state)] +=
                log_density(spline.machine(0), state_of_number(static_cast<std::uint64_t>(state), n_visible), 1);
        const double log_z = log_sum_exp(log_densities);
        double mean = 0, square = 0;
        for (std::size_t state = 0; state < u.size(); ++state) {
            const double p = std::exp(log_densities[state] - log_z);
            mean += p * u[state];
            square += p * u[state] * u[state];
        }
        return square - mean * mean;
    };
    double sum = 0;
    for (std::size_t k = 1; k < at_knots.size(); ++k) {
        const double low = at_knots[k - 1], step = (at_knots[k] - low) / points;
        for (int i = 0; i < points; ++i) {
            const double first = i == 0 ? low + 1e-9 : low + i * step; // a knot belongs to the segment below
            sum += step * (variance_at(first) + variance_at(i + 1 == points ? at_knots[k] : low + (i + 1) * step)) / 2;
        }
    }
    return sum;
}

TEST(MomentPath, HasTheVarianceOfTheTheory) {
    const auto target = small_rbm();
    const models::RbmFamily family(std::make_shared<const models::Rbm>(target->model()));
    constexpr Index n = 3, steps = 200, particles = 16000;
    const auto knots = exact_knots(family, n, n_visible, n_hidden);
    const double exact = *target->model().exact_log_ratio(1);
    for (const std::vector<double>& at_knots :
         {std::vector{0.0, 0.25, 0.5, 0.75, 1.0}, std::vector{0.0, 0.2, 0.35, 0.6, 1.0}}) {
        const auto path = family.through(knots, at_knots);
        const auto sampler = annealed_along(Communicator::alone(), path, steps, 12, {particles, 128, 3});
        complete(*sampler);
        const auto outcome = sampler->outcome();
        const double variance = outcome.log_weights.front().variance,
                     perfect = cost_by_enumeration(*path, at_knots) / steps;
        // Var[log w] of 16000 trajectories is known within 1.1 %; twelve sweeps leave some correlation.
        EXPECT_NEAR(variance / perfect, 1, 0.06);
        EXPECT_GT(std::abs(variance / (2 * perfect) - 1), 0.3);
        // The variance of log weights of joint states would be larger, since they depend on the hidden units, too.
        double joint = 0;
        const Vector difference = moments_of(family.end_parameters(), n_visible, n_hidden).mean -
                                  moments_of(family.start_parameters(), n_visible, n_hidden).mean;
        for (Index k = 0; k <= n; ++k)
            joint += dot(k < n ? knots[at(k)] : family.end_parameters(),
                         k > 0 ? knots[at(k - 1)] : family.start_parameters(), difference) /
                     static_cast<double>(n + 1) / (at_knots[at(k + 1)] - at_knots[at(k)]) / steps;
        EXPECT_GT(joint, perfect);
        const double error = std::sqrt(variance / particles);
        EXPECT_LT(std::abs(outcome.log_ratio.front().value - exact), 4 * error);
        EXPECT_GT(std::abs(outcome.log_ratio.front().value - exact - 0.02), 4 * error);
    }
}

TEST(MomentFit, SaysThatARateIsTooHigh) {
    const auto target = small_rbm();
    MomentFit fit(Communicator::alone(), target,
                  {.knots = 1, .chains = 64, .end_sweeps = 16, .updates = 16, .rate = 1e308}, 5);
    fit.begin();
    EXPECT_THROW(finish(fit), NumericalError);
}

} // namespace
} // namespace pearlite::algorithm
