#pragma once
/// The off-lattice AB protein (Stillinger, Head-Gordon & Hirshfeld 1993): a chain of two sorts of monomers joined by
/// rigid bonds of unit length, in the plane or in space.

#include "pearlite/model/energy/local_moves.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

struct AbProteinSettings {
    enum class Energy { planar, stillinger, irback, azimuth };
    /// The coordinates of the state: angles between neighbouring bonds, each of which turns the whole rest of the
    /// chain, or the directions of the bonds, each of which shifts it. `azimuth` knows directions only.
    enum class Angles { internal, directions };

    std::string sequence; ///< of 'A' and 'B', n of them, 3 .. AbProtein::longest
    Energy energy = Energy::planar;
    Angles angles = Angles::internal;
};

/// The energy of a pair of monomers: (i, j) at squared distance 1/q has q^3 (repulsion q^3 - attraction), by rows; 0 if
/// j < i + 2 and in the padding of rows and columns.
struct AbProteinPairs {
    Index monomers = 0;
    Index stride = 0; ///< n padded to whole packets, with one more place at least
    model::LaneMatrix repulsion, attraction;
};

/// Memory of a chain: the places of its monomers and the energy of each pair; for a proposal, the parts that
/// differ.
class AbProteinMemory {
  public:
    /// x' as seen by the energy.
    struct State {
        model::LaneMatrix places;    ///< space x stride
        model::LaneMatrix bend_axes; ///< 3 x stride, of internal angles in space: those of bonds
        model::LaneMatrix pairs;     ///< as in AbProteinPairs
    };
    /// Rows and packets of eight columns, all from the first to the last.
    struct Block {
        Index first_row = 0, last_row = -1, first_packet = 0, last_packet = -1;
    };

    State now, next;             ///< `next` holds pairs in the blocks alone
    std::array<Block, 2> blocks; ///< of pairs that the proposal changes
};

/// With bond vectors u_1 .. u_{n-1}, distances r and C = 1 (AA), 1/2 (BB), -1/2 (AB), or K = 1 (AA), 1/2 (else):
///
/// * planar (in the plane) and stillinger (in space; model I of Bachmann, Arkin & Janke 2005):
///   sum (1 - u_i.u_{i+1}) / 4 + 4 sum over pairs j >= i + 2 of r^-12 - C r^-6
/// * irback (in space; Irback, Peterson, Potthast & Sommelius 1997, model II of Bachmann et al.):
///   sum u_i.u_{i+1} - sum u_i.u_{i+2} / 2 + 4 sum over pairs of K (r^-12 - r^-6)
/// * azimuth (in space; as coded by Boskovic & Brest 2016): as stillinger, but the first bond is (0, 1, 0) and the bend
///   term sum (1 - cos t_i) / 4 has the azimuths t of the other bonds, not the angles between bonds. Its minima are not
///   comparable with those of stillinger.
///
/// State, first n - 2 angles, then (in space) n - 3 others, in radians, box [-pi, pi]; U has period 2 pi in each:
///
/// * internal: bend angles between successive bonds (0: straight), then torsions: the angle about bond i by which the
///   plane of bonds i, i+1 is turned against that of i-1, i (0: the chain goes on bending in the same sense)
/// * directions: azimuths t of bonds 2 .. n-1, then elevations b of bonds 3 .. n-1; a bond is
///   (cos t cos b, sin t cos b, sin b),
///   the first (1, 0, 0), the second has b = 0
///
/// Fulfils Energy, HasLaneEnergies, HasFirstEnergies, HasEnergyGradient, HasEnergyWithGradient, HasPeriodicBox,
/// HasKnownMinimum and HasLocalMoves. The local
/// moves, of internal angles, leave the rest of the chain where it is:
///
/// * concerted (in the plane): four monomers of which the middle ones move, like the hinges of a linkage whose ends are
///   fixed and whose three bars are stretches of the chain; the first bar turns by the step, the others close the
///   chain. The Jacobian is that of loop closure (Dodd, Boone & Theodorou 1993): |sin| of the angle between the second
///   and the third bar.
/// * reflection (in the plane): a stretch of two bonds or more is mirrored in the line through its ends.
/// * crankshaft (in space): a stretch of two bonds or more turns by the step about the line through its ends; angles
///   have the Jacobian of solid angles, sin of the bends at both ends.
class AbProtein {
  public:
    static constexpr Index longest = 1000;
    using Memory = AbProteinMemory;

    /// InputError for a bad sequence.
    explicit AbProtein(AbProteinSettings settings);

    const AbProteinSettings& settings() const { return settings_; }
    Index monomers() const { return static_cast<Index>(settings_.sequence.size()); }
    /// 2 or 3.
    Index space() const { return settings_.energy == AbProteinSettings::Energy::planar ? 2 : 3; }
    /// n - 2 in the plane, 2 n - 5 in space.
    Index dimension() const { return static_cast<Index>(lower_.size()); }
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }
    bool is_periodic() const { return true; }
    /// The lowest energy known, to its last digit given, of the Fibonacci sequences for which independent searches
    /// agree on it; no proof exists.
    std::optional<double> known_minimum() const;

    /// +inf where two monomers coincide.
    double energy(std::span<const double> x) const;
    /// points: d x p, p a multiple of lane_padding and the length of `out`, else ContractViolation. Differs from
    /// energy() by rounding; the bits do not depend on the instruction set either.
    void energies(const model::LaneMatrix& points, std::span<double> out) const;
    void first_energies(const model::LaneMatrix& points, Index n, std::span<double> out) const;
    /// g = dU/dx, length d.
    void gradient(std::span<const double> x, std::span<double> g) const;
    /// Both at once, pairs eight at a time; energy() and gradient() but for roundings.
    double energy_with_gradient(std::span<const double> x, std::span<double> g) const;
    /// The places of the monomers, n x 2 or n x 3; the first is the origin.
    Matrix coordinates(std::span<const double> x) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

    void remember(const model::LaneMatrix& points, std::span<const std::uint8_t> wanted,
                  std::span<Memory> memories) const;
    double change(Memory& memory, model::LaneColumn x, Index k, double step) const;
    std::span<const model::LocalMove> local_moves() const;
    model::LocalProposal propose(Memory& memory, model::LaneColumn x, Index move, const model::LocalDraws& draws) const;
    void take(Memory& memory) const;
    /// The local moves of proteins of all kinds.
    static std::vector<std::string> local_move_names();

  private:
    /// A chain's bonds, and the axes about which bend angles turn it; in the plane the third coordinates are 0.
    struct Conformation {
        Eigen::Matrix3Xd bonds;     ///< n - 1
        Eigen::Matrix3Xd bend_axes; ///< n - 1; of internal angles alone
    };

    bool has_azimuth_energy() const { return settings_.energy == AbProteinSettings::Energy::azimuth; }
    bool has_internal_angles() const {
        return settings_.angles == AbProteinSettings::Angles::internal && !has_azimuth_energy();
    }
    Index bond_of(Index coordinate) const {
        return coordinate < monomers() - 2 ? coordinate + 1 : coordinate - monomers() + 4;
    }

    /// The sines and cosines of the coordinates.
    struct Angles {
        std::vector<double> sine, cosine;
    };
    Angles angles(std::span<const double> x) const;
    Conformation conformation(const Angles& angles) const;
    /// The energy of bends and torsions.
    double own_energy(const Conformation& chain, const Angles& angles) const;
    /// The derivatives of the energy of pairs in the places of the monomers.
    Eigen::Matrix3Xd place_gradient(const Conformation& chain) const;
    /// The derivatives of U in the bond vectors, of that of pairs in the places.
    Eigen::Matrix3Xd bond_gradient(const Conformation& chain, const Eigen::Matrix3Xd& of_places) const;
    /// The derivatives of U in the coordinates.
    void coordinate_gradient(const Angles& angles, const Conformation& chain, const Eigen::Matrix3Xd& slope,
                             std::span<double> g) const;
    void internal_gradient(const Conformation& chain, const Eigen::Matrix3Xd& slope, std::span<double> g) const;
    void direction_gradient(const Angles& angles, const Eigen::Matrix3Xd& slope, std::span<double> g) const;

    // Kernels: see simd/instructions.hpp.
    template <class Instructions>
    void lane_energies(const model::LaneMatrix& points, Index chains, std::span<double> out) const;
    template <class Instructions>
    Angles angles_in_lanes(std::span<const double> x) const;
    /// The energy of pairs, and place_gradient().
    template <class Instructions>
    double contacts_with_gradient(const Conformation& chain, Eigen::Matrix3Xd& of_places) const;
    template <class Instructions>
    void remember_lanes(const model::LaneMatrix& points, std::span<const std::uint8_t> wanted,
                        std::span<Memory> memories) const;
    /// The pairs of a proposal, in the blocks that it changes, and the change of their energy.
    template <class Instructions, int dimensions>
    double change_pairs(Memory& memory) const;
    /// Takes over those pairs.
    template <class Instructions>
    void take_pairs(Memory& memory) const;

    template <int dimensions>
    class Lanes;
    template <int dimensions>
    class Change;
    class PlanarMove;
    class Crankshaft;

    AbProteinSettings settings_;
    std::vector<double> lower_, upper_;
    double bend_ = 0;     ///< factor of sum u_i.u_{i+1}, for `azimuth` of sum cos t_i
    double torsion_ = 0;  ///< factor of sum u_i.u_{i+2}
    double constant_ = 0; ///< (n - 2) / 4 where a bend costs (1 - cos) / 4
    AbProteinPairs pairs_;
};

/// S_0 = A, S_1 = B, S_i = S_{i-2} S_{i-1}: 1, 1, 2, 3, 5, 8, 13, 21, 34, 55 ... monomers; InputError for another
/// length.
std::string fibonacci_sequence(Index length);

} // namespace pearlite::models
