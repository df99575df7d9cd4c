#pragma once
/// The two-dimensional Ising model on a torus, 512 chains at a time: bit c of a plane is chain c's spin at one site, so
/// one instruction serves many chains (multi-spin coding). All of it is integer arithmetic on addressed random bits:
/// the spins depend neither on the instruction set nor on how many chains of a block are in use.

#include "pearlite/model/annealed_model.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::models {

struct IsingSettings {
    /// The transition of one spin. Metropolis flips every spin at b = 0, so its sweeps mix the energy slowly where b J
    /// is near 0; the heat bath forgets at once there and is a little slower in the ordered phase.
    enum class Move { metropolis, heat_bath };
    /// The update of one move(): every site once in a fixed order, or `flips` sites drawn at random with replacement.
    enum class Update { sweep, random_site };

    Index size = 32;       ///< side L of the L x L torus, 2 .. Ising::largest_size
    double coupling = 1.0; ///< J, finite and not 0; negative for an antiferromagnet
    Move move = Move::metropolis;
    Update update = Update::sweep;
    Index flips = 0; ///< single-spin updates of a move at random sites; 0: L^2
};

/// The spins of 512 chains at one site: chain c is bit c % 64 of word c / 64, 1 for spin up.
struct alignas(64) SpinPlane {
    std::array<std::uint64_t, 8> words{};
};

/// Up to 512 Ising chains. There are always 512 in memory: chains at and beyond size() evolve too, but are never
/// read.
class IsingBlock {
  public:
    static constexpr Index chains = 512;

    /// `size` chains, 0 .. 512, else ContractViolation, of `sites` spins each, all down; the sums are not yet valid.
    IsingBlock(Index size, Index sites);

    Index size() const { return size_; }
    Index padded_size() const { return chains; }

    /// One bit a spin: site i is bit i % 8 of byte i / 8, 1 for up; unused bits of the last byte are 0.
    std::size_t packed_bytes() const { return (planes_.size() + 7) / 8; }
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);

    /// A plane per site; site (row, column) is row * L + column.
    std::span<SpinPlane> planes() { return planes_; }
    std::span<const SpinPlane> planes() const { return planes_; }

    /// In each of the 512 chains, the sum over bonds of x_i x_j. Kept by the model: valid after draw_start, prepare,
    /// move, anneal.
    std::span<std::int32_t, chains> bond_sums() { return bond_sums_; }
    std::span<const std::int32_t, chains> bond_sums() const { return bond_sums_; }

  private:
    Index size_;
    std::vector<SpinPlane> planes_;
    std::array<std::int32_t, chains> bond_sums_{};
};

/// E(x) = -J sum over bonds of x_i x_j, each site bound to its right and its lower neighbour: 2 L^2 bonds (for L = 2
/// two spins share two). f_b(x) = exp(-b E(x)), p_0 uniform, so log Z_0 = L^2 log 2 and d log f_b/db = -E(x). Fulfils
/// AnnealedModel, HasMove and HasFusedAnneal.
///
/// A sweep visits each site once, in the order of `order()`; reversed, in the opposite order. Random sites are drawn
/// from the `site` stream of the block, the same for its 512 chains: they are independent given the sites. Such a move
/// reverses to itself in law. Visit v compares, for every chain, one uniform 64-bit
/// number with that chain's threshold, most significant bit first: bits 0 .. 11 are planes v * 12 .. v * 12 + 11 of the
/// block's `move` stream, the others, which few visits need, planes v * 64 + 12 .. v * 64 + 63 of its `accept` stream.
/// A plane is 16 words, bit c of it (bit c % 32 of word c / 32) is chain c's. Probabilities are thus exact to 2^-64.
class Ising {
  public:
    using Block = IsingBlock;
    /// 64 planes of 16 words a visit must fit into a stream's 2^34 words.
    static constexpr Index largest_size = 4096;
    static constexpr Index largest_flips = Index{1} << 24;
    static constexpr bool path_is_linear = true;

    /// InputError if a setting is out of range.
    explicit Ising(const IsingSettings& settings);

    const IsingSettings& settings() const { return settings_; }
    /// The L^2 sites as a sweep visits them; the reversed list is the sweep reversed.
    std::span<const std::int32_t> order() const { return order_; }

    /// `size` in 0 .. 512, else ContractViolation.
    Block make_block(Index size) const { return {size, sites()}; }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block& block) const;
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const;
    /// Whether there are two ground states: not in an antiferromagnet of odd size.
    bool has_mode() const { return settings_.coupling > 0 || settings_.size % 2 == 0; }
    /// One of the two ground states, each with probability 1/2; InputError for an antiferromagnet of odd size > 2,
    /// which has many.
    void set_mode(Block& block, double b_end, const model::BlockStreams& streams) const;
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const;
    void anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                std::span<double> derivative) const;
    void anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                         std::span<double> increments, std::span<double> derivative) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

    /// The particles as pictures, a chain per column: spin up 1, down 0, row by row.
    Matrix images(const Block& block, double b) const;
    Index image_rows() const { return settings_.size; }
    Index image_columns() const { return settings_.size; }

    std::optional<double> log_normaliser_start() const;
    /// By Kaufman's formula where b_end J >= 0 or L is even (where flipping one sublattice changes the sign of J); an
    /// odd antiferromagnet is summed over its states up to 16 spins, and has no answer beyond.
    std::optional<double> exact_log_ratio(double b_end) const;
    /// -E of the mean energy over p_b, where exact_log_ratio() has a formula; to some 1e-9 a site.
    std::optional<double> equilibrium_mean_u(double b) const;

  private:
    struct Neighbours {
        std::int32_t right, left, down, up;
    };

    Index sites() const { return settings_.size * settings_.size; }
    /// Updates the spins at `sites`, one after the other.
    void visit(Block& block, double b, const model::BlockStreams& streams, std::span<const std::int32_t> sites) const;
    // Kernels: see simd/instructions.hpp.
    template <class Instructions>
    void prepare(Block& block) const;
    template <class Instructions>
    void move_along(Block& block, double b, const model::BlockStreams& streams,
                    std::span<const std::int32_t> sites) const;
    template <IsingSettings::Move kind, class Words>
    void update(Block& block, double b, Words words, const model::BlockStreams& streams,
                std::span<const std::int32_t> sites) const;

    IsingSettings settings_;
    std::vector<Neighbours> neighbours_;
    std::vector<std::int32_t> order_;
    std::vector<std::int32_t> reversed_order_;
};

/// log Z of rows x columns Ising spins on a torus, Z = sum over states of exp(beta_j sum_bonds x_i x_j), each site
/// bound to its right and its lower neighbour (so two spins share two bonds where a side is 2). Kaufman 1949 (Phys.
/// Rev. 76, 1232). rows, columns >= 2 and beta_j >= 0 finite, else ContractViolation. Time O(columns); no overflow at
/// any beta_j.
double ising_log_partition(Index rows, Index columns, double beta_j);

} // namespace pearlite::models
