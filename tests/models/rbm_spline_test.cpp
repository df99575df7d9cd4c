/// The RBM along a path through knots: against double precision, fused against its parts, across blocks and paths of
/// the kernels; its distribution and its normaliser against enumeration.

#include "models/moment_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pearlite::models {
namespace {

using namespace rbm_oracle;

const std::vector<double> at_knots{0, 0.25, 0.6, 1};

/// Two knots between the ends that belong to no fit.
RbmSpline spline_of(const RbmParameters& end, simd::Path path = simd::chosen_path().path) {
    std::vector<RbmSpline::Machine> knots;
    for (const std::uint64_t seed : {21, 22}) {
        const auto knot = random_rbm(end.weights.rows(), end.weights.cols(), 0.2, 0.6, seed);
        knots.push_back({knot.weights, knot.visible_bias, knot.hidden_bias});
    }
    return RbmSpline(std::make_shared<const Rbm>(end, path), std::move(knots), at_knots, path);
}

Vector state_in(const RbmSplineBlock& block, Index slot, Index n_visible) {
    return block.visible_units().col(slot).head(n_visible).cast<double>();
}

/// log f_b by the machine at b, which itself is checked below.
double log_density_at(const RbmSpline& spline, const Vector& v, double b) {
    return log_density(spline.machine(b), v, 1);
}

TEST(RbmSpline, MachinesAreInterpolated) {
    const auto end = asymmetric_rbm(7, 5, 0.5, 3);
    const auto spline = spline_of(end);
    EXPECT_EQ(spline.machine(0).visible_bias, end.base_bias);
    EXPECT_EQ(spline.machine(0).weights.cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(spline.machine(1).weights, end.weights);
    EXPECT_EQ(spline.machine(1).hidden_bias, end.hidden_bias);
    const auto low = spline.machine(0.25), high = spline.machine(0.6), between = spline.machine(0.25 + 0.3 * 0.35);
    EXPECT_LT((between.weights - 0.7 * low.weights - 0.3 * high.weights).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((between.visible_bias - 0.7 * low.visible_bias - 0.3 * high.visible_bias).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(RbmSpline, LogRatioAndDerivativeAgreeWithDoublePrecision) {
    const auto spline = spline_of(asymmetric_rbm(784, 300, 0.2, 11));
    auto block = spline.make_block(5);
    spline.draw_start(block, streams_at(0));
    for (const auto& [from, to] :
         {std::pair{0.0, 1.0}, {0.1, 0.1001}, {0.24, 0.26}, {0.25, 0.25}, {0.7, 0.2}, {0.6, 0.61}, {0.9, 1.0}}) {
        std::vector<double> ratio(5, 0.25), derivative(5);
        spline.add_log_ratio(block, from, to, ratio);
        spline.path_derivative(block, to, derivative);
        for (Index i = 0; i < 5; ++i) {
            const Vector v = state_in(block, i, 784);
            EXPECT_NEAR(ratio[at(i)] - 0.25, log_density_at(spline, v, to) - log_density_at(spline, v, from),
                        (to != from ? 1e-4 : 0) + 3e-4 * std::abs(to - from))
                << from << " " << to;
            const double below = std::max(0.0, to - 1e-3), above = to == 0.25 || to == 0.6 || to == 1 ? to : to + 1e-3;
            const double slope =
                (log_density_at(spline, v, above) - log_density_at(spline, v, below)) / (above - below);
            EXPECT_NEAR(derivative[at(i)], slope, 2e-3 * std::abs(slope) + 0.05) << to;
        }
    }
}

TEST(RbmSpline, EndsAtTheMachineItself) {
    const auto parameters = asymmetric_rbm(40, 30, 0.5, 4);
    const auto spline = spline_of(parameters);
    const Rbm rbm(parameters);
    auto block = spline.make_block(9);
    auto plain = rbm.make_block(9);
    spline.draw_start(block, streams_at(0));
    rbm.draw_start(plain, streams_at(0));
    ASSERT_EQ(block.visible_units(), plain.visible_units()); // the same start
    spline.move(block, 1, streams_at(1));
    rbm.move(plain, 1, streams_at(1));
    EXPECT_EQ(block.visible_units(), plain.visible_units()); // the same transition
}

TEST(RbmSpline, FusedStepHasTheBitsOfItsParts) {
    const auto spline = spline_of(asymmetric_rbm(45, 33, 0.5, 7));
    auto fused = spline.make_block(21), parts = spline.make_block(21);
    spline.draw_start(fused, streams_at(0));
    spline.draw_start(parts, streams_at(0));
    std::vector<double> fused_weights(21, 0.5), weights(21, 0.5), fused_slope(21), slope(21);
    for (std::uint32_t k = 1; k <= 20; ++k) { // two steps end at a knot
        const double from = (k - 1) / 20.0, to = k / 20.0;
        spline.anneal(fused, from, to, streams_at(k), fused_weights, fused_slope);
        spline.add_log_ratio(parts, from, to, weights);
        spline.move(parts, to, streams_at(k));
        spline.path_derivative(parts, to, slope);
        ASSERT_EQ(fused_weights, weights);
        ASSERT_EQ(fused_slope, slope);
        ASSERT_EQ(fused.visible_units(), parts.visible_units());
    }
}

/// States and numbers of chains after a path, in blocks of the given size; with `stores`, packed and restored on the
/// way.
struct Trace {
    std::vector<std::vector<std::byte>> states;
    std::vector<double> log_weights, derivatives;
    bool operator==(const Trace&) const = default;
};

Trace run_in_blocks(const RbmSpline& spline, Index n_chains, Index block_size, bool stores = false) {
    Trace trace;
    for (Index first = 0; first < n_chains; first += block_size) {
        const Index size = std::min(block_size, n_chains - first);
        auto block = spline.make_block(size);
        spline.draw_start(block, streams_at(0, first));
        std::vector<double> log_weights(at(size), 0.0), derivatives(log_weights.size());
        for (std::uint32_t k = 1; k <= 5; ++k) {
            spline.anneal(block, (k - 1) / 5.0, k / 5.0, streams_at(k, first), log_weights, derivatives);
            if (!stores)
                continue;
            auto restored = spline.make_block(size);
            for (Index i = 0; i < size; ++i) {
                std::vector<std::byte> bytes(block.packed_bytes());
                block.pack(i, bytes);
                restored.unpack(i, bytes);
            }
            spline.prepare(restored);
            block = restored;
        }
        for (Index i = 0; i < size; ++i) {
            trace.states.emplace_back(block.packed_bytes());
            block.pack(i, trace.states.back());
        }
        trace.log_weights.insert(trace.log_weights.end(), log_weights.begin(), log_weights.end());
        trace.derivatives.insert(trace.derivatives.end(), derivatives.begin(), derivatives.end());
    }
    return trace;
}

TEST(RbmSpline, AChainKnowsNeitherItsBlockNorThatItWasStored) {
    const auto spline = spline_of(asymmetric_rbm(200, 130, 0.2, 9));
    const auto reference = run_in_blocks(spline, 66, 66);
    for (const Index block_size : {1, 5, 17, 64})
        EXPECT_TRUE(run_in_blocks(spline, 66, block_size) == reference) << block_size;
    EXPECT_TRUE(run_in_blocks(spline, 66, 17, true) == reference);
}

TEST(RbmSpline, EveryPathOfTheKernelsGivesTheSameNumbers) {
    const auto parameters = asymmetric_rbm(200, 130, 0.2, 9);
    const auto reference = run_in_blocks(spline_of(parameters, simd::Path::portable), 66, 66);
    for (const simd::Path path : simd::available_paths())
        EXPECT_TRUE(run_in_blocks(spline_of(parameters, path), 66, 66) == reference) << name_of(path);
    auto other = parameters;
    other.weights(3, 4) += 0.01;
    EXPECT_FALSE(run_in_blocks(spline_of(other, simd::Path::portable), 66, 66) == reference);
}

/// Chi-squared of the states of chains after 30 moves at b against p_`expected`, in standard deviations above its mean.
double chi_squared_score(const RbmSpline& spline, double b, double expected, Index n_visible) {
    constexpr Index n_chains = 20000;
    auto block = spline.make_block(n_chains);
    spline.draw_start(block, streams_at(0));
    for (std::uint32_t k = 1; k <= 30; ++k)
        spline.move(block, b, streams_at(k));
    const Index n_states = Index{1} << n_visible;
    std::vector<double> log_densities, counts(at(n_states), 0.0);
    const auto machine = spline.machine(expected);
    for (Index s = 0; s < n_states; ++s)
        log_densities.push_back(log_density(machine, state_of_number(static_cast<std::uint64_t>(s), n_visible), 1));
    const double log_z = log_sum_exp(log_densities);
    const auto units = block.visible_units();
    for (Index i = 0; i < n_chains; ++i) {
        Index number = 0;
        for (Index k = 0; k < n_visible; ++k)
            number += units(k, i) != 0 ? Index{1} << k : 0;
        counts[at(number)] += 1;
    }
    double sum = 0;
    for (Index s = 0; s < n_states; ++s) {
        const double mean = n_chains * std::exp(log_densities[at(s)] - log_z);
        sum += (counts[at(s)] - mean) * (counts[at(s)] - mean) / mean;
    }
    const auto freedom = static_cast<double>(n_states - 1);
    return (sum - freedom) / std::sqrt(2 * freedom);
}

TEST(RbmSpline, MovesLeaveTheDistributionOfEachMachineInvariant) {
    // Chi-squared with 15 degrees of freedom: beyond 4.5 sds with probability 1e-4, five times asked.
    const auto spline = spline_of(asymmetric_rbm(4, 3, 0.8, 5));
    for (const double b : {0.1, 0.25, 0.45, 0.8, 1.0})
        EXPECT_LT(chi_squared_score(spline, b, b, 4), 4.5) << b;
    EXPECT_GT(chi_squared_score(spline, 0.45, 0.55, 4), 8); // the wrong twin: another machine's
}

TEST(RbmSpline, ExactLogRatioIsThatOfTheMachine) {
    const auto parameters = asymmetric_rbm(6, 4, 1.0, 3);
    const auto spline = spline_of(parameters);
    EXPECT_EQ(*spline.exact_log_ratio(1), *Rbm(parameters).exact_log_ratio(1));
    std::vector<double> log_densities, at_start;
    for (std::uint64_t s = 0; s < 64; ++s) {
        log_densities.push_back(log_density(spline.machine(0.4), state_of_number(s, 6), 1));
        at_start.push_back(log_density(spline.machine(0), state_of_number(s, 6), 1));
    }
    EXPECT_NEAR(*spline.exact_log_ratio(0.4), log_sum_exp(log_densities) - log_sum_exp(at_start), 1e-10);
}

TEST(RbmFamily, StatesItsEndsAndTheirMoments) {
    const RbmFamily family(std::make_shared<const Rbm>(asymmetric_rbm(5, 4, 0.7, 8)));
    const auto start = family.start_moments();
    const auto expected = moments_of(family.start_parameters(), 5, 4).mean;
    for (std::size_t i = 0; i < start.size(); ++i)
        EXPECT_NEAR(start[i], expected[static_cast<Index>(i)], 1e-14);
}

TEST(RbmFamily, CountsStatisticsOfItsChains) {
    const RbmFamily family(std::make_shared<const Rbm>(asymmetric_rbm(5, 4, 0.7, 8)));
    const auto chains = family.make_chains();
    const auto eta = family.end_parameters();
    ASSERT_TRUE(chains->set_parameters(eta));
    constexpr Index n = 4000;
    const auto block = chains->make_block(n);
    chains->draw_start(*block, streams_at(0));
    for (std::uint32_t k = 1; k <= 40; ++k)
        chains->sweep(*block, streams_at(k));
    std::vector<std::int32_t> counts(at(family.n_statistics()));
    chains->count(*block, counts);
    const auto exact = moments_of(eta, 5, 4);
    double most = 0, of_start = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto k = static_cast<Index>(i);
        const double sd = std::sqrt(exact.covariance(k, k) / n);
        const double difference = static_cast<double>(counts[i]) / n - exact.mean[k];
        if (sd < 1e-9) { // padding, and the count of chains
            EXPECT_NEAR(difference, 0, 1e-12);
            continue;
        }
        most = std::max(most, std::abs(difference) / sd);
        of_start = std::max(of_start, std::abs(family.start_moments()[i] - exact.mean[k]) / sd);
    }
    EXPECT_LT(most, 4.5);    // 29 statistics: one false alarm in 5000
    EXPECT_GT(of_start, 20); // the start's moments are others
}

} // namespace
} // namespace pearlite::models
