// The Ising model's updates and bond sums as bit logic on 512 chains.
#include "pearlite/models/ising.hpp"

#include "pearlite/core/contract.hpp"

#include "ising_rules.hpp"
#include "shared_draws.hpp"

#include <utility>

namespace pearlite::models {

namespace {

using namespace bit_plane;
using namespace ising_rules;
using random::Purpose;

static_assert(chains == IsingBlock::chains && sizeof(SpinPlane) == words_per_plane * sizeof(std::uint32_t));
/// Visits whose random words are drawn in one go: 12 KiB, which stays in the first cache.
constexpr Index visits_per_draw = 16;
constexpr std::size_t words_per_visit = leading_planes * words_per_plane;

/// The chains whose uniform number is below their threshold, and those for which the planes so far are all equal to it.
struct Comparison {
    Bits below, undecided;
};

/// `words` holds the planes of one visit.
template <class R>
inline Comparison compare_leading(const R& rule, const Thresholds& thresholds, const std::uint32_t* words,
                                  std::size_t part) {
    Comparison result{Bits{}, rule.random()};
#pragma GCC unroll 12
    for (int plane = leading_planes - 1; plane >= 0; --plane) { // the first plane that differs has the last word
        const auto k = static_cast<std::size_t>(plane);
        const Bits q = load(words + k * words_per_plane, part);
        const Bits t = rule.chosen(thresholds.leading[k]);
        result.below = (t & ~q) | (result.below & ~(t ^ q));
        result.undecided &= ~(t ^ q);
    }
    return result;
}

/// Settles what the leading planes left undecided. Four planes a draw: nearly always enough, and a whole vector of
/// counters.
template <class R>
[[gnu::noinline]] Bits compare_rest(const R& rule, const Thresholds& thresholds, Bits undecided,
                                    const random::Address& address, Index visit, std::size_t part) {
    constexpr int planes_per_draw = 4;
    alignas(64) std::array<std::uint32_t, planes_per_draw * words_per_plane> words;
    Bits below{};
    for (int k = leading_planes; k < all_planes && any(undecided); k += planes_per_draw) {
        fill_planes(address, visit * all_planes + k, words);
        for (int i = 0; i < planes_per_draw; ++i) {
            const Bits q = load(words.data() + static_cast<std::size_t>(i) * words_per_plane, part);
            const Bits t = rule.chosen(thresholds.planes(k + i));
            below |= undecided & t & ~q;
            undecided &= ~(t ^ q);
        }
    }
    return below;
}

} // namespace

void Ising::prepare(Block& block) const {
    const std::span<const SpinPlane> x = std::as_const(block).planes();
    PEARLITE_EXPECTS(static_cast<Index>(x.size()) == sites());
    for (std::size_t part = 0; part < parts; ++part) {
        const auto spin = [x, part](std::size_t site) { return load(&x[site], part); };
        Counter unequal;
        std::array<Bits, 8> bonds;
        for (std::size_t i = 0; i < x.size(); i += 4) {
            for (std::size_t n = 0; n < 4; ++n) {
                const bool exists = i + n < x.size(); // the last four of an odd lattice are not complete
                const std::size_t site = exists ? i + n : i;
                const Neighbours& to = neighbours_[site];
                bonds[2 * n] = exists ? spin(site) ^ spin(static_cast<std::size_t>(to.right)) : Bits{};
                bonds[2 * n + 1] = exists ? spin(site) ^ spin(static_cast<std::size_t>(to.down)) : Bits{};
            }
            unequal.add_eight(bonds);
        }
        constexpr std::size_t chains_per_part = 32 * words_per_part;
        unequal.counts(static_cast<std::int32_t>(2 * sites()), -2,
                       block.bond_sums().subspan(part * chains_per_part).first<chains_per_part>());
    }
}

template <Move kind>
void Ising::update(Block& block, double b, const model::BlockStreams& streams,
                   std::span<const std::int32_t> sites) const {
    const Thresholds thresholds = Rule<kind>::thresholds(b, settings_.coupling);
    const random::Address leading = streams.shared(Purpose::move);
    const random::Address rest = streams.shared(Purpose::accept);
    const Bits opposite = repeat(settings_.coupling < 0);
    SpinPlane* x = block.planes().data();
    alignas(64) std::array<std::uint32_t, visits_per_draw * words_per_visit> words;

    const auto n_visits = static_cast<Index>(sites.size());
    for (Index first = 0; first < n_visits; first += visits_per_draw) {
        const Index count = std::min(visits_per_draw, n_visits - first);
        fill_planes(leading, first * leading_planes,
                    std::span(words).first(static_cast<std::size_t>(count) * words_per_visit));
        for (Index n = 0; n < count; ++n) {
            const std::int32_t site = sites[static_cast<std::size_t>(first + n)];
            const Neighbours& at = neighbours_[static_cast<std::size_t>(site)];
            const std::uint32_t* visit_words = words.data() + static_cast<std::size_t>(n) * words_per_visit;
            for (std::size_t part = 0; part < parts; ++part) {
                const auto pull = [&](std::int32_t neighbour) { return load(x + neighbour, part) ^ opposite; };
                const Rule<kind> rule(load(x + site, part), pull(at.right), pull(at.left), pull(at.down), pull(at.up));
                Comparison comparison = compare_leading(rule, thresholds, visit_words, part);
                if (any(comparison.undecided)) {
                    comparison.below |= compare_rest(rule, thresholds, comparison.undecided, rest, first + n, part);
                }
                store(x + site, part, rule.outcome(comparison.below));
            }
        }
    }
}

void Ising::move_along(Block& block, double b, const model::BlockStreams& streams,
                       std::span<const std::int32_t> sites) const {
    PEARLITE_EXPECTS(static_cast<Index>(block.planes().size()) == this->sites());
    PEARLITE_EXPECTS(b >= 0);
    if (settings_.move == Move::metropolis) {
        update<Move::metropolis>(block, b, streams, sites);
    } else {
        update<Move::heat_bath>(block, b, streams, sites);
    }
    prepare(block);
}

} // namespace pearlite::models
