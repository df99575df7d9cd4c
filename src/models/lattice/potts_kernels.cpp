// The Potts model's updates and energies as bit logic on 512 chains.
#include "models/lattice/potts.hpp"

#include "pearlite/core/detail/contract.hpp"

#include "models/common/shared_draws.hpp"
#include "simd/instructions.hpp"
#include "simd/plane_comparison.hpp"

#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

namespace pearlite::models {

namespace {

using namespace simd::bit_plane;
using random::Purpose;

static_assert(chains == PottsBlock::chains && sizeof(PottsBlock::Plane) == words_per_plane * sizeof(std::uint32_t));

constexpr Index potts_visits_per_draw = 16;

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

/// The split of the product of q and a whole number u of the chain's own, uniform on `n_planes` binary digits: higher
/// digits are a colour, uniform if u's whose product has a remainder below 2^n_planes mod q are left out (Lemire 2019).
/// n_planes is the least that leaves out at most one u in 256: a chain with such a u stays as it is, which is as
/// symmetric as a proposal, and cheaper than another draw.
struct ColourDraw {
    int n_planes;
    std::uint64_t colours, least_remainder;

    explicit ColourDraw(Index q) : n_planes(std::bit_width(static_cast<std::uint64_t>(q - 1))) {
        colours = static_cast<std::uint64_t>(q);
        while (256 * ((std::uint64_t{1} << n_planes) % colours) > std::uint64_t{1} << n_planes)
            ++n_planes;
        least_remainder = (std::uint64_t{1} << n_planes) % colours;
    }
};
constexpr int most_colour_planes = 16; // 2^n mod q < q <= 2^8 is at most 2^n / 256 from here on

template <int digits>
struct Proposal {
    Colour<digits> colour{};
    Bits made; ///< set in the chains that have a proposal

    /// `planes` holds u, lowest digit first. The product grows by a digit of u at a time and loses its lowest digit,
    /// which is final: the rest stays below q.
    Proposal(const ColourDraw& draw, const std::uint32_t* planes, std::size_t part) : made(~Bits{}) {
        if (draw.least_remainder == 0) { // q = 2^digits
            for (std::size_t d = 0; d < digits; ++d)
                colour.digit[d] = load(planes + d * words_per_plane, part);
            return;
        }
        for (int i = 0; i < draw.n_planes; ++i) {
            const Bits u = load(planes + static_cast<std::size_t>(i) * words_per_plane, part);
            std::array<Bits, static_cast<std::size_t>(digits) + 1> sum;
            Bits carry{};
            for (std::size_t d = 0; d < digits; ++d) {
                const Bits term = u & repeat((draw.colours >> d & 1) != 0);
                sum[d] = colour.digit[d] ^ term ^ carry;
                carry = majority(colour.digit[d], term, carry);
            }
            sum[digits] = carry;
            const Bits remainder = sum[0], least = repeat((draw.least_remainder >> i & 1) != 0);
            made = choose(remainder ^ least, remainder, made);
            for (std::size_t d = 0; d < digits; ++d)
                colour.digit[d] = sum[d + 1];
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

template <int digits>
void Potts::update(Block& block, double b, const model::BlockStreams& streams,
                   std::span<const std::int32_t> sites) const {
    const ColourDraw draw(settings_.colours);
    const int planes_per_visit = leading_planes + draw.n_planes;
    const std::size_t words_per_visit = static_cast<std::size_t>(planes_per_visit) * words_per_plane;
    const auto thresholds = thresholds_of(b * std::abs(settings_.coupling));
    const bool antiferromagnet = settings_.coupling < 0;
    const random::Address leading = streams.shared(Purpose::move);
    const Planes rest{streams.shared(Purpose::accept)};
    const auto n_visits = static_cast<Index>(sites.size());
    PottsBlock::Plane* x = block.planes().data();
    alignas(64) std::array<std::uint32_t, static_cast<std::size_t>(potts_visits_per_draw) *
                                              (leading_planes + most_colour_planes) * words_per_plane>
        words;

    for (Index first = 0; first < n_visits; first += potts_visits_per_draw) {
        const Index count = std::min(potts_visits_per_draw, n_visits - first);
        fill_planes(leading, first * planes_per_visit,
                    std::span(words).first(static_cast<std::size_t>(count) * words_per_visit));
        for (Index n = 0; n < count; ++n) {
            const std::int32_t site = sites[static_cast<std::size_t>(first + n)];
            const Neighbours& to = neighbours_[static_cast<std::size_t>(site)];
            const std::uint32_t* visit_words = words.data() + static_cast<std::size_t>(n) * words_per_visit;
            for (std::size_t part = 0; part < parts; ++part) {
                const auto at = [&](std::int32_t s) { return Colour<digits>::at(x, s, part); };
                const auto present = at(site);
                const Proposal<digits> proposal(draw, visit_words + leading_planes * words_per_plane, part);
                const Colour<digits>& proposed = proposal.colour;
                const auto right = at(to.right), left = at(to.left), down = at(to.down), up = at(to.up);
                const auto unequal = [&](const Colour<digits>& c) {
                    return count_of(c.differs(right), c.differs(left), c.differs(down), c.differs(up));
                };
                const Count before = unequal(present), after = unequal(proposed);
                const Loss loss = antiferromagnet ? Loss(before, after) : Loss(after, before);
                const Bits random = loss.positive() & proposal.made;
                Comparison comparison = compare_leading(loss, thresholds, random, visit_words, part);
                if (any(comparison.undecided))
                    comparison.below |= compare_rest(loss, thresholds, comparison.undecided, rest, first + n, part);
                const Bits accepted = proposal.made & (~random | comparison.below);
                for (int d = 0; d < digits; ++d) {
                    const auto k = static_cast<std::size_t>(d);
                    store(x + Index{site} * digits + d, part, choose(accepted, proposed.digit[k], present.digit[k]));
                }
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
    with_digits(digits_, [&](auto digits) { update<digits>(block, b, streams, sites); });
}

template void Potts::prepare<simd::Compiled>(Block& block) const;
template void Potts::move_along<simd::Compiled>(Block& block, double b, const model::BlockStreams& streams,
                                                std::span<const std::int32_t> sites) const;

} // namespace pearlite::models
