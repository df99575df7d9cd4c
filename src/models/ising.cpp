#include "pearlite/models/ising.hpp"

#include "pearlite/core/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/core/log_space.hpp"
#include "pearlite/models/kaufman.hpp"

#include "ising_rules.hpp"
#include "shared_draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
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

IsingBlock::IsingBlock(Index size, Index sites) : size_(size), planes_(static_cast<std::size_t>(sites)) {
    PEARLITE_EXPECTS(size >= 0 && size <= chains);
}

void IsingBlock::pack(Index slot, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && out.size() == packed_bytes());
    std::fill(out.begin(), out.end(), std::byte{0});
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        const std::uint64_t up = planes_[i].words[static_cast<std::size_t>(slot / 64)] >> (slot % 64) & 1;
        out[i / 8] |= static_cast<std::byte>(up << (i % 8));
    }
}

void IsingBlock::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && in.size() == packed_bytes());
    const std::uint64_t mask = std::uint64_t{1} << (slot % 64);
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        const bool up = (in[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0};
        const std::uint64_t word = planes_[i].words[static_cast<std::size_t>(slot / 64)];
        planes_[i].words[static_cast<std::size_t>(slot / 64)] = up ? word | mask : word & ~mask;
    }
}

Ising::Ising(const IsingSettings& settings) : settings_(settings) {
    const Index size = settings.size;
    if (size < 2 || size > largest_size) {
        throw InputError("Ising: the size must be 2 to " + std::to_string(largest_size) + ", not " +
                         std::to_string(size));
    }
    if (!std::isfinite(settings.coupling) || settings.coupling == 0) {
        throw InputError("Ising: the coupling must be finite and not 0, not " + std::to_string(settings.coupling));
    }
    if (settings.flips < 0 || settings.flips > largest_flips) {
        throw InputError("Ising: a move must have 0 to " + std::to_string(largest_flips) + " flips, not " +
                         std::to_string(settings.flips));
    }
    for (Index row = 0; row < size; ++row) {
        for (Index column = 0; column < size; ++column) {
            const auto site = [size](Index r, Index c) {
                return static_cast<std::int32_t>((r + size) % size * size + (c + size) % size);
            };
            neighbours_.push_back(
                {site(row, column + 1), site(row, column - 1), site(row + 1, column), site(row - 1, column)});
        }
    }
    // Sites of one colour of the checkerboard are not neighbours: successive updates then do not wait for each other.
    // An odd torus has odd circles and no two colours, so its sites are simply taken in turn; any fixed order is valid.
    const int colours = size % 2 == 0 ? 2 : 1;
    for (int colour = 0; colour < colours; ++colour) {
        for (Index i = 0; i < sites(); ++i) {
            if ((i / size + i % size) % colours == colour) {
                order_.push_back(static_cast<std::int32_t>(i));
            }
        }
    }
    reversed_order_.assign(order_.rbegin(), order_.rend());
}

void Ising::draw_start(Block& block, const model::BlockStreams& streams) const {
    const random::Address address = streams.shared(Purpose::start);
    alignas(64) std::array<std::uint32_t, 64 * words_per_plane> words;
    const std::span<SpinPlane> planes = block.planes();
    for (std::size_t first = 0; first < planes.size(); first += 64) {
        const std::size_t count = std::min<std::size_t>(64, planes.size() - first);
        fill_planes(address, static_cast<Index>(first), std::span(words).first(count * words_per_plane));
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(planes[first + i].words.data(), words.data() + i * words_per_plane, sizeof(SpinPlane));
        }
    }
    prepare(block);
}

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

void Ising::move(Block& block, double b, const model::BlockStreams& streams) const {
    if (settings_.update == IsingSettings::Update::sweep) {
        return move_along(block, b, streams, order_);
    }
    const Index flips = settings_.flips > 0 ? settings_.flips : sites();
    std::vector<std::int32_t> drawn(static_cast<std::size_t>(flips));
    draw_indices(streams.shared(Purpose::site), sites(), drawn);
    move_along(block, b, streams, drawn);
}

void Ising::move_reversed(Block& block, double b, const model::BlockStreams& streams) const {
    if (settings_.update == IsingSettings::Update::sweep) {
        return move_along(block, b, streams, reversed_order_);
    }
    move(block, b, streams); // independent sites in the opposite order are independent sites
}

void Ising::set_mode(Block& block, double, const model::BlockStreams& streams) const {
    const bool antiferromagnet = settings_.coupling < 0;
    if (antiferromagnet && settings_.size % 2 != 0) {
        throw InputError("Ising: an antiferromagnet of odd size has no two ground states to start from");
    }
    alignas(64) std::array<std::uint32_t, words_per_plane> up;
    fill_planes(streams.shared(Purpose::end), 0, up);
    for (std::size_t site = 0; site < block.planes().size(); ++site) {
        const auto i = static_cast<Index>(site);
        const bool flipped = antiferromagnet && (i / settings_.size + i % settings_.size) % 2 != 0;
        auto& words = block.planes()[site].words;
        std::memcpy(words.data(), up.data(), sizeof words);
        if (flipped) {
            for (std::uint64_t& word : words) {
                word = ~word;
            }
        }
    }
    prepare(block);
}

void Ising::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    PEARLITE_EXPECTS(a.size() == b.size() && static_cast<Index>(which.size()) == a.size());
    SpinPlane mask;
    for (std::size_t c = 0; c < which.size(); ++c) {
        if (which[c] != 0) {
            mask.words[c / 64] |= std::uint64_t{1} << (c % 64);
            std::swap(a.bond_sums()[c], b.bond_sums()[c]);
        }
    }
    for (std::size_t site = 0; site < a.planes().size(); ++site) {
        for (std::size_t w = 0; w < mask.words.size(); ++w) {
            std::uint64_t& x = a.planes()[site].words[w];
            std::uint64_t& y = b.planes()[site].words[w];
            const std::uint64_t changed = (x ^ y) & mask.words[w];
            x ^= changed;
            y ^= changed;
        }
    }
}

void Ising::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    PEARLITE_EXPECTS(static_cast<Index>(out.size()) == block.size());
    for (std::size_t c = 0; c < out.size(); ++c) {
        out[c] += (to - from) * (settings_.coupling * block.bond_sums()[c]);
    }
}

void Ising::path_derivative(const Block& block, double, std::span<double> out) const {
    PEARLITE_EXPECTS(static_cast<Index>(out.size()) == block.size());
    for (std::size_t c = 0; c < out.size(); ++c) {
        out[c] = settings_.coupling * block.bond_sums()[c];
    }
}

void Ising::anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                            std::span<double> increments, std::span<double> derivative) const {
    add_log_ratio(block, from, to, increments);
    move_reversed(block, to, streams);
    path_derivative(block, to, derivative);
}

void Ising::anneal(Block& block, double from, double to, const model::BlockStreams& streams,
                   std::span<double> increments, std::span<double> derivative) const {
    // The shared work is the bond sums, which the block carries from step to step.
    add_log_ratio(block, from, to, increments);
    move(block, to, streams);
    path_derivative(block, to, derivative);
}

Matrix Ising::images(const Block& block, double) const {
    Matrix pixels(sites(), block.size());
    const auto planes = block.planes();
    for (Index chain = 0; chain < block.size(); ++chain)
        for (Index site = 0; site < sites(); ++site) {
            const auto word = planes[static_cast<std::size_t>(site)].words[static_cast<std::size_t>(chain / 64)];
            pixels(site, chain) = static_cast<double>(word >> (chain % 64) & 1U);
        }
    return pixels;
}

void Ising::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("ising");
    fingerprint.add(static_cast<double>(settings_.size));
    fingerprint.add(settings_.coupling);
    fingerprint.add(settings_.move == Move::metropolis ? "metropolis" : "heat_bath");
    if (settings_.update == IsingSettings::Update::random_site) {
        fingerprint.add("random_site");
        fingerprint.add(static_cast<double>(settings_.flips));
    }
}

std::optional<double> Ising::log_normaliser_start() const {
    return static_cast<double>(sites()) * std::numbers::ln2;
}

std::optional<double> Ising::exact_log_ratio(double b_end) const {
    const double beta_j = b_end * settings_.coupling;
    const Index size = settings_.size;
    if (beta_j >= 0 || size % 2 == 0) {
        return ising_log_partition(size, size, std::abs(beta_j)) - *log_normaliser_start();
    }
    if (sites() > 16) {
        return std::nullopt;
    }
    std::vector<double> log_f;
    for (std::uint32_t state = 0; state < (1u << sites()); ++state) {
        int sum = 0;
        const auto spin = [state](std::size_t site) { return (state >> site & 1u) != 0 ? 1 : -1; };
        for (std::size_t i = 0; i < neighbours_.size(); ++i) {
            sum += spin(i) * (spin(static_cast<std::size_t>(neighbours_[i].right)) +
                              spin(static_cast<std::size_t>(neighbours_[i].down)));
        }
        log_f.push_back(beta_j * sum);
    }
    return log_mean_exp(log_f);
}

} // namespace pearlite::models
