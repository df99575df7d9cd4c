// z-scores are compared with 5 (a false alarm once in 2e6); about 30 on fixed seeds.
#include "models/rbm/rbm_hidden.hpp"
#include "models/rbm/rbm_joint.hpp"

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/random/stream.hpp"
#include "support/mean_error.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::models {
namespace {

RbmParameters machine() {
    auto parameters = random_rbm(9, 6, 0.9, 0.6, 7);
    parameters.base_bias *= 0.5;
    parameters.images = decltype(parameters.images)::Constant(9, 3, 0);
    parameters.images.col(1).setConstant(255);
    parameters.images.col(2).setConstant(128);
    return parameters;
}

model::BlockStreams streams(std::uint64_t seed, Index step, Index first = 0) {
    return {seed, static_cast<std::uint32_t>(step), 0, first, first / 64};
}

using testing_support::MeanError;

TEST(JointRbm, DerivativeIsThePlainEnergy) {
    const auto p = machine();
    const JointRbm joint(p);
    auto block = joint.make_block(20);
    joint.draw_start(block, streams(1, 0));
    joint.move(block, 0.7, streams(1, 1));
    std::vector<double> u(20), ratio(20, 1.0);
    joint.path_derivative(block, 0.3, u);
    joint.add_log_ratio(block, 0.2, 0.9, ratio);
    for (Index i = 0; i < 20; ++i) {
        const Vector v = block.visible_units().col(i).head(9).cast<double>();
        const Vector h = block.hidden_units().col(i).head(6).cast<double>();
        const double exact = (p.visible_bias - p.base_bias).dot(v) + p.hidden_bias.dot(h) + v.dot(p.weights * h);
        EXPECT_NEAR(u[static_cast<std::size_t>(i)], exact, 1e-5);
        EXPECT_NEAR(ratio[static_cast<std::size_t>(i)], 1 + 0.7 * exact, 1e-5);
    }
}

TEST(HiddenRbm, DerivativeIsThePlainMarginal) {
    const auto p = machine();
    for (const auto update : {HiddenRbmSettings::Update::sweep, HiddenRbmSettings::Update::random_unit}) {
        const HiddenRbm hidden(p, {update, 0});
        auto block = hidden.make_block(20);
        hidden.draw_start(block, streams(1, 0));
        hidden.move(block, 0.7, streams(1, 1));
        std::vector<double> u(20);
        hidden.path_derivative(block, 0.3, u);
        for (Index i = 0; i < 20; ++i) {
            const Vector h = block.hidden_units().col(i).head(6).cast<double>();
            const Vector field = p.visible_bias + p.weights * h;
            double exact = p.hidden_bias.dot(h);
            for (const double f : field)
                exact += std::log1p(std::exp(f));
            EXPECT_NEAR(u[static_cast<std::size_t>(i)], exact, 1e-5);
        }
    }
}

/// Annealed importance sampling by move, or by move_reversed: both leave every distribution invariant.
template <class M>
double annealing_z(const M& model, bool reversed, double exact) {
    std::vector<double> weights;
    const Index steps = 12;
    for (Index n = 0; n < 60; ++n) {
        auto block = model.make_block(512);
        std::vector<double> log_w(512, 0.0);
        model.draw_start(block, streams(2, 0, 512 * n));
        for (Index k = 1; k <= steps; ++k) {
            const double from = static_cast<double>(k - 1) / static_cast<double>(steps);
            const double to = static_cast<double>(k) / static_cast<double>(steps);
            model.add_log_ratio(block, from, to, log_w);
            reversed ? model.move_reversed(block, to, streams(2, k, 512 * n))
                     : model.move(block, to, streams(2, k, 512 * n));
        }
        for (const double lw : log_w)
            weights.push_back(std::exp(lw - exact));
    }
    return MeanError(weights).z(1);
}

/// Moves at another inverse temperature than asked for.
template <class M>
struct Hotter : M {
    using M::M;
    void move(typename M::Block& block, double b, const model::BlockStreams& s) const { M::move(block, 0.7 * b, s); }
};

TEST(RbmForms, AnnealingFindsTheExactRatio) {
    const auto p = machine();
    const JointRbm joint(p);
    const HiddenRbm hidden(p), random(p, {HiddenRbmSettings::Update::random_unit, 9});
    for (const bool reversed : {false, true}) {
        EXPECT_LT(std::fabs(annealing_z(joint, reversed, *joint.exact_log_ratio(1))), 5);
        EXPECT_LT(std::fabs(annealing_z(hidden, reversed, *hidden.exact_log_ratio(1))), 5);
        EXPECT_LT(std::fabs(annealing_z(random, reversed, *hidden.exact_log_ratio(1))), 5);
    }
    EXPECT_NEAR(*joint.exact_log_ratio(1) + *joint.log_normaliser_start(),
                *hidden.exact_log_ratio(1) + *hidden.log_normaliser_start(), 1e-9);
}

TEST(RbmForms, WrongTemperaturesAreNoticed) {
    const auto p = machine();
    const Hotter<JointRbm> joint(p);
    const Hotter<HiddenRbm> hidden(p);
    EXPECT_GT(std::fabs(annealing_z(joint, false, *joint.exact_log_ratio(1))), 5);
    EXPECT_GT(std::fabs(annealing_z(hidden, false, *hidden.exact_log_ratio(1))), 5);
}

/// E[a(x) c(y)] by move less E[c(x) a(y)] by move_reversed, from equilibrium, in standard errors.
double joint_reversal_z(const JointRbm& joint, bool wrongly) {
    std::vector<double> differences;
    for (Index n = 0; n < 300; ++n) {
        auto block = joint.make_block(512);
        joint.draw_start(block, streams(3, 0, 512 * n));
        for (Index k = 1; k <= 30; ++k)
            joint.move(block, 0.8, streams(3, k, 512 * n));
        auto other = block;
        const auto x = block;
        joint.move(block, 0.8, streams(3, 40, 512 * n));
        wrongly ? joint.move(other, 0.8, streams(3, 41, 512 * n))
                : joint.move_reversed(other, 0.8, streams(3, 41, 512 * n));
        const auto a = [](const JointRbmBlock& b) -> Vector {
            return b.visible_units().topRows(9).colwise().sum().transpose().cast<double>().array() - 4.5;
        };
        const auto c = [](const JointRbmBlock& b) -> Vector {
            return b.hidden_units().topRows(6).colwise().sum().transpose().cast<double>().array() - 3;
        };
        const Vector difference = a(x).cwiseProduct(c(block)) - c(x).cwiseProduct(a(other));
        differences.insert(differences.end(), difference.begin(), difference.end());
    }
    return MeanError(differences).z(0);
}

TEST(JointRbm, ReversedMovesReverse) {
    const JointRbm joint(machine());
    EXPECT_LT(std::fabs(joint_reversal_z(joint, false)), 5);
    EXPECT_GT(std::fabs(joint_reversal_z(joint, true)), 5);
}

/// The first unit and the last: a sweep that visits them in turn correlates the first with what it was more than the
/// last.
double hidden_reversal_z(const HiddenRbm& hidden, bool wrongly) {
    std::vector<double> differences;
    for (Index n = 0; n < 200; ++n) {
        auto block = hidden.make_block(512);
        hidden.draw_start(block, streams(4, 0, 512 * n));
        for (Index k = 1; k <= 30; ++k)
            hidden.move(block, 0.8, streams(4, k, 512 * n));
        auto other = block;
        const auto x = block;
        hidden.move(block, 0.8, streams(4, 40, 512 * n));
        wrongly ? hidden.move(other, 0.8, streams(4, 41, 512 * n))
                : hidden.move_reversed(other, 0.8, streams(4, 41, 512 * n));
        const auto units = [](const HiddenRbmBlock& b) -> Matrix {
            return b.hidden_units().topRows(2).transpose().cast<double>().array() - 0.5;
        };
        const Matrix from = units(x), to = units(block), to_other = units(other);
        const Vector difference = from.col(0).cwiseProduct(to.col(1)) - from.col(1).cwiseProduct(to_other.col(0));
        differences.insert(differences.end(), difference.begin(), difference.end());
    }
    return MeanError(differences).z(0);
}

TEST(HiddenRbm, ReversedSweepsReverse) {
    auto p = machine();
    p.weights.col(0) = 0.7 * Vector::Ones(9); // two units that feel each other strongly
    p.weights.col(1) = -p.weights.col(0);
    p.hidden_bias.head(2) << -3, 3;
    const HiddenRbm hidden(p);
    EXPECT_LT(std::fabs(hidden_reversal_z(hidden, false)), 5);
    EXPECT_GT(std::fabs(hidden_reversal_z(hidden, true)), 5);
}

TEST(RbmForms, ReverseStartsComeFromImages) {
    const auto p = machine();
    const Rbm rbm(p);
    ASSERT_TRUE(rbm.has_data());
    EXPECT_FALSE(Rbm(random_rbm(4, 2, 1, 1, 1)).has_data());
    auto block = rbm.make_block(3000);
    rbm.draw_data(block, 1, streams(5, 0));
    double black = 0, white = 0;
    for (Index i = 0; i < 3000; ++i) {
        const float on = block.visible_units().col(i).head(9).sum();
        black += on == 0;
        white += on == 9;
    }
    // A third each, and of the grey one 2^-9 look like either: three standard deviations of 26.
    EXPECT_NEAR(black, 1002, 5 * 26);
    EXPECT_NEAR(white, 1002, 5 * 26);
}

template <class M>
void expect_packed_and_swapped(const M& model) {
    auto a = model.make_block(7), b = model.make_block(7);
    model.draw_start(a, streams(6, 0, 0));
    model.draw_start(b, streams(6, 0, 64));
    model.move(a, 0.5, streams(6, 1, 0));
    std::vector<std::byte> bytes(a.packed_bytes());
    auto copy = model.make_block(7);
    for (Index i = 0; i < 7; ++i) {
        a.pack(i, bytes);
        copy.unpack(i, bytes);
    }
    model.prepare(copy);
    std::vector<double> of_a(7), of_copy(7), of_b(7), of_swapped(7);
    model.path_derivative(a, 0.5, of_a);
    model.path_derivative(copy, 0.5, of_copy);
    model.path_derivative(b, 0.5, of_b);
    EXPECT_EQ(of_a, of_copy); // to the bit: a restored run continues
    const std::vector<std::uint8_t> which{0, 1, 0, 0, 1, 1, 0};
    model.swap_states(a, b, which);
    model.path_derivative(a, 0.5, of_swapped);
    for (std::size_t i = 0; i < 7; ++i)
        EXPECT_EQ(of_swapped[i], which[i] ? of_b[i] : of_a[i]);
}

TEST(RbmForms, StatesArePackedAndSwapped) {
    const auto p = machine();
    expect_packed_and_swapped(Rbm(p));
    expect_packed_and_swapped(JointRbm(p));
    expect_packed_and_swapped(HiddenRbm(p));
}

} // namespace
} // namespace pearlite::models
