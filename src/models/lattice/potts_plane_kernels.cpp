// The Potts model's updates and energies as bit logic on 512 chains.
#include "models/lattice/potts.hpp"

#include "pearlite/core/detail/contract.hpp"

#include "models/lattice/colour_draw.hpp"
#include "random/word_sources.hpp"
#include "simd/instructions.hpp"
#include "simd/plane_comparison.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

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
        const Bits borrow2 = majority(~lost.twos, gained.twos, borrow);
        twos = lost.twos ^ gained.twos ^ borrow;
        negative = majority(~lost.fours, gained.fours, borrow2);
        fours = lost.fours ^ gained.fours ^ borrow2;
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

template <int digits>
struct Proposal {
    Colour<digits> colour{};
    Bits made; ///< set in the chains that have a proposal

    /// `planes` holds the random digits, then u, lowest digit first. The product grows by a digit of u at a time and
    /// loses its lowest digit, which is final: the rest stays below m.
    Proposal(const ColourDraw& draw, const std::uint32_t* planes, std::size_t part) : made(~Bits{}) {
        if (draw.n_planes == 0) { // q = 2^digits
            for (int d = 0; d < digits; ++d)
                colour.digit[static_cast<std::size_t>(d)] = load(planes + d * Index{words_per_plane}, part);
            return;
        }
        for (int d = 0; d < digits; ++d)
            if (d < draw.twos)
                colour.digit[static_cast<std::size_t>(d)] = load(planes + d * Index{words_per_plane}, part);
        for (int i = 0; i < draw.n_planes; ++i) {
            const Bits u = load(planes + (draw.twos + i) * Index{words_per_plane}, part);
            Bits carry{}, remainder{};
#pragma GCC unroll 8
            for (int digit = 0; digit < digits; ++digit) {
                if (digit < draw.twos)
                    continue;
                const auto d = static_cast<std::size_t>(digit);
                const Bits term = u & repeat((draw.colours >> d & 1) != 0);
                const Bits sum = colour.digit[d] ^ term ^ carry;
                carry = majority(colour.digit[d], term, carry);
                if (digit == draw.twos)
                    remainder = sum;
                else
                    colour.digit[d - 1] = sum;
            }
            colour.digit[digits - 1] = carry;
            const Bits least = repeat((draw.least_remainder >> i & 1) != 0);
            made = choose(remainder ^ least, remainder, made);
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

} // namespace

template <int digits, class Words>
void Potts::update(Block& block, double b, Words words, const model::BlockStreams& streams,
                   std::span<const std::int32_t> sites) const {
    const ColourDraw draw(settings_.colours);
    const std::size_t words_per_visit = words_of_visit(draw);
    const auto thresholds = thresholds_of(b * std::abs(settings_.coupling));
    const bool antiferromagnet = settings_.coupling < 0;
    const auto rest = words.elsewhere(streams.shared(Purpose::accept));
    PottsBlock::Plane* const x = block.planes().data();

    for (std::size_t visit = 0; visit < sites.size(); ++visit) {
        const std::int32_t site = sites[visit];
        const Neighbours& to = neighbours_[static_cast<std::size_t>(site)];
        const std::uint32_t* const leading = words.take(words_per_visit);
        for (std::size_t part = 0; part < parts; ++part) {
            const auto at = [&](std::int32_t s) { return Colour<digits>::at(x, s, part); };
            const auto present = at(site);
            const Proposal<digits> proposal(draw, leading + leading_planes * words_per_plane, part);
            const Colour<digits>& proposed = proposal.colour;
            const auto right = at(to.right), left = at(to.left), down = at(to.down), up = at(to.up);
            const auto unequal = [&](const Colour<digits>& c) {
                return count_of(c.differs(right), c.differs(left), c.differs(down), c.differs(up));
            };
            const Count before = unequal(present), after = unequal(proposed);
            const Loss loss = antiferromagnet ? Loss(before, after) : Loss(after, before);
            const Bits random = loss.positive() & proposal.made;
            Comparison comparison = compare_leading(loss, thresholds, random, leading, part);
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
    const std::size_t n_words = sites.size() * words_of_visit(ColourDraw(settings_.colours));
    random::with_words(streams.shared(Purpose::move), n_words, [&](auto words) {
        with_digits(digits_, [&](auto digits) { update<digits>(block, b, words, streams, sites); });
    });
}

template void Potts::prepare<simd::Compiled>(Block& block) const;
template void Potts::move_along<simd::Compiled>(Block& block, double b, const model::BlockStreams& streams,
                                                std::span<const std::int32_t> sites) const;

} // namespace pearlite::models
