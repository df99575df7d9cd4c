/// Operations on every kind of packet against the same on single numbers.

#include "simd/arithmetic.hpp"
#include "simd/draws.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace pearlite::simd {
namespace {

using testing::Draws;
using testing::packet_of;

using Kinds =
    ::testing::Types<detail::PacketOf<float, 64>, detail::PacketOf<float, 32>, detail::PacketOf<float, 16>,
                     detail::PacketOf<double, 64>, detail::PacketOf<double, 32>, detail::PacketOf<double, 16>>;
template <class T>
class Arithmetic : public ::testing::Test {
  public:
    using Packet = typename T::Type;
    using Number = Element<Packet>;
    static constexpr Number not_a_number = std::numeric_limits<Number>::quiet_NaN();

    Packet draw() {
        return packet_of<Packet>([&] { return draws_.uniform(-2, 2); });
    }

  private:
    Draws draws_{3};
};
TYPED_TEST_SUITE(Arithmetic, Kinds);

TYPED_TEST(Arithmetic, IsThatOfSingleNumbers) {
    using P = typename TestFixture::Packet;
    for (int k = 0; k < 1000; ++k) {
        const P a = this->draw(), b = this->draw(), c = this->draw();
        const P sum = fused(a, b, c), root = square_root(absolute(a)), least = smaller(a, b), most = larger(a, b),
                below = minus_absolute(b);
        for (Index i = 0; i < lanes<P>; ++i) {
            EXPECT_EQ(sum[i], std::fma(a[i], b[i], c[i]));
            EXPECT_EQ(root[i], std::sqrt(std::abs(a[i])));
            EXPECT_EQ(least[i], std::min(a[i], b[i]));
            EXPECT_EQ(most[i], std::max(a[i], b[i]));
            EXPECT_EQ(below[i], -std::abs(b[i]));
        }
    }
}

TYPED_TEST(Arithmetic, ProductsAreRoundedOnce) {
    using P = typename TestFixture::Packet;
    using Real = typename TestFixture::Number;
    const Real a = 1 + 4 * std::numeric_limits<Real>::epsilon();
    EXPECT_EQ(fused(broadcast<P>(a), broadcast<P>(a), broadcast<P>(-1))[1], std::fma(a, a, Real{-1}));
    EXPECT_NE(std::fma(a, a, Real{-1}), a * a - 1);
}

TYPED_TEST(Arithmetic, TheSecondCountsWhereOrderSaysNothing) {
    using P = typename TestFixture::Packet;
    const P nan = broadcast<P>(TestFixture::not_a_number), two = broadcast<P>(2), zero{},
            minus_zero = broadcast<P>(-0.0);
    EXPECT_EQ(smaller(nan, two)[0], 2);
    EXPECT_EQ(larger(nan, two)[0], 2);
    EXPECT_TRUE(std::isnan(smaller(two, nan)[0]));
    EXPECT_TRUE(std::isnan(larger(two, nan)[0]));
    EXPECT_TRUE(std::signbit(larger(zero, minus_zero)[0]));
    EXPECT_FALSE(std::signbit(smaller(minus_zero, zero)[0]));
}

TYPED_TEST(Arithmetic, ReductionsGoThroughTheLanesInOrder) {
    using P = typename TestFixture::Packet;
    for (int k = 0; k < 100; ++k) {
        const P x = this->draw();
        double sum = 0, product = 1;
        auto largest = x[0];
        for (Index i = 0; i < lanes<P>; ++i) {
            sum += static_cast<double>(x[i]);
            product *= static_cast<double>(x[i]);
            largest = std::max(largest, x[i]);
        }
        EXPECT_EQ(sum_of(x), sum);
        EXPECT_EQ(product_of(x), product);
        EXPECT_EQ(largest_of(x), largest);
    }
}

TYPED_TEST(Arithmetic, AnySeesEveryBit) {
    using P = typename TestFixture::Packet;
    using Bits = BitsOf<P>;
    EXPECT_FALSE(any(Bits{}));
    for (Index i = 0; i < lanes<P>; ++i)
        for (const int bit : {0, 1, 17, 31}) {
            Bits bits{};
            bits[i] = Element<Bits>{1} << bit;
            EXPECT_TRUE(any(bits));
        }
    EXPECT_FALSE(any(broadcast<P>(1) > broadcast<P>(2)));
    EXPECT_TRUE(any(broadcast<P>(2) > broadcast<P>(1)));
}

TYPED_TEST(Arithmetic, MemoryIsReadAndWrittenInPackets) {
    using P = typename TestFixture::Packet;
    using Real = typename TestFixture::Number;
    alignas(64) std::array<Real, 3 * lanes<P>> memory{};
    for (std::size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<Real>(i);
    EXPECT_EQ(load<P>(memory.data() + lanes<P>)[1], memory[lanes<P> + 1]);
    EXPECT_EQ(load_anywhere<P>(memory.data() + 1)[1], memory[2]);
    store(memory.data(), broadcast<P>(-1));
    EXPECT_EQ(memory[lanes<P> - 1], -1);
    store_anywhere(memory.data() + 1, broadcast<P>(-2));
    EXPECT_EQ(memory[0], -1);
    EXPECT_EQ(memory[lanes<P>], -2);
    at<P>(memory.data()) += broadcast<P>(5);
    EXPECT_EQ(memory[0], 4);
}

TYPED_TEST(Arithmetic, ArraysOfAnyLengthGetTheirRoots) {
    using Real = typename TestFixture::Number;
    for (std::size_t n = 0; n < 40; ++n) {
        std::vector<Real> values(n + 1);
        for (std::size_t i = 0; i <= n; ++i)
            values[i] = static_cast<Real>(i) + Real{0.3};
        auto roots = values;
        square_roots(roots.data(), n);
        for (std::size_t i = 0; i < n; ++i)
            EXPECT_EQ(roots[i], std::sqrt(values[i]));
        EXPECT_EQ(roots[n], values[n]) << "beyond the end";
    }
}

TEST(Broadcast, KeepsTheSignOfZero) {
    EXPECT_TRUE(std::signbit(broadcast<Doubles>(-0.0)[0]));
    EXPECT_FALSE(std::signbit(broadcast<Doubles>(0.0)[0]));
}

TEST(LowProduct, LeavesHighHalvesOut) {
    Draws draws(4);
    const Words8 a = packet_of<Words8>([&] { return draws.bits(); });
    const std::uint64_t b = draws.bits();
    const Words8 product = low_product(a, b);
    for (Index i = 0; i < lanes<Words8>; ++i)
        EXPECT_EQ(product[i], (a[i] & 0xffffffffu) * (b & 0xffffffffu));
}

} // namespace
} // namespace pearlite::simd
