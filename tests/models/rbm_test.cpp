/// The numbers of the RBM: against double precision, across block sizes, through packing, fused against its parts.

#include "models/rbm_oracle.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pearlite::models {
namespace {

using namespace rbm_oracle;

TEST(Rbm, LogRatioAndDerivativeAgreeWithDoublePrecision) {
    // The float pre-activations are off by about 1e-6, which costs the sum over 1100 units up to 2e-4 per unit of b.
    // Products of factors at either end are rounded, by the same amount whatever the step: the next test sums steps.
    const RbmParameters parameters = asymmetric_rbm(784, 1100, 0.3, 11);
    const Rbm rbm(parameters);
    RbmBlock block = rbm.make_block(5);
    rbm.draw_start(block, streams_at(0));
    for (const auto& [from, to] :
         {std::pair{0.0, 1.0}, {0.5, 0.501}, {0.9, 0.9 + 7e-5}, {0.501, 0.5}, {1.0, 0.2}, {0.3, 0.3}}) {
        std::vector<double> ratio(5, 0.25), derivative(5);
        rbm.add_log_ratio(block, from, to, ratio);
        rbm.path_derivative(block, to, derivative);
        for (Index i = 0; i < 5; ++i) {
            const Vector v = state_in_slot(block, i);
            const double expected = log_density(parameters, v, to) - log_density(parameters, v, from);
            const double rounding = to != from ? 2e-5 : 0;
            EXPECT_NEAR(ratio[static_cast<std::size_t>(i)] - 0.25, expected, rounding + 4e-4 * std::abs(to - from))
                << from << " " << to;
            const double slope = (log_density(parameters, v, to + 1e-5) - log_density(parameters, v, to - 1e-5)) / 2e-5;
            EXPECT_NEAR(derivative[static_cast<std::size_t>(i)], slope, 1e-6 * std::abs(slope) + 1e-3);
        }
    }
}

TEST(Rbm, RoundingOfIncrementsStaysFarBelowAnErrorBarOverALongPath) {
    // The state stands still, so the increments must telescope: each is the difference of a function at two
    // temperatures. Measured: 1e-12.
    const Rbm rbm(asymmetric_rbm(784, 500, 0.15, 11));
    RbmBlock block = rbm.make_block(3);
    rbm.draw_start(block, streams_at(0));
    constexpr int n_steps = 14500;
    std::vector<double> path(3, 0.0), at_once(3, 0.0);
    for (int k = 0; k < n_steps; ++k)
        rbm.add_log_ratio(block, static_cast<double>(k) / n_steps, static_cast<double>(k + 1) / n_steps, path);
    rbm.add_log_ratio(block, 0, 1, at_once);
    for (std::size_t i = 0; i < path.size(); ++i)
        EXPECT_NEAR(path[i], at_once[i], 1e-9);
}

TEST(Rbm, LargeFieldsDoNotOverflow) {
    RbmParameters parameters = asymmetric_rbm(20, 40, 3000.0, 2);
    const Rbm rbm(parameters);
    RbmBlock block = rbm.make_block(3);
    rbm.draw_start(block, streams_at(0));
    std::vector<double> increments(3, 0.0), derivative(3);
    const Vector v = state_in_slot(block, 0);
    rbm.anneal(block, 0.1, 1.0, streams_at(1), increments, derivative);
    const double expected = log_density(parameters, v, 1.0) - log_density(parameters, v, 0.1);
    EXPECT_NEAR(increments[0] / expected, 1, 1e-6);
    for (const double u : derivative)
        EXPECT_TRUE(std::isfinite(u));
}

TEST(Rbm, FusedStepHasTheBitsOfItsParts) {
    const Rbm rbm(asymmetric_rbm(45, 33, 0.5, 7));
    RbmBlock fused = rbm.make_block(21);
    RbmBlock parts = rbm.make_block(21);
    rbm.draw_start(fused, streams_at(0));
    rbm.draw_start(parts, streams_at(0));
    std::vector<double> fused_weights(21, 0.5), weights(21, 0.5), fused_slope(21), slope(21);
    for (std::uint32_t k = 1; k <= 20; ++k) {
        const double from = (k - 1) / 20.0, to = k / 20.0;
        rbm.anneal(fused, from, to, streams_at(k), fused_weights, fused_slope);
        rbm.add_log_ratio(parts, from, to, weights);
        rbm.move(parts, to, streams_at(k));
        rbm.path_derivative(parts, to, slope);
        ASSERT_EQ(fused_weights, weights);
        ASSERT_EQ(fused_slope, slope);
        ASSERT_EQ(fused.visible_units(), parts.visible_units());
    }
}

TEST(Rbm, RoundingAddsUpSlowlyWhereStatesMove) {
    // A state that moves at every temperature: rounding adds up, far below the error bar of an estimate (0.1).
    const RbmParameters parameters = asymmetric_rbm(784, 500, 0.15, 11);
    const Rbm rbm(parameters);
    constexpr Index n_chains = 2;
    RbmBlock block = rbm.make_block(n_chains);
    rbm.draw_start(block, streams_at(0));
    std::vector<double> log_weights(n_chains, 0.0), derivative(n_chains), exact(n_chains, 0.0);
    constexpr int n_steps = 200;
    for (std::uint32_t k = 1; k <= n_steps; ++k) {
        const double from = (k - 1.0) / n_steps, to = static_cast<double>(k) / n_steps;
        for (Index i = 0; i < n_chains; ++i) {
            const Vector v = state_in_slot(block, i);
            exact[at(i)] += log_density(parameters, v, to) - log_density(parameters, v, from);
        }
        rbm.anneal(block, from, to, streams_at(k), log_weights, derivative);
    }
    for (std::size_t i = 0; i < n_chains; ++i)
        EXPECT_NEAR(log_weights[i], exact[i], 1e-3);
}

/// States and numbers of chains 0 .. n-1 after a short path, run in blocks of the given size.
struct Trace {
    std::vector<std::vector<std::byte>> states;
    std::vector<double> log_weights, derivatives;
    bool operator==(const Trace&) const = default;
};

Trace run_in_blocks(const Rbm& rbm, Index n_chains, Index block_size) {
    Trace trace;
    for (Index first = 0; first < n_chains; first += block_size) {
        const Index size = std::min(block_size, n_chains - first);
        RbmBlock block = rbm.make_block(size);
        rbm.draw_start(block, streams_at(0, first));
        std::vector<double> log_weights(static_cast<std::size_t>(size), 0.0), derivatives(log_weights.size());
        for (std::uint32_t k = 1; k <= 3; ++k)
            rbm.anneal(block, (k - 1) / 3.0, k / 3.0, streams_at(k, first), log_weights, derivatives);
        for (Index i = 0; i < size; ++i)
            trace.states.push_back(packed(block, i));
        trace.log_weights.insert(trace.log_weights.end(), log_weights.begin(), log_weights.end());
        trace.derivatives.insert(trace.derivatives.end(), derivatives.begin(), derivatives.end());
    }
    return trace;
}

TEST(Rbm, AChainDoesNotKnowItsBlock) {
    for (const auto& [n, n_h] : {std::pair<Index, Index>{200, 130}, {37, 16}, {5, 3}}) {
        const Rbm rbm(asymmetric_rbm(n, n_h, 0.2, 9));
        const Trace reference = run_in_blocks(rbm, 66, 66);
        for (const Index block_size : {1, 5, 16, 17, 64})
            EXPECT_TRUE(run_in_blocks(rbm, 66, block_size) == reference) << n << " in blocks of " << block_size;
    }
}

TEST(Rbm, EveryPathOfTheKernelsGivesTheSameNumbers) {
    const RbmParameters parameters = asymmetric_rbm(200, 130, 0.2, 9);
    const Trace reference = run_in_blocks(Rbm(parameters, simd::Path::portable), 66, 66);
    for (const simd::Path path : simd::available_paths())
        EXPECT_TRUE(run_in_blocks(Rbm(parameters, path), 66, 66) == reference) << name_of(path);
    RbmParameters other = parameters;
    other.weights(3, 4) += 0.01;
    EXPECT_FALSE(run_in_blocks(Rbm(other, simd::Path::portable), 66, 66) == reference);
}

TEST(Rbm, PackedStatesRestoreTheBlock) {
    const Rbm rbm(asymmetric_rbm(45, 33, 0.5, 7));
    RbmBlock block = rbm.make_block(9);
    rbm.draw_start(block, streams_at(0));
    std::vector<double> increments(9, 0.0), derivative(9), restored_increments(9, 0.0), restored_derivative(9);
    rbm.anneal(block, 0, 0.4, streams_at(1), increments, derivative);
    RbmBlock restored = rbm.make_block(9);
    for (Index i = 0; i < 9; ++i)
        restored.unpack(i, packed(block, i));
    rbm.prepare(restored);
    EXPECT_EQ(block.packed_bytes(), 6u);
    rbm.anneal(block, 0.4, 0.8, streams_at(2), increments, derivative);
    rbm.anneal(restored, 0, 0.4, streams_at(3), restored_increments, restored_derivative); // any other history
    for (Index i = 0; i < 9; ++i)
        restored.unpack(i, packed(block, i));
    rbm.prepare(restored);
    rbm.path_derivative(restored, 0.8, restored_derivative);
    EXPECT_EQ(restored_derivative, derivative);
    EXPECT_EQ(restored.visible_units(), block.visible_units());
}

class RoundedRbm : public ::testing::TestWithParam<WeightPrecision> {};
INSTANTIATE_TEST_SUITE_P(Weights, RoundedRbm, ::testing::Values(WeightPrecision::bits16, WeightPrecision::bits8));

TEST_P(RoundedRbm, LastStepCorrectsWeights) {
    const RbmParameters parameters = asymmetric_rbm(784, 500, 2.0, 11);
    RbmParameters rounded = parameters; // as the path has it
    const auto integers = rbm_kernels::round_alike(parameters.weights, GetParam() == WeightPrecision::bits16 ? 2 : 1);
    rounded.weights = integers.scale[0] * integers.digits.cast<double>();
    const Rbm rbm(parameters, simd::Path::portable, GetParam());
    RbmBlock block = rbm.make_block(6);
    rbm.draw_start(block, streams_at(0));
    std::vector<double> on_path(6, 0.0), last_step(6, 0.0), slope(6);
    rbm.add_log_ratio(block, 0, 0.5, on_path);
    rbm.add_log_ratio(block, 0.5, 1, last_step);
    rbm.path_derivative(block, 1, slope);
    double largest_correction = 0;
    for (Index i = 0; i < 6; ++i) {
        const Vector v = state_in_slot(block, i);
        const double expected = log_density(rounded, v, 0.5) - log_density(rounded, v, 0);
        EXPECT_NEAR(on_path[at(i)], expected, 1e-6 * std::abs(expected));
        const double corrected = log_density(parameters, v, 1) - log_density(rounded, v, 0.5);
        EXPECT_NEAR(last_step[at(i)], corrected, 1e-6 * std::abs(corrected));
        const double true_slope = (log_density(parameters, v, 1) - log_density(parameters, v, 1 - 1e-6)) / 1e-6;
        EXPECT_NEAR(slope[at(i)] / true_slope, 1, 1e-6);
        largest_correction =
            std::max(largest_correction, std::abs(log_density(parameters, v, 1) - log_density(rounded, v, 1)) /
                                             (1e-6 * std::abs(corrected)));
    }
    EXPECT_GT(largest_correction, 3); // without it the comparison fails
}

TEST_P(RoundedRbm, EndMovesByTrueWeights) {
    const RbmParameters parameters = asymmetric_rbm(90, 70, 2.0, 11);
    const Rbm exact(parameters), rounded(parameters, simd::Path::portable, GetParam());
    RbmBlock a = exact.make_block(40), b = rounded.make_block(40);
    exact.draw_start(a, streams_at(0));
    rounded.draw_start(b, streams_at(0));
    std::vector<double> slope_a(40), slope_b(40), weights(40, 0.0), fused_weights(40, 0.0), fused_slope(40);
    exact.move(a, 1, streams_at(1));
    rounded.move(b, 1, streams_at(1));
    exact.path_derivative(a, 1, slope_a);
    rounded.path_derivative(b, 1, slope_b);
    EXPECT_EQ(a.visible_units(), b.visible_units());
    EXPECT_EQ(slope_a, slope_b);
    exact.path_derivative(a, 0.5, slope_a);
    rounded.path_derivative(b, 0.5, slope_b);
    EXPECT_NE(slope_a, slope_b);

    // Fused against its parts, from a stored state, over the last step; and back from the end.
    RbmBlock c = rounded.make_block(40);
    for (Index i = 0; i < 40; ++i)
        c.unpack(i, packed(b, i));
    rounded.prepare(c);
    for (const auto& [from, to] : {std::pair{0.8, 0.9}, {0.9, 1.0}, {1.0, 0.9}}) {
        const auto step = static_cast<std::uint32_t>(10 * (2 * from + to));
        rounded.anneal(b, from, to, streams_at(step), fused_weights, fused_slope);
        rounded.add_log_ratio(c, from, to, weights);
        rounded.move(c, to, streams_at(step));
        rounded.path_derivative(c, to, slope_b);
        EXPECT_EQ(fused_weights, weights);
        EXPECT_EQ(fused_slope, slope_b);
        EXPECT_EQ(b.visible_units(), c.visible_units());
    }

    // A replica at the end changes places with one before it: as if both had been stored.
    RbmBlock end = rounded.make_block(40);
    rounded.draw_start(end, streams_at(7));
    rounded.move(end, 1, streams_at(8));
    const RbmBlock old_end = end, old_c = c;
    rounded.swap_states(end, c, std::vector<std::uint8_t>(40, 1));
    rounded.path_derivative(end, 0.4, slope_a);
    rounded.path_derivative(old_c, 0.4, slope_b);
    EXPECT_EQ(slope_a, slope_b);
    rounded.path_derivative(c, 1, slope_a);
    rounded.path_derivative(old_end, 1, slope_b);
    EXPECT_EQ(slope_a, slope_b);
    EXPECT_FALSE(Rbm(random_rbm(5, 4, 1, 1, 1), simd::Path::portable, GetParam()).exact_log_ratio(0.5));
    EXPECT_TRUE(Rbm(random_rbm(5, 4, 1, 1, 1), simd::Path::portable, GetParam()).exact_log_ratio(1));
}

TEST(Rbm, PackedBitsAreInUnitOrder) {
    RbmBlock block(11, 2, 1);
    set_state(block, 0, state_of_number(0b10'1000'0001u, 11));
    EXPECT_EQ(packed(block, 0), (std::vector<std::byte>{std::byte{0x81}, std::byte{0x02}}));
}

TEST(Rbm, VisibleProbabilitiesFollowTheMeanHiddenUnits) {
    const RbmParameters parameters = asymmetric_rbm(6, 4, 0.8, 3);
    const Rbm rbm(parameters);
    RbmBlock block = rbm.make_block(3);
    rbm.draw_start(block, streams_at(0));
    const Matrix probabilities = rbm.visible_probabilities(block, 0.6);
    ASSERT_EQ(probabilities.rows(), 6);
    ASSERT_EQ(probabilities.cols(), 3);
    const Vector v = state_in_slot(block, 1);
    double field = 0.4 * parameters.base_bias[2] + 0.6 * parameters.visible_bias[2];
    for (Index j = 0; j < 4; ++j)
        field += 0.6 * parameters.weights(2, j) *
                 logistic(0.6 * (parameters.hidden_bias[j] + parameters.weights.col(j).dot(v)));
    EXPECT_NEAR(probabilities(2, 1), logistic(field), 1e-6);
}

TEST(Rbm, BaseRateIsNeverInfinite) {
    const Vector bias = base_rate_bias(Vector{{0.0, 5.0, 10.0}}, 10);
    EXPECT_DOUBLE_EQ(bias[0], std::log(1.0 / 11));
    EXPECT_DOUBLE_EQ(bias[1], 0);
    EXPECT_DOUBLE_EQ(bias[2], std::log(11.0));
}

TEST(Rbm, RandomModelsDependOnTheSeedAlone) {
    const RbmParameters one = random_rbm(300, 200, 0.1, 2.0, 8);
    EXPECT_EQ(one.weights, random_rbm(300, 200, 0.1, 2.0, 8).weights);
    EXPECT_NE(one.weights, random_rbm(300, 200, 0.1, 2.0, 9).weights);
    EXPECT_NEAR(std::sqrt(one.weights.squaredNorm() / 60000), 0.1, 0.1 * 5 / std::sqrt(120000.0));
    EXPECT_EQ(one.base_bias, one.visible_bias);
}

TEST(Rbm, FingerprintKnowsEveryNumber) {
    const auto fingerprint_of = [](const RbmParameters& parameters) {
        std::vector<std::byte> bytes;
        model::Fingerprint fingerprint(
            [&bytes](std::span<const std::byte> part) { bytes.insert(bytes.end(), part.begin(), part.end()); });
        Rbm(parameters).fingerprint(fingerprint);
        return bytes;
    };
    const RbmParameters parameters = asymmetric_rbm(3, 2, 1, 1);
    std::vector<RbmParameters> others(4, parameters);
    others[0].weights(2, 1) += 1e-9;
    others[1].visible_bias[0] += 1e-9;
    others[2].hidden_bias[1] += 1e-9;
    others[3].base_bias[2] += 1e-9;
    for (const RbmParameters& other : others)
        EXPECT_NE(fingerprint_of(other), fingerprint_of(parameters));
    EXPECT_EQ(fingerprint_of(parameters), fingerprint_of(parameters));
}

TEST(Rbm, ShapesAreChecked) {
    RbmParameters parameters = random_rbm(6, 4, 1, 1, 1);
    const Rbm rbm(parameters);
    parameters.hidden_bias.conservativeResize(5);
    EXPECT_THROW(Rbm{parameters}, ContractViolation);
    RbmBlock foreign(5, 4, 2);
    std::vector<double> out(3);
    EXPECT_THROW(rbm.prepare(foreign), ContractViolation);
    RbmBlock block = rbm.make_block(2);
    EXPECT_THROW(rbm.add_log_ratio(block, 0, 1, out), ContractViolation);
}

} // namespace
} // namespace pearlite::models
