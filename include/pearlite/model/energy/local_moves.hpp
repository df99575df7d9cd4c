#pragma once
/// Energies on a box that compute the effect of a partial change of the state, and offer their own moves.

#include "pearlite/model/energy/energy.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>

namespace pearlite::model {

/// One chain of a LaneMatrix.
class LaneColumn {
  public:
    LaneColumn(LaneMatrix& points, Index column) : first_(points.data() + column), stride_(points.cols()) {}
    double& operator[](Index k) const { return first_[k * stride_]; }

  private:
    double* first_;
    Index stride_;
};

/// A move that an energy offers, by its name among the operations of a search.
struct LocalMove {
    std::string name;
    bool has_scale = false; ///< proposes a step s r, r ~ N(0, 1), with a scale s to be tuned
};

/// The random numbers of a local move.
struct LocalDraws {
    double step = 0;                  ///< s r
    std::array<double, 4> uniforms{}; ///< in [0, 1)
};

struct LocalProposal {
    double change = 0;    ///< U(x') - U(x); +inf: refused
    double log_ratio = 0; ///< log of the factor of f'/f in the acceptance: the Jacobian
};

/// Optional: energies after a local change, computed from the memory of a chain (type Memory, by default of no
/// chain). U(x') - U(x) may differ from that of energy() by roundings.
///   remember(points, wanted, memories)   the columns i with wanted[i] != 0; as many memories as wanted[i]
///   change(memory, x, k, step)           U(x') - U(x), where `step` was added to coordinate k of the remembered state
///                                        and x is x'
///   local_moves()                        may be empty; their names differ from those of other operations
///   propose(memory, x, m, draws)         changes x, the remembered state, by local move m: to x', inside the box
///   take(memory)                         the x' of the last call is remembered from now on
template <class E>
concept HasLocalMoves = Energy<E> && std::default_initializable<typename E::Memory> &&
    requires(const E& energy, typename E::Memory& memory, std::span<typename E::Memory> memories,
             const LaneMatrix& points, std::span<const std::uint8_t> wanted, LaneColumn x, Index k, double step,
             const LocalDraws& draws) {
    energy.remember(points, wanted, memories);
    { energy.change(memory, x, k, step) } -> std::convertible_to<double>;
    { energy.local_moves() } -> std::convertible_to<std::span<const LocalMove>>;
    { energy.propose(memory, x, k, draws) } -> std::same_as<LocalProposal>;
    energy.take(memory);
};

/// Optional: first_energies(points, n, out), as energies(), of the first n of p chains alone; those of the others may
/// be anything.
template <class E>
concept HasFirstEnergies = HasLaneEnergies<E> &&
    requires(const E& energy, const LaneMatrix& points, Index n, std::span<double> out) {
    energy.first_energies(points, n, out);
};

} // namespace pearlite::model
