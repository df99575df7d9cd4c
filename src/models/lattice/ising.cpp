#include "models/lattice/ising.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include "models/common/shared_draws.hpp"
#include "simd/bit_plane.hpp"
#include "simd/instructions.hpp"

#include <numbers>

namespace pearlite::models {

using namespace simd::bit_plane;
using random::Purpose;

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

void Ising::move(Block& block, double b, const model::BlockStreams& streams) const {
    if (settings_.update == IsingSettings::Update::sweep) {
        return visit(block, b, streams, order_);
    }
    const Index flips = settings_.flips > 0 ? settings_.flips : sites();
    std::vector<std::int32_t> drawn(static_cast<std::size_t>(flips));
    draw_indices(streams.shared(Purpose::site), sites(), drawn);
    visit(block, b, streams, drawn);
}

void Ising::move_reversed(Block& block, double b, const model::BlockStreams& streams) const {
    if (settings_.update == IsingSettings::Update::sweep) {
        return visit(block, b, streams, reversed_order_);
    }
    move(block, b, streams); // independent sites in the opposite order are independent sites
}

void Ising::set_mode(Block& block, double, const model::BlockStreams& streams) const {
    const bool antiferromagnet = settings_.coupling < 0;
    if (!has_mode()) {
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

void Ising::prepare(Block& block) const {
    simd::on_this_cpu_with_aes([&](auto cpu) { prepare<decltype(cpu)>(block); });
}

void Ising::visit(Block& block, double b, const model::BlockStreams& streams,
                  std::span<const std::int32_t> sites) const {
    simd::on_this_cpu_with_aes([&](auto cpu) { move_along<decltype(cpu)>(block, b, streams, sites); });
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
    fingerprint.add(settings_.move == IsingSettings::Move::metropolis ? "metropolis" : "heat_bath");
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

std::optional<double> Ising::equilibrium_mean_u(double b) const {
    const Index size = settings_.size;
    if (settings_.coupling < 0 && size % 2 != 0)
        return std::nullopt;
    // Central differences of the fourth order of the formula, which is smooth on a finite torus. It has |beta J|; with
    // an even side that is beta J itself, below 0 as well.
    const double coupling = std::abs(settings_.coupling), beta_j = b * coupling;
    const double step = size % 2 == 0 ? 5e-4 : std::min(5e-4, beta_j / 3);
    if (step == 0)
        return 0;
    const auto difference = [&](double h) {
        return ising_log_partition(size, size, beta_j + h) - ising_log_partition(size, size, std::abs(beta_j - h));
    };
    return coupling * (8 * difference(step) - difference(2 * step)) / (12 * step);
}

} // namespace pearlite::models
