// The Potts model's updates and energies as bit logic on 512 chains.
#include "models/lattice/potts.hpp"

#include "pearlite/core/detail/contract.hpp"

#include "models/lattice/colour_draw.hpp"
#include "random/word_sources.hpp"
#include "simd/instructions.hpp"
#include "simd/plane_comparison.hpp"

namespace pearlite::models {

namespace {

using namespace simd::bit_plane;
using random::Purpose;

static_assert(chains == PottsBlock::chains && sizeof(PottsBlock::Plane) == words_per_plane * sizeof(std::uint32_t));

/// exp(-b |J| h) for h = 1 .. 4 lost bonds.
Thresholds<4> thresholds_of(double b_coupling) {
    std::array<std::uint64_t, 4> values;
    for (std::size_t h = 0; h < 4; ++h)
        values[h] = threshold(std::exp(-static_cast<long double>(h + 1) * static_cast<long double>(b_coupling)));
    return Thresholds<4>(values);
}

/// A small number per chain.
struct Count {
    Bits ones, twos, fours;
};
Count count_of(Bits a, Bits b, Bits c, Bits d) {
    const Sum three = add(a, b, c);
    const Bits carry = three.low & d;
    return {three.low ^ d, three.high ^ carry, three.high & carry};
}

/// The number of lost bonds h = lost - gained: its planes where it is positive.
struct Loss {
    Bits ones, twos, fours, negative;

    Loss(const Count& lost, const Count& gained) {
        const Bits borrow = ~lost.ones & gained.ones;
        ones = lost.ones ^ gained.ones;
        twos = lost.twos ^ gained.twos;
        const Bits borrow2 = choose(twos, gained.twos, borrow);
        twos ^= borrow;
        fours = lost.fours ^ gained.fours;
        negative = choose(fours, gained.fours, borrow2);
        fours ^= borrow2;
    }
    Bits positive() const { return (ones | twos | fours) & ~negative; }
    Bits chosen(const std::array<Bits, 4>& t) const {
        return choose(fours, t[3], choose(twos, choose(ones, t[2], t[1]), t[0]));
    }
};

template <int digits>
struct Colour {
    std::array<Bits, static_cast<std::size_t>(digits)> digit;

    static Colour at(const PottsBlock::Plane* planes, std::int32_t site, std::size_t part) {
        Colour colour;
        for (int d = 0; d < digits; ++d)
            colour.digit[static_cast<std::size_t>(d)] = load(planes + Index{site} * digits + d, part);
        return colour;
    }
    Bits differs(const Colour& other) const {
        Bits any_digit{};
        for (std::size_t d = 0; d < digit.size(); ++d)
            any_digit |= digit[d] ^ other.digit[d];
        return any_digit;
    }
};

static_assert((leading_planes + 8 + ColourDraw::most_planes) * words_per_plane <= random::most_words_taken);

std::size_t words_of_visit(const ColourDraw& draw) {
    return static_cast<std::size_t>(leading_planes + draw.planes()) * words_per_plane;
}

/// A draw of colours with this number of binary digits.
template <int n>
struct DrawOfDigits {
    static constexpr int digits = n;
    ColourDraw draw;
    std::array<Bits, 8> colours{};
    std::array<Bits, ColourDraw::most_planes> least{};

    explicit DrawOfDigits(const ColourDraw& of) : draw(of) {
        for (std::size_t d = 0; d < colours.size(); ++d)
            colours[d] = repeat((draw.colours >> d & 1) != 0);
        for (std::size_t i = 0; i < least.size(); ++i)
            least[i] = repeat((draw.least_remainder >> i & 1) != 0);
    }
    /// a + carry + u where digit d of the number of colours is one.
    Sum add_product(Bits a, Bits carry, Bits u, std::size_t d) const { return add(a, carry, u & colours[d]); }
    Bits least_remainder(std::size_t i) const { return least[i]; }
};

/// A draw of q colours, with q a constant: the compiler drops terms that are always zero.
template <Index q>
struct DrawOfColours {
    static constexpr ColourDraw draw{q};
    static constexpr int digits = std::bit_width(draw.colours - 1);

    explicit DrawOfColours(const ColourDraw&) {}
    static Sum add_product(Bits a, Bits carry, Bits u, std::size_t d) {
        if ((draw.colours >> d & 1) == 0)
            return {a ^ carry, a & carry};
        return {a ^ carry ^ u, (a & carry) | (u & (a | carry))};
    }
    static Bits least_remainder(std::size_t i) { return repeat((draw.least_remainder >> i & 1) != 0); }
};

template <class Draw>
struct Proposal {
    Colour<Draw::digits> colour;
    Bits made = ~Bits{}; ///< set in the chains that have a proposal

    /// `planes` holds the random digits, then u, lowest digit first. The product grows by a digit of u at a time and
    /// loses its lowest digit, which is final: the rest stays below m.
    Proposal(const Draw& of, const std::uint32_t* planes, std::size_t part) {
        constexpr std::size_t digits = Draw::digits;
        const auto twos = static_cast<std::size_t>(of.draw.twos), n = static_cast<std::size_t>(of.draw.n_planes);
        for (std::size_t d = 0; d < digits; ++d)
            colour.digit[d] = d < twos ? load(planes + d * words_per_plane, part) : Bits{};
#pragma GCC unroll 4
        for (std::size_t i = 0; i < n; ++i) {
            const Bits u = load(planes + (twos + i) * words_per_plane, part);
            Bits carry{}, remainder{};
#pragma GCC unroll 8
            for (std::size_t d = 0; d < digits; ++d) {
                if (d < twos)
                    continue;
                const Sum sum = of.add_product(colour.digit[d], carry, u, d);
                carry = sum.high;
                if (d == twos)
                    remainder = sum.low;
                else
                    colour.digit[d - 1] = sum.low;
            }
            colour.digit[digits - 1] = carry;
            made = choose(remainder ^ of.least_remainder(i), remainder, made);
        }
    }
};

/// function(digits as a constant).
template <class Function>
void with_digits(Index digits, Function function) {
    switch (digits) {
    case 1:
        return function(std::integral_constant<int, 1>{});
    case 2:
        return function(std::integral_constant<int, 2>{});
    case 3:
        return function(std::integral_constant<int, 3>{});
    case 4:
        return function(std::integral_constant<int, 4>{});
    case 5:
        return function(std::integral_constant<int, 5>{});
    case 6:
        return function(std::integral_constant<int, 6>{});
    case 7:
        return function(std::integral_constant<int, 7>{});
    default:
        return function(std::integral_constant<int, 8>{});
    }
}

/// Calls function(the draw), with a compile-time constant for ten colours, the usual case of a transition of first
/// order.
template <class Function>
void with_draw(Index colours, Function function) {
    const ColourDraw draw(colours);
    if (colours == 10)
        return function(DrawOfColours<10>(draw));
    with_digits(std::bit_width(draw.colours - 1), [&](auto digits) { function(DrawOfDigits<digits>(draw)); });
}

} // namespace

template <class Draw, class Words>
void Potts::update(Block& block, double b, Words words, const Draw& draw, const model::BlockStreams& streams,
                   std::span<const std::int32_t> sites) const {
    constexpr int digits = Draw::digits;
    const auto thresholds = thresholds_of(b * std::abs(settings_.coupling));
    const bool antiferromagnet = settings_.coupling < 0;
    const auto rest = words.elsewhere(streams.shared(Purpose::accept));
    PottsBlock::Plane* const x = block.planes().data();

    for (std::size_t visit = 0; visit < sites.size(); ++visit) {
        const std::int32_t site = sites[visit];
        const Neighbours& to = neighbours_[static_cast<std::size_t>(site)];
        const std::uint32_t* const leading = words.next();
        auto draw_ahead = words.ahead();
        for (std::size_t part = 0; part < parts; ++part) {
            const auto at = [&](std::int32_t s) { return Colour<digits>::at(x, s, part); };
            const auto present = at(site);
            const Proposal<Draw> proposal(draw, leading + leading_planes * words_per_plane, part);
            for (int plane = 0; plane < draw.draw.planes(); ++plane)
                draw_ahead();
            const Colour<digits>& proposed = proposal.colour;
            const auto right = at(to.right), left = at(to.left), down = at(to.down), up = at(to.up);
            const auto unequal = [&](const Colour<digits>& c) {
                return count_of(c.differs(right), c.differs(left), c.differs(down), c.differs(up));
            };
            const Count before = unequal(present), after = unequal(proposed);
            const Loss loss = antiferromagnet ? Loss(before, after) : Loss(after, before);
            const Bits random = loss.positive() & proposal.made;
            Comparison comparison = compare_leading(loss, thresholds, random, leading, part, draw_ahead);
            if (any(comparison.undecided)) {
                comparison.below |=
                    compare_rest(loss, thresholds, comparison.undecided, rest, static_cast<Index>(visit), part);
            }
            const Bits accepted = proposal.made & (~random | comparison.below);
            for (int d = 0; d < digits; ++d) {
                const auto k = static_cast<std::size_t>(d);
                store(x + Index{site} * digits + d, part, choose(accepted, proposed.digit[k], present.digit[k]));
            }
        }
    }
}

template <int digits>
void Potts::count_equal_bonds(Block& block) const {
    const PottsBlock::Plane* x = std::as_const(block).planes().data();
    const auto n_sites = static_cast<std::size_t>(sites());
    for (std::size_t part = 0; part < parts; ++part) {
        Counter unequal;
        std::array<Bits, 8> bonds;
        for (std::size_t i = 0; i < n_sites; i += 4) {
            for (std::size_t n = 0; n < 4; ++n) {
                bonds[2 * n] = bonds[2 * n + 1] = Bits{};
                if (i + n >= n_sites) // the last four of an odd lattice are not complete
                    continue;
                const Neighbours& to = neighbours_[i + n];
                const auto own = Colour<digits>::at(x, static_cast<std::int32_t>(i + n), part);
                bonds[2 * n] = own.differs(Colour<digits>::at(x, to.right, part));
                bonds[2 * n + 1] = own.differs(Colour<digits>::at(x, to.down, part));
            }
            unequal.add_eight(bonds);
        }
        constexpr std::size_t chains_per_part = 32 * words_per_part;
        unequal.counts(static_cast<std::int32_t>(2 * sites()), -1,
                       block.equal_bonds().subspan(part * chains_per_part).first<chains_per_part>());
    }
}

template <class>
void Potts::prepare(Block& block) const {
    PEARLITE_EXPECTS(static_cast<Index>(block.planes().size()) == sites() * digits_);
    with_digits(digits_, [&](auto digits) { count_equal_bonds<digits>(block); });
}

template <class>
void Potts::move_along(Block& block, double b, const model::BlockStreams& streams,
                       std::span<const std::int32_t> sites) const {
    PEARLITE_EXPECTS(static_cast<Index>(block.planes().size()) == this->sites() * digits_);
    PEARLITE_EXPECTS(b >= 0);
    const std::size_t n_words = words_of_visit(ColourDraw(settings_.colours));
    random::with_words(streams.shared(Purpose::move), n_words, sites.size(), [&](auto words) {
        with_draw(settings_.colours, [&](const auto& draw) { update(block, b, words, draw, streams, sites); });
    });
}

template void Potts::prepare<simd::Compiled>(Block& block) const;
template void Potts::move_along<simd::Compiled>(Block& block, double b, const model::BlockStreams& streams,
                                                std::span<const std::int32_t> sites) const;

} // namespace pearlite::models
