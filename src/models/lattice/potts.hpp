#pragma once
/// The two-dimensional Potts model on a torus, 512 chains at a time: the colour of a site is written in binary, one
/// plane of 512 bits for each binary digit (multi-spin coding). All of it is integer arithmetic on addressed random
/// bits.

#include "pearlite/model/annealed_model.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::models {

struct PottsSettings {
    /// The update of one move(): every site once in a fixed order, or `flips` sites drawn at random with replacement.
    enum class Update { sweep, random_site };

    Index size = 32;       ///< side L of the L x L torus, 2 .. Potts::largest_size
    Index colours = 10;    ///< q, 2 .. 256
    double coupling = 2.0; ///< J, finite and not 0; negative for an antiferromagnet
    Update update = Update::sweep;
    Index flips = 0; ///< single-site updates of a move at random sites; 0: L^2
};

/// Up to 512 Potts chains; chains at and beyond size() evolve too, but are never read.
class PottsBlock {
  public:
    static constexpr Index chains = 512;
    /// 512 bits: chain c is bit c % 64 of word c / 64.
    struct alignas(64) Plane {
        std::array<std::uint64_t, 8> words{};
    };

    /// `size` chains, 0 .. 512, of `sites` sites with `digits` binary digits each, all of colour 0.
    PottsBlock(Index size, Index sites, Index digits);

    Index size() const { return size_; }
    Index padded_size() const { return chains; }
    /// Digit d of site i is bit i digits + d, least significant bit of the first byte first.
    std::size_t packed_bytes() const { return (planes_.size() + 7) / 8; }
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);

    /// The digits of site i are planes i digits .. i digits + digits - 1, the lowest first.
    std::span<Plane> planes() { return planes_; }
    std::span<const Plane> planes() const { return planes_; }
    /// In each of the 512 chains, the number of bonds between equal colours. Valid after draw_start, prepare, move,
    /// set_mode.
    std::span<std::int32_t, chains> equal_bonds() { return equal_bonds_; }
    std::span<const std::int32_t, chains> equal_bonds() const { return equal_bonds_; }
    /// 0 .. q-1.
    Index colour(Index slot, Index site) const;

  private:
    Index size_, digits_;
    std::vector<Plane> planes_;
    std::array<std::int32_t, chains> equal_bonds_{};
};

/// E(x) = -J sum over bonds of delta(x_i, x_j), each site bound to its right and its lower neighbour: 2 L^2 bonds (for
/// L = 2 two sites share two). f_b(x) = exp(-b E(x)), p_0 uniform, log Z_0 = L^2 log q. Habeck 2017, section 6.2: q =
/// 10, J = 2.
///
/// A visit of a site proposes each chain a colour, uniform on all q (the present one too), and accepts it with
/// probability min(1, exp(-b dE)), exact to 2^-64. If q is not a power of 2, at most one visit in nine of a chain (one
/// in 16 for q = 3, 5, 10; known from its random bits alone) makes no proposal. Nothing is shared between the chains of
/// a block but the random sites: given these, which are drawn from the `site` stream of the block, the 512 trajectories
/// are independent.
///
/// With q = 2^e m, m odd, the planes of visit v, 16 words each (bit c % 32 of word c / 32 is chain c's): in the block's
/// `move` stream, from plane v (12 + e + n) on, first 12 of the number that is compared with the probability, its
/// highest digit first; then the e lowest digits of the colour; then n of the number that its other digits are made of,
/// lowest first. In the `accept` stream, planes v 64 + 12 .. v 64 + 63 are the other digits of the first number, which
/// few visits need.
class Potts {
  public:
    using Block = PottsBlock;
    /// 64 draws of at most 8 planes for the start of a site must fit into a stream's 2^34 words.
    static constexpr Index largest_size = 1024;
    /// 64 planes of 16 words a visit must fit into a stream's 2^34 words.
    static constexpr Index largest_flips = Index{1} << 24;
    static constexpr Index largest_colours = 256;
    static constexpr bool path_is_linear = true;

    /// InputError if a setting is out of range.
    explicit Potts(const PottsSettings& settings);

    const PottsSettings& settings() const { return settings_; }
    /// The L^2 sites as a sweep visits them; reversed, in the opposite order.
    std::span<const std::int32_t> order() const { return order_; }

    Block make_block(Index size) const { return {size, sites(), digits_}; }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block& block) const;
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const;
    /// Whether the states of one colour are ground states: not in an antiferromagnet.
    bool has_mode() const { return settings_.coupling > 0; }
    /// All sites of one colour, drawn uniformly for each chain; InputError for an antiferromagnet.
    void set_mode(Block& block, double b_end, const model::BlockStreams& streams) const;
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

    /// A chain per column, colour / (q - 1), row by row.
    Matrix images(const Block& block, double b) const;
    Index image_rows() const { return settings_.size; }
    Index image_columns() const { return settings_.size; }

    std::optional<double> log_normaliser_start() const;
    /// For q = 2 by Kaufman's formula (J > 0, or even L), else by the transfer matrix where q^L <= 1024.
    std::optional<double> exact_log_ratio(double b_end) const;

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
    template <class Draw, class Words>
    void update(Block& block, double b, Words words, const Draw& draw, const model::BlockStreams& streams,
                std::span<const std::int32_t> sites) const;
    template <int digits>
    void count_equal_bonds(Block& block) const;

    PottsSettings settings_;
    Index digits_ = 0; ///< ceil(log2 q)
    std::vector<Neighbours> neighbours_;
    std::vector<std::int32_t> order_, reversed_order_;
};

} // namespace pearlite::models
