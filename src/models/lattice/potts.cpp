#include "models/lattice/potts.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include "models/common/shared_draws.hpp"
#include "simd/bit_plane.hpp"
#include "simd/instructions.hpp"

#include <bit>

namespace pearlite::models {

using random::Purpose;

static_assert(model::HasReversedMove<Potts> && model::HasMode<Potts> && model::HasStateSwap<Potts>);

namespace {

using Plane = PottsBlock::Plane;

/// Colours uniform on 0 .. q-1 for 512 chains, independent: digits are drawn again where they exceed q - 1. `number`
/// numbers the draws of a stream. After 64 rounds (at least 1 - 2^-64 of all draws end before) the top digit is
/// cleared.
void draw_colours(const random::Address& address, Index number, Index q, std::span<Plane> digits) {
    constexpr Index rounds = 64;
    const auto n = static_cast<Index>(digits.size());
    std::array<std::uint64_t, 8> wanting;
    wanting.fill(~std::uint64_t{0});
    std::array<std::uint32_t, std::size_t{16} * 8> words;
    for (Index round = 0; round <= rounds; ++round) {
        if (round < rounds)
            fill_planes(address, (number * rounds + round) * n,
                        std::span(words).first(16 * static_cast<std::size_t>(n)));
        std::array<std::uint64_t, 8> still{};
        bool any = false;
        for (std::size_t w = 0; w < 8; ++w) {
            std::uint64_t greater = 0, equal = ~std::uint64_t{0}; // than q - 1, by the digits so far
            for (Index d = n - 1; d >= 0; --d) {
                auto& word = digits[static_cast<std::size_t>(d)].words[w];
                std::uint64_t fresh = 0;
                std::memcpy(&fresh, words.data() + 16 * static_cast<std::size_t>(d) + 2 * w, sizeof fresh);
                if (round == rounds)
                    fresh = d == n - 1 ? 0 : word;
                word = (word & ~wanting[w]) | (fresh & wanting[w]);
                const std::uint64_t limit = (q - 1) >> d & 1 ? ~std::uint64_t{0} : 0;
                greater |= equal & word & ~limit;
                equal &= ~(word ^ limit);
            }
            still[w] = greater;
            any = any || greater != 0;
        }
        if (!any)
            return;
        wanting = still;
    }
}

} // namespace

PottsBlock::PottsBlock(Index size, Index sites, Index digits)
    : size_(size), digits_(digits), planes_(static_cast<std::size_t>(sites * digits)) {
    PEARLITE_EXPECTS(size >= 0 && size <= chains);
}

void PottsBlock::pack(Index slot, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && out.size() == packed_bytes());
    std::fill(out.begin(), out.end(), std::byte{0});
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        const std::uint64_t bit = planes_[i].words[static_cast<std::size_t>(slot / 64)] >> (slot % 64) & 1;
        out[i / 8] |= static_cast<std::byte>(bit << (i % 8));
    }
}

void PottsBlock::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && in.size() == packed_bytes());
    const std::uint64_t mask = std::uint64_t{1} << (slot % 64);
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        auto& word = planes_[i].words[static_cast<std::size_t>(slot / 64)];
        word = (in[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0} ? word | mask : word & ~mask;
    }
}

Index PottsBlock::colour(Index slot, Index site) const {
    Index colour = 0;
    for (Index d = 0; d < digits_; ++d) {
        const auto& words = planes_[static_cast<std::size_t>(site * digits_ + d)].words;
        colour |= static_cast<Index>(words[static_cast<std::size_t>(slot / 64)] >> (slot % 64) & 1) << d;
    }
    return colour;
}

Potts::Potts(const PottsSettings& settings) : settings_(settings) {
    const Index size = settings.size;
    const auto require = [](bool good, const std::string& what) {
        if (!good)
            throw InputError("Potts: " + what);
    };
    require(size >= 2 && size <= largest_size,
            "the size must be 2 to " + std::to_string(largest_size) + ", not " + std::to_string(size));
    require(settings.colours >= 2 && settings.colours <= largest_colours,
            "the number of colours must be 2 to " + std::to_string(largest_colours) + ", not " +
                std::to_string(settings.colours));
    require(std::isfinite(settings.coupling) && settings.coupling != 0,
            "the coupling must be finite and not 0, not " + std::to_string(settings.coupling));
    require(settings.flips >= 0 && settings.flips <= largest_flips,
            "a move must have 0 to " + std::to_string(largest_flips) + " flips, not " + std::to_string(settings.flips));
    digits_ = std::bit_width(static_cast<std::uint64_t>(settings.colours - 1));
    for (Index row = 0; row < size; ++row)
        for (Index column = 0; column < size; ++column) {
            const auto site = [size](Index r, Index c) {
                return static_cast<std::int32_t>((r + size) % size * size + (c + size) % size);
            };
            neighbours_.push_back(
                {site(row, column + 1), site(row, column - 1), site(row + 1, column), site(row - 1, column)});
        }
    // As for the Ising model: sites of one colour of the checkerboard do not wait for each other.
    const int classes = size % 2 == 0 ? 2 : 1;
    for (int k = 0; k < classes; ++k)
        for (Index i = 0; i < sites(); ++i)
            if ((i / size + i % size) % classes == k)
                order_.push_back(static_cast<std::int32_t>(i));
    reversed_order_.assign(order_.rbegin(), order_.rend());
}

void Potts::draw_start(Block& block, const model::BlockStreams& streams) const {
    const auto address = streams.shared(Purpose::start);
    const auto n = static_cast<std::size_t>(digits_);
    for (Index site = 0; site < sites(); ++site)
        draw_colours(address, site, settings_.colours, block.planes().subspan(static_cast<std::size_t>(site) * n, n));
    prepare(block);
}

void Potts::set_mode(Block& block, double, const model::BlockStreams& streams) const {
    if (!has_mode())
        throw InputError("Potts: an antiferromagnet has no uniform ground state to start from");
    const auto n = static_cast<std::size_t>(digits_);
    const auto planes = block.planes();
    draw_colours(streams.shared(Purpose::end), 0, settings_.colours, planes.first(n));
    for (std::size_t i = n; i < planes.size(); ++i)
        planes[i] = planes[i - n];
    prepare(block);
}

void Potts::prepare(Block& block) const {
    simd::on_this_cpu_with_aes([&](auto cpu) { prepare<decltype(cpu)>(block); });
}

void Potts::visit(Block& block, double b, const model::BlockStreams& streams,
                  std::span<const std::int32_t> sites) const {
    simd::on_this_cpu_with_aes([&](auto cpu) { move_along<decltype(cpu)>(block, b, streams, sites); });
    prepare(block);
}

void Potts::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    PEARLITE_EXPECTS(a.size() == b.size() && static_cast<Index>(which.size()) == a.size());
    Plane mask;
    for (std::size_t c = 0; c < which.size(); ++c)
        if (which[c] != 0) {
            mask.words[c / 64] |= std::uint64_t{1} << (c % 64);
            std::swap(a.equal_bonds()[c], b.equal_bonds()[c]);
        }
    for (std::size_t i = 0; i < a.planes().size(); ++i)
        for (std::size_t w = 0; w < mask.words.size(); ++w) {
            auto& x = a.planes()[i].words[w];
            auto& y = b.planes()[i].words[w];
            const std::uint64_t changed = (x ^ y) & mask.words[w];
            x ^= changed;
            y ^= changed;
        }
}

void Potts::move(Block& block, double b, const model::BlockStreams& streams) const {
    if (settings_.update == PottsSettings::Update::sweep)
        return visit(block, b, streams, order_);
    std::vector<std::int32_t> drawn(static_cast<std::size_t>(settings_.flips > 0 ? settings_.flips : sites()));
    draw_indices(streams.shared(Purpose::site), sites(), drawn);
    visit(block, b, streams, drawn);
}

void Potts::move_reversed(Block& block, double b, const model::BlockStreams& streams) const {
    if (settings_.update == PottsSettings::Update::sweep)
        return visit(block, b, streams, reversed_order_);
    move(block, b, streams); // independent sites in the opposite order are independent sites
}

void Potts::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    PEARLITE_EXPECTS(static_cast<Index>(out.size()) == block.size());
    for (std::size_t c = 0; c < out.size(); ++c)
        out[c] += (to - from) * (settings_.coupling * block.equal_bonds()[c]);
}

void Potts::path_derivative(const Block& block, double, std::span<double> out) const {
    PEARLITE_EXPECTS(static_cast<Index>(out.size()) == block.size());
    for (std::size_t c = 0; c < out.size(); ++c)
        out[c] = settings_.coupling * block.equal_bonds()[c];
}

Matrix Potts::images(const Block& block, double) const {
    Matrix pixels(sites(), block.size());
    for (Index chain = 0; chain < block.size(); ++chain)
        for (Index site = 0; site < sites(); ++site)
            pixels(site, chain) =
                static_cast<double>(block.colour(chain, site)) / static_cast<double>(settings_.colours - 1);
    return pixels;
}

void Potts::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("potts");
    for (const double value : {static_cast<double>(settings_.size), static_cast<double>(settings_.colours),
                               settings_.coupling, static_cast<double>(settings_.flips)})
        fingerprint.add(value);
    fingerprint.add(settings_.update == PottsSettings::Update::sweep ? "sweep" : "random_site");
}

} // namespace pearlite::models
