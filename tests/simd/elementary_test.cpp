/// Accuracy of the functions of packets, and that all lanes and all kinds of packets give the same bits.

#include "simd/draws.hpp"
#include "simd/elementary.hpp"
#include "simd/logistic.hpp"
#include "simd/scalar.hpp"
#include "simd/trigonometric.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace pearlite::simd {
namespace {

using testing::Draws;
using testing::packet_of;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Largest |f(x) - exact(x)| / scale(x) over lanes filled by draw.
template <class P, class Function, class Exact, class Scale, class Draw>
double worst_error(Function function, Exact exact, Scale scale, Draw draw) {
    Draws draws(61);
    double worst = 0;
    for (int k = 0; k < 20000; ++k) {
        const P x = packet_of<P>([&] { return draw(draws); });
        const P y = function(x);
        for (Index i = 0; i < lanes<P>; ++i) {
            const auto at = static_cast<double>(x[i]);
            worst = std::max(worst, std::abs(static_cast<double>(y[i]) - exact(at)) / scale(at));
        }
    }
    return worst;
}

constexpr auto one = [](double) { return 1.0; };

TEST(FloatPackets, PowersOfTwoAreAccurate) {
    const auto exact = [](double x) { return std::exp2(x); };
    const auto error = [&](double reach) {
        return worst_error<Floats16>([](Floats16 x) { return exp2(x); }, exact, exact,
                                     [&](Draws& draws) { return draws.uniform(-reach, reach); });
    };
    EXPECT_LT(error(1), 2.5e-7);
    EXPECT_LT(error(126), 2.5e-7);
}

TEST(FloatPackets, PowersOfTwoAreCutAtTheEnds) {
    for (const float x : {-127.0f, -1e30f, -__builtin_inff(), __builtin_nanf("")})
        EXPECT_FLOAT_EQ(exp2(broadcast<Floats16>(x))[3], 0x1p-126f) << x;
    for (const float x : {127.0f, 1e30f, __builtin_inff()})
        EXPECT_FLOAT_EQ(exp2(broadcast<Floats16>(x))[3], 0x1p126f) << x;
    EXPECT_FLOAT_EQ(exp2(broadcast<Floats16>(0))[5], 1);
}

TEST(FloatPackets, LogarithmsAreAccurate) {
    const auto exact = [](double x) { return std::log2(x); };
    const auto function = [](Floats16 x) { return log2(x); };
    const auto own_or_one = [](double x) { return std::max(1.0, std::abs(std::log2(x))); };
    EXPECT_LT(worst_error<Floats16>(function, exact, own_or_one,
                                    [](Draws& draws) { return std::exp2(draws.uniform(-126, 126)); }),
              1.5e-7);
    EXPECT_LT(worst_error<Floats16>(function, exact, own_or_one, [](Draws& draws) { return draws.uniform(0.5, 2); }),
              1.5e-7);
    EXPECT_EQ(log2(broadcast<Floats16>(1))[0], 0);
    EXPECT_EQ(log2(broadcast<Floats16>(8))[0], 3);
}

TEST(FloatPackets, LogarithmsNearOneKeepTheirRelativeAccuracy) {
    const auto exact = [](double x) { return std::log1p(x) / std::log(2.0); };
    const auto function = [](Floats16 x) { return log2_1p(x); };
    const auto magnitude = [&](double x) { return std::abs(exact(x)); };
    EXPECT_LT(worst_error<Floats16>(function, exact, magnitude,
                                    [](Draws& draws) { return std::exp2(draws.uniform(-60, 120)); }),
              4e-7);
    EXPECT_LT(worst_error<Floats16>(function, exact, magnitude,
                                    [](Draws& draws) { return -std::exp2(draws.uniform(-60, -1)); }),
              4e-7);
}

TEST(Exponentials, AreAccurate) {
    const auto exact = [](double x) { return std::exp(x); };
    const auto below = [](double least) { return [least](Draws& draws) { return draws.uniform(least, 0); }; };
    EXPECT_LT(worst_error<Floats>([](Floats x) { return exp(x); }, exact, exact, below(-87)), 1.5e-7);
    EXPECT_LT(worst_error<Doubles>([](Doubles x) { return exp(x); }, exact, exact, below(-1)), 1e-14);
    EXPECT_LT(worst_error<Doubles>([](Doubles x) { return exp(x); }, exact, exact, below(-700)), 1e-14);
    EXPECT_LT(worst_error<Doubles>([](Doubles x) { return exp_or_least(x); }, exact, exact,
                                   [](Draws& draws) { return draws.uniform(-700, 700); }),
              1e-14);
}

TEST(Exponentials, AreConstantFarBelowZero) {
    const double least = exp(broadcast<Doubles>(-700))[0];
    EXPECT_GT(least, 0);
    for (const double x : {-701.0, -1e300, -infinity}) {
        EXPECT_EQ(exp(broadcast<Doubles>(x))[1], least) << x;
        EXPECT_EQ(exp_or_least(broadcast<Doubles>(x))[1], least) << x;
    }
    EXPECT_TRUE(std::isnan(exp(broadcast<Doubles>(nan))[0]));
    EXPECT_EQ(exp_or_least(broadcast<Doubles>(nan))[0], least);
    EXPECT_EQ(exp(Doubles{})[0], 1);
    EXPECT_EQ(exp(Floats{})[0], 1);
}

TEST(Logarithms, AreAccurate) {
    const auto exact = [](double x) { return std::log(x); };
    const auto magnitude = [](double x) { return std::abs(std::log(x)); };
    const auto function = [](Doubles x) { return log(x); };
    EXPECT_LT(worst_error<Doubles>(function, exact, magnitude,
                                   [](Draws& draws) { return std::exp(draws.uniform(-700, 700)); }),
              4.5e-16);
    EXPECT_LT(worst_error<Doubles>(function, exact, magnitude,
                                   [](Draws& draws) { return 1 + std::exp2(draws.uniform(-50, -2)); }),
              4.5e-16);
    EXPECT_EQ(log(broadcast<Doubles>(1))[0], 0);
}

TEST(Logarithms, OfDrawsAreThoseOfSingleNumbers) {
    Draws draws(6);
    for (int k = 0; k < 1000; ++k) {
        const auto x = packet_of<Doubles8>([&] { return std::exp(draws.uniform(-700, 700)); });
        const auto near_one =
            packet_of<Doubles8>([&] { return 1 - draws.uniform(0, 1) * std::exp2(draws.uniform(-50, 0)); });
        for (Index i = 0; i < lanes<Doubles8>; ++i) {
            EXPECT_EQ(natural_logs(x)[i], natural_log(x[i]));
            EXPECT_EQ(natural_logs(near_one)[i], natural_log(near_one[i]));
        }
    }
}

TEST(Uniforms, AreThoseOfSingleNumbers) {
    Draws draws(5);
    for (int k = 0; k < 1000; ++k) {
        alignas(64) Words bits = packet_of<Words>([&] { return draws.bits() >> draws.index(64); });
        std::uint32_t words[2 * lanes<Words>];
        std::memcpy(words, &bits, sizeof words);
        alignas(64) std::uint32_t aligned[2 * lanes<Words>];
        std::memcpy(aligned, words, sizeof words);
        const Doubles u = uniforms(load_words<Words>(aligned));
        for (Index i = 0; i < lanes<Words>; ++i)
            EXPECT_EQ(u[i], uniform53(bits[i]));
    }
}

TEST(Trigonometry, IsAccurate) {
    const double pi = std::numbers::pi;
    const auto half_turn = [](Draws& draws) { return draws.uniform(-0.5, 0.5); };
    EXPECT_LT(worst_error<Doubles>([](Doubles t) { return sine_of_half_turns(t); },
                                   [&](double t) { return std::sin(pi * t); },
                                   [&](double t) { return std::abs(std::sin(pi * t)); }, half_turn),
              6e-16);
    EXPECT_LT(worst_error<Doubles>([](Doubles t) { return cosine_of_half_turns(t); },
                                   [&](double t) { return std::cos(pi * t); }, one, half_turn),
              4e-16);
    const auto turns = [](Draws& draws) { return draws.uniform(-20, 20); };
    const auto nearest = [](double t) { return t - std::nearbyint(t); };
    EXPECT_LT(worst_error<Doubles>([](Doubles t) { return cosine_of_turns(t); },
                                   [&](double t) { return std::cos(2 * pi * nearest(t)); }, one, turns),
              3e-15);
    EXPECT_LT(worst_error<Doubles>([](Doubles t) { return squared_sine(t); },
                                   [&](double t) { return std::pow(std::sin(pi * nearest(t)), 2); }, one, turns),
              3e-15);
    EXPECT_EQ(squared_sine(broadcast<Doubles>(7))[0], 0);
    const auto angles = [](Draws& draws) { return draws.uniform(-10, 10); };
    EXPECT_LT(worst_error<Doubles>([](Doubles x) { return sine_cosine(x).sine; }, [](double x) { return std::sin(x); },
                                   one, angles),
              3e-15);
    EXPECT_LT(worst_error<Doubles>([](Doubles x) { return sine_cosine(x).cosine; },
                                   [](double x) { return std::cos(x); }, one, angles),
              3e-15);
}

TEST(Logistic, FollowsFromTheExponentialOfMinusTheMagnitude) {
    const auto function = [](Doubles x) { return logistic(x, smaller_tail(exp(minus_absolute(x)))); };
    const auto exact = [](double x) { return 1 / (1 + std::exp(-x)); };
    EXPECT_LT(worst_error<Doubles>(function, exact, exact, [](Draws& draws) { return draws.uniform(-30, 30); }), 1e-14);
    EXPECT_EQ(function(broadcast<Doubles>(infinity))[0], 1);
}

template <class P>
void expect_softplus_sum(double limit) {
    Draws draws(7);
    SoftplusSum<P> sum;
    double exact = 0;
    for (int part = 0; part < 3; ++part) {
        for (Index k = 0; k < SoftplusSum<P>::packets_per_logarithm; ++k) {
            const P x = packet_of<P>([&] { return draws.uniform(-1, 1) * (k % 2 == 0 ? 1e-3 : 50); });
            for (Index i = 0; i < lanes<P>; ++i)
                exact += std::max(static_cast<double>(x[i]), 0.0) +
                         std::log1p(std::exp(-std::abs(static_cast<double>(x[i]))));
            sum.add(x);
        }
        sum.fold();
    }
    EXPECT_NEAR(sum.total() / exact, 1, limit);
}

TEST(SoftplusSum, HoldsAsManyFactorsAsItSays) {
    expect_softplus_sum<Floats>(1e-6);
    expect_softplus_sum<Doubles>(1e-13);
}

/// Packets that are wider than a register go by halves: lane i of one is lane i of others.
template <class Wide, class Narrow, class Function>
void expect_same_bits(Function function) {
    Draws draws(8);
    for (int k = 0; k < 1000; ++k) {
        const double x = draws.uniform(0.01, 80);
        const auto wide = function(broadcast<Wide>(static_cast<Element<Wide>>(x)));
        const auto narrow = function(broadcast<Narrow>(static_cast<Element<Wide>>(x)));
        for (Index i = 0; i < lanes<Wide>; ++i)
            EXPECT_EQ(wide[i], narrow[i % lanes<Narrow>]);
    }
}

TEST(Packets, OfDifferentWidthsGiveTheSameBits) {
    using Floats8 = detail::PacketOf<float, 32>::Type;
    using Floats4 = detail::PacketOf<float, 16>::Type; // without an instruction of its own
    using Doubles4 = detail::PacketOf<double, 32>::Type;
    const auto functions = [](auto x) { return exp2(log2_1p(x)) + exp(-x) * square_root(x); };
    expect_same_bits<Floats16, Floats8>(functions);
    expect_same_bits<Floats16, Floats4>(functions);
    expect_same_bits<Doubles8, Doubles4>(
        [](auto x) { return larger(exp(-x), square_root(larger(x, -x))) + smaller(x, -x); });
}

} // namespace
} // namespace pearlite::simd
