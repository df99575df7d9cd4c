// The Ising model's updates and bond sums as bit logic on 512 chains.

#include "pearlite/core/detail/contract.hpp"

#include "models/lattice/ising_rules.hpp"
#include "random/word_sources.hpp"
#include "simd/instructions.hpp"

namespace pearlite::models {

namespace {

using namespace simd::bit_plane;
using namespace ising_rules;
using random::Purpose;

static_assert(chains == IsingBlock::chains && sizeof(SpinPlane) == words_per_plane * sizeof(std::uint32_t));
constexpr std::size_t words_per_visit = leading_planes * words_per_plane;

} // namespace

template <class>
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

template <Move kind, class Words>
void Ising::update(Block& block, double b, Words words, const model::BlockStreams& streams,
                   std::span<const std::int32_t> sites) const {
    const auto thresholds = Rule<kind>::thresholds(b, settings_.coupling);
    const auto rest = words.elsewhere(streams.shared(Purpose::accept));
    const Bits opposite = repeat(settings_.coupling < 0);
    SpinPlane* const x = block.planes().data();

    for (std::size_t visit = 0; visit < sites.size(); ++visit) {
        const std::int32_t site = sites[visit];
        const Neighbours& at = neighbours_[static_cast<std::size_t>(site)];
        const std::uint32_t* const leading = words.next();
        auto draw_ahead = words.ahead();
        for (std::size_t part = 0; part < parts; ++part) {
            const auto pull = [&](std::int32_t neighbour) { return load(x + neighbour, part) ^ opposite; };
            const Rule<kind> rule(load(x + site, part), pull(at.right), pull(at.left), pull(at.down), pull(at.up));
            Comparison comparison = compare_leading(rule, thresholds, rule.random(), leading, part, draw_ahead);
            if (any(comparison.undecided)) {
                comparison.below |=
                    compare_rest(rule, thresholds, comparison.undecided, rest, static_cast<Index>(visit), part);
            }
            store(x + site, part, rule.outcome(comparison.below));
        }
    }
}

template <class>
void Ising::move_along(Block& block, double b, const model::BlockStreams& streams,
                       std::span<const std::int32_t> sites) const {
    PEARLITE_EXPECTS(static_cast<Index>(block.planes().size()) == this->sites());
    PEARLITE_EXPECTS(b >= 0);
    random::with_words(streams.shared(Purpose::move), words_per_visit, sites.size(), [&](auto words) {
        if (settings_.move == Move::metropolis) {
            update<Move::metropolis>(block, b, words, streams, sites);
        } else {
            update<Move::heat_bath>(block, b, words, streams, sites);
        }
    });
}

template void Ising::prepare<simd::Compiled>(Block& block) const;
template void Ising::move_along<simd::Compiled>(Block& block, double b, const model::BlockStreams& streams,
                                                std::span<const std::int32_t> sites) const;

} // namespace pearlite::models
