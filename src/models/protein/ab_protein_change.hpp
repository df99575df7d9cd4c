#pragma once
/// Changes of a part of a chain, and the energy that they make.

#include "models/protein/ab_protein.hpp"
#include "simd/instructions.hpp"

#include <Eigen/Geometry>

#include <algorithm>

namespace pearlite::models {

/// Starts as the remembered state; parts of the chain are moved; then energy_change() is asked for once.
template <int dimensions>
class AbProtein::Change {
  public:
    using Place = Eigen::Matrix<double, dimensions, 1>;
    using Turn = Eigen::Matrix<double, dimensions, dimensions>;

    Change(const AbProtein& protein, Memory& memory)
        : protein_(protein), memory_(memory), stride_(protein.pairs_.stride) {
        // Both have the same size, so the copy does not allocate.
        memory.next.places = memory.now.places;
        memory.next.bend_axes = memory.now.bend_axes;
    }

    Place before(Index monomer) const { return place(memory_.now, monomer); }
    Place after(Index monomer) const { return place(memory_.next, monomer); }
    /// The vectors to the next monomers.
    Place bond_before(Index k) const { return before(k + 1) - before(k); }
    Place bond_after(Index k) const { return after(k + 1) - after(k); }
    Place axis_before(Index bond) const { return memory_.now.bend_axes.col(bond); }
    Place axis_after(Index bond) const { return memory_.next.bend_axes.col(bond); }
    void set_axis(Index bond, const Place& axis) { memory_.next.bend_axes.col(bond) = axis; }

    /// Monomers first .. last go from p to turn (p - from) + to.
    void move(Index first, Index last, const Turn& turn, const Place& from, const Place& to) {
        const double* const old = memory_.now.places.data();
        double* const moved = memory_.next.places.data();
        const Place shift = to - turn * from; // NOLINT(cppcoreguidelines-init-variables)
        for (Index k = 0; k < dimensions; ++k)
            for (Index j = first; j <= last; ++j) {
                double sum = shift[k];
                for (Index l = 0; l < dimensions; ++l)
                    sum += turn(k, l) * old[l * stride_ + j];
                moved[k * stride_ + j] = sum;
            }
    }
    void turn_axes(Index first, Index last, const Turn& turn) {
        for (Index bond = first; bond <= last; ++bond)
            set_axis(bond, turn * axis_before(bond));
    }

    /// Monomers first .. last were moved, if they are the chain's end all in one piece; all bonds that are turned
    /// against a neighbour meet in monomers first_hinge .. last_hinge.
    double energy_change(Index first, Index last, Index first_hinge, Index last_hinge) {
        const double own = bends(first_hinge, last_hinge);
        const bool is_end = last + 1 == protein_.monomers();
        const Index packets = stride_ / 8;
        // A row of either block contains all its pairs that change; the other pairs there are computed again.
        const Index boundary = is_end ? first + first % 2 : first - first % 2;
        memory_.blocks[0] = {0, boundary - 1, first / 8, last / 8};
        memory_.blocks[1] = {};
        if (!is_end)
            memory_.blocks[1] = {boundary, last, first / 8, packets - 1};
        return own + simd::on_this_cpu(
                         [&](auto cpu) { return protein_.template change_pairs<decltype(cpu), dimensions>(memory_); });
    }

  private:
    Place place(const Memory::State& state, Index monomer) const {
        Place place;
        for (Index k = 0; k < dimensions; ++k)
            place[k] = state.places.data()[k * stride_ + monomer];
        return place;
    }

    /// The change of the energies of bends and torsions that hang on these hinges.
    double bends(Index first_hinge, Index last_hinge) const {
        const Index last_bond = protein_.monomers() - 2;
        double change = 0;
        if (!protein_.has_azimuth_energy())
            for (Index k = std::max<Index>(first_hinge, 1); k <= std::min(last_hinge, last_bond); ++k)
                change +=
                    protein_.bend_ * (bond_after(k - 1).dot(bond_after(k)) - bond_before(k - 1).dot(bond_before(k)));
        if (protein_.torsion_ != 0)
            for (Index k = std::max<Index>(first_hinge, 2); k <= std::min(last_hinge + 1, last_bond); ++k)
                change +=
                    protein_.torsion_ * (bond_after(k - 2).dot(bond_after(k)) - bond_before(k - 2).dot(bond_before(k)));
        return change;
    }

    const AbProtein& protein_;
    Memory& memory_;
    Index stride_;
};

} // namespace pearlite::models
