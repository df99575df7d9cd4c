/// The bits of the Potts model: against plain programs, across block sizes, and through packing.

#include "models/lattice/potts.hpp"

#include "models/lattice/colour_draw.hpp"
#include "pearlite/core/error.hpp"
#include "random/fill.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pearlite::models {
namespace {

model::BlockStreams streams(const random::Seed& seed, Index step, Index block = 0) {
    return {seed, static_cast<std::uint32_t>(step), 0, block * PottsBlock::chains, block};
}

/// Bonds between equal colours, plainly.
Index plain_equal_bonds(const Potts& potts, const PottsBlock& block, Index chain) {
    const Index L = potts.settings().size;
    const auto colour = [&](Index row, Index column) { return block.colour(chain, row % L * L + column % L); };
    Index equal = 0;
    for (Index row = 0; row < L; ++row)
        for (Index column = 0; column < L; ++column)
            equal +=
                (colour(row, column) == colour(row, column + 1)) + (colour(row, column) == colour(row + 1, column));
    return equal;
}

TEST(Potts, BondsAreCountedAsByAPlainLoop) {
    for (const Index q : {2, 3, 4, 5, 8, 10, 16, 17, 100, 256})
        for (const Index size : {2, 3, 6}) {
            const Potts potts({.size = size, .colours = q});
            auto block = potts.make_block(40);
            potts.draw_start(block, streams(1, 0));
            for (int step = 1; step < 4; ++step) {
                for (Index chain = 0; chain < 40; ++chain) {
                    ASSERT_EQ(block.equal_bonds()[static_cast<std::size_t>(chain)],
                              plain_equal_bonds(potts, block, chain))
                        << q << " " << size;
                    for (Index site = 0; site < size * size; ++site)
                        ASSERT_LT(block.colour(chain, site), q);
                }
                potts.move(block, 0.3, streams(1, step));
            }
        }
}

/// Each colour comes from equally many draws, and no number of planes makes proposals cheaper.
TEST(Potts, ColoursAreDrawnUniformly) {
    for (Index q = 2; q <= Potts::largest_colours; ++q) {
        const ColourDraw draw(q);
        const Index odd = q >> draw.twos, all = Index{1} << draw.n_planes;
        std::vector<Index> drawn(static_cast<std::size_t>(odd));
        for (Index u = 0; u < all; ++u)
            drawn[static_cast<std::size_t>(u * odd / all)] += u * odd % all >= all % odd;
        for (const Index n : drawn)
            ASSERT_EQ(n, all / odd) << q;
        EXPECT_EQ(draw.proposing() * static_cast<double>(all), static_cast<double>(odd * (all / odd))) << q;
        EXPECT_GT(draw.proposing(), 8.0 / 9 - 1e-3) << q;
    }
    EXPECT_EQ(ColourDraw(10).planes(), 5);
    EXPECT_EQ(ColourDraw(256).planes(), 8);
}

/// One chain of a move as a plain program on the same random bits.
class PlainChain {
  public:
    PlainChain(const Potts& potts, const PottsBlock& block, Index chain)
        : potts_(potts), chain_(static_cast<std::size_t>(chain)) {
        for (Index site = 0; site < potts.settings().size * potts.settings().size; ++site)
            colours.push_back(block.colour(chain, site));
    }

    void sweep(double b, const model::BlockStreams& at) {
        const Index q = potts_.settings().colours;
        const int twos = ColourDraw(q).twos, n = ColourDraw(q).n_planes;
        const Index odd = q >> twos;
        const std::size_t per_visit = static_cast<std::size_t>(12 + twos + n), n_visits = colours.size();
        std::vector<std::uint32_t> leading(n_visits * per_visit * 16), rest(n_visits * 64 * 16);
        random::fill_bits(at.shared(random::Purpose::move), leading);
        random::fill_bits(at.shared(random::Purpose::accept), rest);
        for (std::size_t v = 0; v < n_visits; ++v) {
            std::uint64_t number = 0;
            for (std::size_t k = 0; k < 64; ++k)
                number = number << 1 | (k < 12 ? bit(leading, v * per_visit + k) : bit(rest, v * 64 + k));
            const auto whole = [&](int first, int digits) { // of a number with the lowest digit first
                Index value = 0;
                for (int i = 0; i < digits; ++i)
                    value |= static_cast<Index>(bit(leading, v * per_visit + static_cast<std::size_t>(first + i))) << i;
                return value;
            };
            const Index low = whole(12, twos), u = whole(12 + twos, n);
            const bool made = u * odd % (1 << n) >= (1 << n) % odd;
            if (made)
                visit(potts_.order()[v], (u * odd >> n) << twos | low, number, b);
        }
    }

    std::vector<Index> colours;

  private:
    std::uint64_t bit(const std::vector<std::uint32_t>& words, std::size_t plane) const {
        return words[plane * 16 + chain_ / 32] >> (chain_ % 32) & 1;
    }
    void visit(Index site, Index proposed, std::uint64_t number, double b) {
        const Index L = potts_.settings().size, row = site / L, column = site % L;
        Index& present = colours[static_cast<std::size_t>(site)];
        Index lost = 0;
        for (const Index other : {row * L + (column + 1) % L, row * L + (column + L - 1) % L,
                                  (row + 1) % L * L + column, (row + L - 1) % L * L + column}) {
            const Index neighbour = colours[static_cast<std::size_t>(other)];
            lost += (neighbour == present) - (neighbour == proposed);
        }
        const long double rise = static_cast<long double>(lost) * potts_.settings().coupling;
        if (rise <= 0 || static_cast<long double>(number) < std::rint(std::ldexp(std::exp(-b * rise), 64)))
            present = proposed;
    }

    const Potts& potts_;
    std::size_t chain_;
};

TEST(Potts, ColoursAreThoseOfThePlainProgram) {
    for (const random::Seed seed : {random::Seed{12}, random::Seed{12, random::Generator::ars}})
        for (const Index q : {2, 3, 5, 8, 10, 12, 14, 25, 47, 96, 100, 200, 256})
            for (const double coupling : {1.0, -2.0})
                for (const Index size : {2, 3, 4}) {
                    const Potts potts({.size = size, .colours = q, .coupling = coupling});
                    auto block = potts.make_block(512);
                    potts.draw_start(block, streams(seed, 0));
                    const auto start = block;
                    for (int step = 1; step < 6; ++step)
                        potts.move(block, 0.25 * step, streams(seed, step));
                    for (Index chain = 0; chain < 512; chain += 37) {
                        PlainChain plain(potts, start, chain);
                        for (int step = 1; step < 6; ++step)
                            plain.sweep(0.25 * step, streams(seed, step));
                        for (Index site = 0; site < size * size; ++site)
                            ASSERT_EQ(block.colour(chain, site), plain.colours[static_cast<std::size_t>(site)])
                                << "q = " << q << ", size " << size << ", chain " << chain;
                    }
                }
}

TEST(Potts, ExactAnswersAgreeWithEachOther) {
    const Potts two({.size = 4, .colours = 2, .coupling = 1.3});
    double sum = 0; // enumeration of 2^16 states
    const Index L = 4;
    for (Index state = 0; state < (1 << 16); ++state) {
        Index equal = 0;
        const auto colour = [&](Index row, Index column) { return state >> (row % L * L + column % L) & 1; };
        for (Index row = 0; row < L; ++row)
            for (Index column = 0; column < L; ++column)
                equal +=
                    (colour(row, column) == colour(row, column + 1)) + (colour(row, column) == colour(row + 1, column));
        sum += std::exp(0.7 * 1.3 * static_cast<double>(equal));
    }
    EXPECT_NEAR(*two.exact_log_ratio(0.7), std::log(sum) - 16 * std::log(2), 1e-9);

    for (const Index q : {3, 5}) { // enumeration of q^4 states of the 2 x 2 torus, whose bonds are all double
        const Potts small({.size = 2, .colours = q, .coupling = -0.8});
        double z = 0;
        for (Index a = 0; a < q; ++a)
            for (Index b = 0; b < q; ++b)
                for (Index c = 0; c < q; ++c)
                    for (Index d = 0; d < q; ++d)
                        z += std::exp(-0.8 * 2 * static_cast<double>((a == b) + (c == d) + (a == c) + (b == d)));
        EXPECT_NEAR(*small.exact_log_ratio(1), std::log(z) - 4 * std::log(static_cast<double>(q)), 1e-10);
    }

    const Potts odd({.size = 3, .colours = 3, .coupling = 1.7});
    auto states = odd.make_block(1);
    double z = 0; // enumeration of 3^9 states
    for (Index state = 0; state < 19683; ++state) {
        for (Index site = 0, left = state; site < 9; ++site, left /= 3)
            for (Index digit = 0; digit < 2; ++digit)
                states.planes()[static_cast<std::size_t>(2 * site + digit)].words[0] =
                    static_cast<std::uint64_t>(left % 3 >> digit & 1);
        z += std::exp(0.6 * 1.7 * static_cast<double>(plain_equal_bonds(odd, states, 0)));
    }
    EXPECT_NEAR(*odd.exact_log_ratio(0.6), std::log(z) - 9 * std::log(3.0), 1e-10);

    EXPECT_FALSE(Potts({.size = 32, .colours = 10}).exact_log_ratio(1).has_value());
}

TEST(Potts, ChainsDoNotDependOnHowManyAreInUse) {
    const Potts potts({.size = 4, .colours = 10});
    auto few = potts.make_block(5), many = potts.make_block(512);
    potts.draw_start(few, streams(6, 0));
    potts.draw_start(many, streams(6, 0));
    std::vector<std::byte> a(few.packed_bytes()), b(a);
    for (Index step = 1; step < 5; ++step) {
        potts.move(few, 0.4, streams(6, step));
        potts.move(many, 0.4, streams(6, step));
        few.pack(3, a);
        many.pack(3, b);
        EXPECT_EQ(a, b);
    }
    auto other = potts.make_block(2);
    other.unpack(1, a);
    potts.prepare(other);
    EXPECT_EQ(other.equal_bonds()[1], few.equal_bonds()[3]);
}

TEST(Potts, PackedChainsComeBack) {
    for (const Index q : {2, 3, 10, 200}) {
        const Potts potts({.size = 3, .colours = q});
        auto block = potts.make_block(100), copy = block;
        potts.draw_start(block, streams(13, 0));
        std::vector<std::byte> bytes(block.packed_bytes());
        EXPECT_EQ(bytes.size(), static_cast<std::size_t>(q == 2 ? 2 : q == 3 ? 3 : q == 10 ? 5 : 9));
        for (Index slot = 0; slot < 100; ++slot) { // backwards, so that a wrong slot cannot hide
            block.pack(slot, bytes);
            copy.unpack(99 - slot, bytes);
        }
        potts.prepare(copy);
        for (Index slot = 0; slot < 100; ++slot) {
            for (Index site = 0; site < 9; ++site)
                ASSERT_EQ(copy.colour(99 - slot, site), block.colour(slot, site));
            ASSERT_EQ(copy.equal_bonds()[static_cast<std::size_t>(99 - slot)],
                      block.equal_bonds()[static_cast<std::size_t>(slot)]);
        }
    }
}

TEST(Potts, ImagesAreColours) {
    const Potts potts({.size = 3, .colours = 5});
    auto block = potts.make_block(3);
    potts.draw_start(block, streams(14, 0));
    const Matrix pixels = potts.images(block, 1);
    for (Index chain = 0; chain < 3; ++chain)
        for (Index site = 0; site < 9; ++site)
            EXPECT_EQ(pixels(site, chain), static_cast<double>(block.colour(chain, site)) / 4);
}

TEST(Potts, StatesSwap) {
    const Potts potts({.size = 4, .colours = 5});
    auto a = potts.make_block(70), b = potts.make_block(70);
    potts.draw_start(a, streams(7, 0, 0));
    potts.draw_start(b, streams(7, 0, 1));
    std::vector<std::uint8_t> which(70);
    for (const std::size_t i : {0u, 13u, 64u, 69u})
        which[i] = 1;
    const auto a_before = a, b_before = b;
    potts.swap_states(a, b, which);
    for (Index i = 0; i < 70; ++i)
        for (Index site = 0; site < 16; ++site) {
            const bool swapped = which[static_cast<std::size_t>(i)] != 0;
            EXPECT_EQ(a.colour(i, site), (swapped ? b_before : a_before).colour(i, site));
            EXPECT_EQ(b.colour(i, site), (swapped ? a_before : b_before).colour(i, site));
        }
    for (Index i = 0; i < 70; ++i)
        EXPECT_EQ(a.equal_bonds()[static_cast<std::size_t>(i)], plain_equal_bonds(potts, a, i));
}

TEST(Potts, FingerprintDistinguishesModels) {
    const auto bytes = [](const PottsSettings& settings) {
        std::vector<std::byte> collected;
        model::Fingerprint fingerprint(
            [&](std::span<const std::byte> part) { collected.insert(collected.end(), part.begin(), part.end()); });
        Potts(settings).fingerprint(fingerprint);
        return collected;
    };
    const auto base = bytes({.size = 8, .colours = 10});
    EXPECT_EQ(base, bytes({.size = 8, .colours = 10}));
    EXPECT_NE(base, bytes({.size = 9, .colours = 10}));
    EXPECT_NE(base, bytes({.size = 8, .colours = 9}));
    EXPECT_NE(base, bytes({.size = 8, .colours = 10, .coupling = 1}));
    EXPECT_NE(base, bytes({.size = 8, .colours = 10, .update = PottsSettings::Update::random_site}));
}

TEST(Potts, SettingsOutOfRange) {
    EXPECT_THROW(Potts({.size = 1}), InputError);
    EXPECT_THROW(Potts({.colours = 1}), InputError);
    EXPECT_THROW(Potts({.colours = 257}), InputError);
    EXPECT_THROW(Potts({.coupling = 0}), InputError);
    EXPECT_THROW(Potts({.flips = -1}), InputError);
    const Potts antiferromagnet({.size = 4, .colours = 3, .coupling = -1});
    auto block = antiferromagnet.make_block(1);
    EXPECT_THROW(antiferromagnet.set_mode(block, 1, streams(1, 0)), InputError);
}

} // namespace
} // namespace pearlite::models
