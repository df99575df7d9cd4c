#pragma once
/// The Ising model in plain code: one chain, one spin and one 64-bit number at a time. It reads the same addresses of
/// the random streams as the model, so both must agree in every bit.

#include "models/lattice/ising.hpp"
#include "pearlite/random/stream.hpp"
#include "random/fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pearlite::models::testing {

/// Energies in units of |J| make the table of probabilities that a sweep uses; a twin with another table is a wrong
/// model.
struct OracleTable {
    long double flip[5];    ///< Metropolis: by n = 0 .. 4 unsatisfied bonds
    long double against[3]; ///< heat bath: by |h| / 2, h = sum of the neighbours
};

inline OracleTable oracle_table(double b, double coupling) {
    const long double bj = static_cast<long double>(b) * std::abs(static_cast<long double>(coupling));
    OracleTable table{};
    for (int n = 0; n < 5; ++n) {
        table.flip[n] = std::min(1.0L, std::exp(-bj * (8 - 4 * n)));
    }
    for (int half = 0; half < 3; ++half) {
        table.against[half] = 1 / (1 + std::exp(4 * bj * half));
    }
    return table;
}

class IsingOracle {
  public:
    explicit IsingOracle(const IsingSettings& settings) : settings_(settings), side_(static_cast<int>(settings.size)) {
        const bool even = side_ % 2 == 0;
        for (int colour = 0; colour < (even ? 2 : 1); ++colour) {
            for (int row = 0; row < side_; ++row) {
                for (int column = 0; column < side_; ++column) {
                    if (!even || (row + column) % 2 == colour) {
                        order_.push_back(row * side_ + column);
                    }
                }
            }
        }
    }

    /// One sweep of all 512 chains of the block; leaves its bond sums alone.
    void sweep(IsingBlock& block, const OracleTable& table, const model::BlockStreams& streams) const {
        visit(block, order_, table, streams);
    }

    /// The sites of a move at random sites: floor(word * L^2 / 2^32) of word k of the `site` stream for visit k, unless
    /// the word is one of the few that would favour some sites; its draw is then the next of a second stream.
    std::vector<int> drawn_sites(const model::BlockStreams& streams) const {
        const auto n_sites = static_cast<std::uint64_t>(side_) * static_cast<std::uint64_t>(side_);
        const std::uint64_t range = std::uint64_t{1} << 32;
        random::Address second = streams.shared(random::Purpose::site);
        std::vector<std::uint32_t> words(settings_.flips > 0 ? static_cast<std::size_t>(settings_.flips) : n_sites);
        random::fill_bits(second, words);
        second.id += std::uint64_t{1} << 39;
        random::Stream replacements(second);
        std::vector<int> sites;
        for (const std::uint64_t word : words) {
            const bool fair = word * n_sites % range >= range % n_sites;
            sites.push_back(static_cast<int>(fair ? word * n_sites / range : replacements.index(n_sites)));
        }
        return sites;
    }

    /// Updates the spins at `sites` in turn; leaves the bond sums alone.
    void visit(IsingBlock& block, const std::vector<int>& sites, const OracleTable& table,
               const model::BlockStreams& streams) const {
        const auto leading = words(streams.shared(random::Purpose::move), sites.size() * 12);
        const auto rest = words(streams.shared(random::Purpose::accept), sites.size() * 64);
        for (int chain = 0; chain < 512; ++chain) {
            std::vector<int> spins = chain_spins(block, chain);
            for (std::size_t v = 0; v < sites.size(); ++v) {
                std::uint64_t uniform = 0;
                for (std::size_t k = 0; k < 64; ++k) {
                    const std::uint32_t* plane = k < 12 ? &leading[(v * 12 + k) * 16] : &rest[(v * 64 + k) * 16];
                    uniform = 2 * uniform + (plane[chain / 32] >> (chain % 32) & 1u);
                }
                update(spins, sites[v], uniform, table);
            }
            for (std::size_t site = 0; site < spins.size(); ++site) {
                std::uint64_t& word = block.planes()[site].words[static_cast<std::size_t>(chain) / 64];
                const std::uint64_t mask = std::uint64_t{1} << (chain % 64);
                word = spins[site] > 0 ? word | mask : word & ~mask;
            }
        }
    }

    std::vector<int> chain_spins(const IsingBlock& block, int chain) const {
        std::vector<int> spins;
        for (const SpinPlane& plane : block.planes()) {
            spins.push_back((plane.words[static_cast<std::size_t>(chain) / 64] >> (chain % 64) & 1u) != 0 ? 1 : -1);
        }
        return spins;
    }

    int bond_sum(const std::vector<int>& spins) const {
        int sum = 0;
        for (int row = 0; row < side_; ++row) {
            for (int column = 0; column < side_; ++column) {
                sum += spin(spins, row, column) * (spin(spins, row, column + 1) + spin(spins, row + 1, column));
            }
        }
        return sum;
    }

  private:
    int spin(const std::vector<int>& spins, int row, int column) const {
        return spins[static_cast<std::size_t>((row + side_) % side_ * side_ + (column + side_) % side_)];
    }

    static std::vector<std::uint32_t> words(const random::Address& address, std::size_t planes) {
        std::vector<std::uint32_t> result(planes * 16);
        random::fill_bits(address, result);
        return result;
    }

    void update(std::vector<int>& spins, int site, std::uint64_t uniform, const OracleTable& table) const {
        const auto below = [uniform](long double p) {
            return p >= 1 ? uniform < ~std::uint64_t{0}
                          : uniform < static_cast<std::uint64_t>(std::rint(std::ldexp(p, 64)));
        };
        const int row = site / side_, column = site % side_;
        const int sum = spin(spins, row, column + 1) + spin(spins, row, column - 1) + spin(spins, row + 1, column) +
                        spin(spins, row - 1, column);
        const int field = settings_.coupling > 0 ? sum : -sum;
        int& x = spins[static_cast<std::size_t>(site)];
        if (settings_.move == IsingSettings::Move::metropolis) {
            const int unsatisfied = (4 - x * field) / 2;
            if (unsatisfied >= 2 || below(table.flip[unsatisfied])) {
                x = -x;
            }
        } else {
            const int favoured = field > 0 ? 1 : -1;
            x = below(table.against[std::abs(field) / 2]) ? -favoured : favoured;
        }
    }

    IsingSettings settings_;
    int side_;
    std::vector<int> order_;
};

} // namespace pearlite::models::testing
