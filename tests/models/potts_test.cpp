// Statistical comparisons: |z| < 5 (a false alarm once in 2e6), about 60 of them on fixed seeds; chi-squares at a level
// of 1e-6.
#include "pearlite/models/potts.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/core/log_space.hpp"
#include "pearlite/random/fill.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace pearlite::models {
namespace {

using Update = PottsSettings::Update;

model::BlockStreams streams(std::uint64_t seed, Index step, Index block = 0) {
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
        int n = 0; // of digits of the number that makes the colour
        while ((1 << n) < q || 256 * ((1 << n) % q) > (1 << n))
            ++n;
        const std::size_t per_visit = static_cast<std::size_t>(12 + n), n_visits = colours.size();
        std::vector<std::uint32_t> leading(n_visits * per_visit * 16), rest(n_visits * 64 * 16);
        random::fill_bits(at.shared(random::Purpose::move), leading);
        random::fill_bits(at.shared(random::Purpose::accept), rest);
        for (std::size_t v = 0; v < n_visits; ++v) {
            std::uint64_t number = 0;
            for (std::size_t k = 0; k < 64; ++k)
                number = number << 1 | (k < 12 ? bit(leading, v * per_visit + k) : bit(rest, v * 64 + k));
            Index u = 0;
            for (int i = 0; i < n; ++i)
                u |= static_cast<Index>(bit(leading, v * per_visit + 12 + static_cast<std::size_t>(i))) << i;
            const bool made = u * q % (1 << n) >= (1 << n) % q;
            if (made)
                visit(potts_.order()[v], u * q >> n, number, b);
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
    for (const Index q : {2, 3, 5, 8, 10, 25, 47, 100, 200, 256})
        for (const double coupling : {1.0, -2.0})
            for (const Index size : {2, 3, 4}) {
                const Potts potts({.size = size, .colours = q, .coupling = coupling});
                auto block = potts.make_block(512);
                potts.draw_start(block, streams(12, 0));
                const auto start = block;
                for (int step = 1; step < 6; ++step)
                    potts.move(block, 0.25 * step, streams(12, step));
                for (Index chain = 0; chain < 512; chain += 37) {
                    PlainChain plain(potts, start, chain);
                    for (int step = 1; step < 6; ++step)
                        plain.sweep(0.25 * step, streams(12, step));
                    for (Index site = 0; site < size * size; ++site)
                        ASSERT_EQ(block.colour(chain, site), plain.colours[static_cast<std::size_t>(site)])
                            << "q = " << q << ", size " << size << ", chain " << chain;
                }
            }
}

/// Chi-square of counts against equal chances.
double p_value_of_uniform(const std::map<Index, double>& counts, Index n_cells) {
    double total = 0, statistic = 0;
    for (const auto& [cell, count] : counts)
        total += count;
    const double expected = total / static_cast<double>(n_cells);
    for (Index cell = 0; cell < n_cells; ++cell) {
        const auto found = counts.find(cell);
        const double count = found == counts.end() ? 0 : found->second;
        statistic += (count - expected) * (count - expected) / expected;
    }
    return boost::math::cdf(
        boost::math::complement(boost::math::chi_squared(static_cast<double>(n_cells - 1)), statistic));
}

TEST(Potts, StartsAndGroundStatesAreUniform) {
    for (const Index q : {3, 10, 16}) {
        const Potts potts({.size = 8, .colours = q});
        std::map<Index, double> start, ground;
        for (Index b = 0; b < 20; ++b) {
            auto block = potts.make_block(512);
            potts.draw_start(block, streams(2, 0, b));
            for (Index chain = 0; chain < 512; ++chain)
                for (const Index site : {0, 17, 63})
                    start[block.colour(chain, site)] += 1;
            potts.set_mode(block, 1, streams(2, 0, b));
            for (Index chain = 0; chain < 512; ++chain) {
                ground[block.colour(chain, 0)] += 1;
                ASSERT_EQ(block.equal_bonds()[static_cast<std::size_t>(chain)], 128);
            }
        }
        EXPECT_GT(p_value_of_uniform(start, q), 1e-6) << q;
        EXPECT_GT(p_value_of_uniform(ground, q), 1e-6) << q;
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
    EXPECT_FALSE(Potts({.size = 32, .colours = 10}).exact_log_ratio(1).has_value());
}

struct MeanError {
    double mean = 0, error = 0;
    explicit MeanError(const std::vector<double>& values) {
        const auto n = static_cast<double>(values.size());
        for (const double v : values)
            mean += v / n;
        for (const double v : values)
            error += (v - mean) * (v - mean) / (n * (n - 1));
        error = std::sqrt(error);
    }
};

/// d log Z/db by a central difference: the exact mean of u = J x equal bonds.
double exact_mean_u(const Potts& potts, double b) {
    const double h = 1e-4;
    return (*potts.exact_log_ratio(b + h) - *potts.exact_log_ratio(b - h)) / (2 * h);
}

/// z of the mean u of chains at equilibrium, one value a block: its chains may share sites.
double equilibrium_z(const Potts& potts, double b, bool reversed, double exact) {
    std::vector<double> by_block;
    for (Index n = 0; n < 24; ++n) {
        auto block = potts.make_block(512);
        potts.draw_start(block, streams(3, 0, n));
        std::vector<double> u(512);
        double sum = 0;
        for (Index step = 1; step <= 130; ++step) {
            reversed ? potts.move_reversed(block, b, streams(3, step, n)) : potts.move(block, b, streams(3, step, n));
            if (step <= 100)
                continue;
            potts.path_derivative(block, b, u);
            for (const double value : u)
                sum += value / (512 * 30);
        }
        by_block.push_back(sum);
    }
    const MeanError result(by_block);
    return (result.mean - exact) / result.error;
}

TEST(Potts, EquilibriumHasTheExactEnergy) {
    struct Case {
        PottsSettings settings;
        double b;
    };
    const std::vector<Case> cases{
        {{.size = 3, .colours = 3, .coupling = 1}, 0.5},
        {{.size = 3, .colours = 10, .coupling = 1}, 1.2},
        {{.size = 4, .colours = 4, .coupling = 1}, 0.9},
        {{.size = 4, .colours = 5, .coupling = -1}, 1.0},
        {{.size = 2, .colours = 17, .coupling = 1, .update = Update::random_site, .flips = 8}, 1.0},
        {{.size = 5, .colours = 3, .coupling = 1, .update = Update::random_site}, 0.8},
        {{.size = 6, .colours = 2, .coupling = 1}, 0.8},
    };
    for (const auto& c : cases) {
        const Potts potts(c.settings);
        const double exact = exact_mean_u(potts, c.b);
        EXPECT_LT(std::fabs(equilibrium_z(potts, c.b, false, exact)), 6)
            << c.settings.size << " " << c.settings.colours;
        EXPECT_LT(std::fabs(equilibrium_z(potts, c.b, true, exact)), 6) << c.settings.size << " " << c.settings.colours;
        EXPECT_GT(std::fabs(equilibrium_z(potts, 1.05 * c.b, false, exact)), 6) << "the wrong twin, 5 % colder";
    }
}

/// Flows between states of a 2 x 2 lattice of 3 colours: counts of (x, y) from equilibrium under move, and of (y, x)
/// under move_reversed, must have the same distribution. Chi-square of two samples over the cells with at least 10
/// counts. One chain of a block, for the others may share its sites.
double p_value_of_reversal(const Potts& potts, double b, bool wrongly) {
    std::map<std::pair<Index, Index>, std::array<double, 2>> flows;
    const auto state = [](const PottsBlock& block) {
        Index s = 0;
        for (Index site = 0; site < 4; ++site)
            s = 3 * s + block.colour(0, site);
        return s;
    };
    for (Index n = 0; n < 60000; ++n) {
        const int direction = n % 2;
        auto block = potts.make_block(1);
        potts.draw_start(block, streams(4, 0, n));
        for (Index step = 1; step <= 15; ++step)
            potts.move(block, b, streams(4, step, n));
        const Index x = state(block);
        direction == 0 || wrongly ? potts.move(block, b, streams(4, 41, n))
                                  : potts.move_reversed(block, b, streams(4, 41, n));
        const Index y = state(block);
        flows[direction == 0 ? std::pair(x, y) : std::pair(y, x)][static_cast<std::size_t>(direction)] += 1;
    }
    double statistic = 0, cells = 0;
    for (const auto& [cell, counts] : flows)
        if (counts[0] + counts[1] >= 10) {
            statistic += (counts[0] - counts[1]) * (counts[0] - counts[1]) / (counts[0] + counts[1]);
            cells += 1;
        }
    return boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells), statistic));
}

TEST(Potts, ReversedSweepsReverse) {
    const Potts potts({.size = 2, .colours = 3, .coupling = 1});
    EXPECT_GT(p_value_of_reversal(potts, 0.6, false), 1e-6);
    EXPECT_LT(p_value_of_reversal(potts, 0.6, true), 1e-6);
}

TEST(Potts, RandomSitesReverseToThemselves) {
    EXPECT_GT(
        p_value_of_reversal(Potts({.size = 2, .colours = 3, .coupling = 1, .update = Update::random_site, .flips = 3}),
                            0.6, false),
        1e-6);
}

/// Estimates of exp(-log Z_b/Z_0) and exp(log Z_b/Z_0), divided by the exact value, minus 1: annealing from 0 to b, and
/// backwards from states at equilibrium at b. Each chain is one estimate: they are independent given the sites.
struct Annealed {
    MeanError forward, reverse;
};
Annealed annealed(const Potts& potts, double b, int steps, bool wrong_reverse_order = false) {
    const double exact = *potts.exact_log_ratio(b);
    std::vector<double> forward, reverse;
    for (Index n = 0; n < 12; ++n) {
        auto block = potts.make_block(512);
        std::vector<double> works(512), back(512);
        potts.draw_start(block, streams(8, 0, n));
        for (Index k = 1; k <= steps; ++k) {
            const double from = b * static_cast<double>(k - 1) / steps, to = b * static_cast<double>(k) / steps;
            potts.add_log_ratio(block, from, to, works);
            potts.move(block, to, streams(8, k, n));
        }
        for (Index k = 1; k <= 80; ++k) // to equilibrium
            potts.move(block, b, streams(9, k, n));
        for (Index k = steps; k >= 1; --k) {
            const double from = b * static_cast<double>(k) / steps, to = b * static_cast<double>(k - 1) / steps;
            if (wrong_reverse_order)
                potts.add_log_ratio(block, from, to, back);
            potts.move_reversed(block, from, streams(10, k, n));
            if (!wrong_reverse_order)
                potts.add_log_ratio(block, from, to, back);
        }
        for (std::size_t c = 0; c < 512; ++c) {
            forward.push_back(std::exp(works[c] - exact) - 1);
            reverse.push_back(std::exp(back[c] + exact) - 1);
        }
    }
    return {MeanError(forward), MeanError(reverse)};
}

TEST(Potts, AnnealingFindsTheExactRatioBothWays) {
    for (const PottsSettings& settings :
         {PottsSettings{.size = 3, .colours = 10, .coupling = 2}, PottsSettings{.size = 4, .colours = 3, .coupling = 2},
          PottsSettings{.size = 4, .colours = 5, .coupling = -2},
          PottsSettings{.size = 3, .colours = 7, .update = Update::random_site}}) {
        const Potts potts(settings);
        const Annealed found = annealed(potts, 0.45, 25);
        EXPECT_LT(std::fabs(found.forward.mean / found.forward.error), 5) << settings.colours;
        EXPECT_LT(std::fabs(found.reverse.mean / found.reverse.error), 5) << settings.colours;
        EXPECT_LT(found.forward.error + found.reverse.error, 0.1) << settings.colours;
    }
    const Annealed wrong = annealed(Potts({.size = 4, .colours = 3, .coupling = 2}), 0.45, 25, true);
    EXPECT_GT(std::fabs(wrong.reverse.mean / wrong.reverse.error), 8);
}

/// The variance of block means of u after a few sweeps from the start, in units of what independent chains give.
/// `twice` counts the first half of each block for the second, the wrong twin.
double variance_ratio(const Potts& potts, bool twice) {
    constexpr Index n_blocks = 200;
    std::vector<double> all, means;
    for (Index n = 0; n < n_blocks; ++n) {
        auto block = potts.make_block(512);
        potts.draw_start(block, streams(11, 0, n));
        for (Index step = 1; step <= 10; ++step)
            potts.move(block, 0.5, streams(11, step, n));
        std::vector<double> u(512);
        potts.path_derivative(block, 0.5, u);
        if (twice)
            std::copy_n(u.begin(), 256, u.begin() + 256);
        all.insert(all.end(), u.begin(), u.end());
        means.push_back(Eigen::Map<Vector>(u.data(), 512).mean());
    }
    const MeanError single(all), mean(means);
    return mean.error * mean.error / (single.error * single.error);
}

TEST(Potts, ChainsOfABlockAreIndependent) { // chi-square of 199 over 199: standard deviation 0.1
    const Potts potts({.size = 3, .colours = 3});
    EXPECT_NEAR(variance_ratio(potts, false), 1, 0.5);
    EXPECT_GT(variance_ratio(potts, true), 1.6);
}

TEST(Potts, LowTemperatureOfTheLargeLattice) {
    // <E> = -2034.0 +- 0.1 at b = 2 with J = 1, by independent plain loops.
    const Potts potts({.size = 32, .colours = 10, .coupling = 1});
    auto block = potts.make_block(512);
    potts.set_mode(block, 2, streams(5, 0));
    double sum = 0;
    std::vector<double> u(512);
    for (Index step = 1; step <= 200; ++step) {
        potts.move(block, 2, streams(5, step));
        if (step <= 100)
            continue;
        potts.path_derivative(block, 2, u);
        for (const double value : u)
            sum += value / (512 * 100);
    }
    EXPECT_NEAR(sum, 2034.0, 0.4);
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
