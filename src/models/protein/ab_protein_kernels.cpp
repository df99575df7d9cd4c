// The energies of AB proteins: chains are laid out in lanes, a chain's pairs are summed eight at a time.
#include "pearlite/core/detail/contract.hpp"

#include "models/protein/ab_protein_pairs.hpp"
#include "simd/instructions.hpp"
#include "simd/trigonometric.hpp"

#include <algorithm>
#include <cstring>

namespace pearlite::models {
namespace {

using simd::broadcast;
using simd::Doubles;
using simd::fused;
using simd::SineCosine;
/// Chains in a register.
constexpr Index width = simd::lanes<Doubles>;

/// The coordinate of a chain's padding: far from all monomers.
constexpr double far_away = 1e30;

template <int dimensions>
struct Vectors {
    Doubles coordinates[dimensions];
    Doubles& operator[](std::size_t k) { return coordinates[k]; }
    const Doubles& operator[](std::size_t k) const { return coordinates[k]; }
};

template <int dimensions>
[[gnu::always_inline]] inline Doubles dot(const Vectors<dimensions>& a, const Vectors<dimensions>& b) {
    Doubles sum = a[0] * b[0];
#pragma GCC unroll 3
    for (std::size_t k = 1; k < dimensions; ++k)
        sum = fused(a[k], b[k], sum);
    return sum;
}

/// u turned by an angle towards v, v likewise.
template <int dimensions>
[[gnu::always_inline]] inline void turn(Vectors<dimensions>& u, Vectors<dimensions>& v, const SineCosine& angle) {
#pragma GCC unroll 3
    for (std::size_t k = 0; k < dimensions; ++k) {
        const Doubles before = u[k];
        u[k] = fused(angle.cosine, before, angle.sine * v[k]);
        v[k] = fused(angle.cosine, v[k], -angle.sine * before);
    }
}

} // namespace

/// A vector register of chains.
template <int dimensions>
class AbProtein::Lanes {
  public:
    explicit Lanes(const AbProtein& protein)
        : protein_(protein),
          places_(dimensions * protein.monomers(), width),
          axes_(model::LaneMatrix::Zero(dimensions == 3 ? 3 * protein.monomers() : 0, width)) {}

    /// Lays out as many chains as there are lanes; coordinate i of the first is x[i * stride].
    void lay(const double* x, Index stride) {
        own_ = protein_.has_internal_angles() ? lay_out<true>(x, stride) : lay_out<false>(x, stride);
    }
    /// The energy of bends and torsions.
    double own_energy(Index lane) const { return own_[lane]; }
    /// In the layout of AbProteinMemory.
    void copy_places(Index lane, model::LaneMatrix& places) const { copy<dimensions>(places_, lane, far_away, places); }
    void copy_axes(Index lane, model::LaneMatrix& axes) const { copy<3>(axes_, lane, 0, axes); }

  private:
    template <int rows>
    void copy(const model::LaneMatrix& from, Index lane, double padding, model::LaneMatrix& to) const {
        const Index n = protein_.monomers(), stride = protein_.pairs_.stride;
        if (to.cols() != stride)
            to = model::LaneMatrix::Constant(rows, stride, padding);
        for (Index i = 0; i < n; ++i)
            for (Index k = 0; k < rows; ++k)
                to.data()[k * stride + i] = from.data()[(rows * i + k) * width + lane];
    }

    static SineCosine angle(const double* x) { return simd::sine_cosine(simd::load<Doubles>(x)); }
    static SineCosine flat() { return {Doubles{}, broadcast<Doubles>(1)}; }

    /// Lays chains out from the origin. Returns the energy of bends and torsions.
    template <bool internal>
    Doubles lay_out(const double* x, Index stride) {
        const Index n = protein_.monomers();
        const bool by_azimuth = protein_.has_azimuth_energy();
        Vectors<dimensions> along{}, aside{}, axis{}, before{}, place{};
        along[by_azimuth ? 1 : 0] += 1.0;
        aside[1] += 1.0;
        axis[dimensions - 1] += 1.0; // not used in the plane
        Doubles bends{};
        Doubles torsions{};
        store<dimensions>(places_, 0, place);
        for (Index k = 0; k < n - 1; ++k) {
            if (k > 0) {
                const Vectors<dimensions> previous = along;
                const SineCosine first = angle(x + (k - 1) * stride);
                if constexpr (dimensions == 3) {
                    const SineCosine second = k > 1 ? angle(x + (n - 4 + k) * stride) : flat();
                    if constexpr (internal) {
                        turn<dimensions>(aside, axis, second);
                        turn<dimensions>(along, aside, first);
                        store<3>(axes_, k, axis);
                    } else {
                        along = {first.cosine * second.cosine, first.sine * second.cosine, second.sine};
                    }
                } else if constexpr (internal) {
                    turn<dimensions>(along, aside, first);
                } else {
                    along = {first.cosine, first.sine};
                }
                bends += by_azimuth ? first.cosine : dot<dimensions>(previous, along);
                torsions += dot<dimensions>(before, along); // `before` is 0 at the second bond
                before = previous;
            }
#pragma GCC unroll 3
            for (std::size_t c = 0; c < dimensions; ++c)
                place[c] += along[c];
            store<dimensions>(places_, k + 1, place);
        }
        return fused(broadcast<Doubles>(protein_.torsion_), torsions,
                     fused(broadcast<Doubles>(protein_.bend_), bends, broadcast<Doubles>(protein_.constant_)));
    }

    template <int rows>
    static void store(model::LaneMatrix& to, Index i, const Vectors<rows>& vector) {
#pragma GCC unroll 3
        for (std::size_t c = 0; c < rows; ++c)
            simd::store(&to(rows * i + static_cast<Index>(c), 0), vector[c]);
    }

    const AbProtein& protein_;
    model::LaneMatrix places_; ///< row space i + c: coordinate c of monomer i
    model::LaneMatrix axes_;   ///< in space, row 3 k + c: of the bend axis of bond k
    Doubles own_{};
};

template <class>
void AbProtein::lane_energies(const model::LaneMatrix& points, Index chains, std::span<double> out) const {
    PEARLITE_EXPECTS(points.rows() == dimension() && points.cols() == static_cast<Index>(out.size()) &&
                     points.cols() % lane_padding == 0 && chains <= points.cols());
    const auto all = [&]<int dimensions>(Lanes<dimensions> lanes) {
        model::LaneMatrix places;
        for (Index chain = 0; chain < chains; ++chain) {
            const Index lane = chain % width;
            if (lane == 0)
                lanes.lay(points.data() + chain, points.cols());
            lanes.copy_places(lane, places);
            detail::Eight even{}, odd{};
            detail::all_rows<dimensions>(pairs_, places.data(),
                                         [&, is_odd = false](Index, detail::Eight energies) mutable {
                                             (is_odd ? odd : even) += energies;
                                             is_odd = !is_odd;
                                         });
            out[static_cast<std::size_t>(chain)] = lanes.own_energy(lane) + detail::sum_of_eight(even + odd);
        }
    };
    if (space() == 2)
        all(Lanes<2>(*this));
    else
        all(Lanes<3>(*this));
}

template <class>
AbProtein::Angles AbProtein::angles_in_lanes(std::span<const double> x) const {
    Angles angles{std::vector<double>(x.size()), std::vector<double>(x.size())};
    for (std::size_t i = 0; i < x.size(); i += at(width)) {
        const std::size_t bytes = std::min(at(width), x.size() - i) * sizeof(double);
        Doubles packet{};
        std::memcpy(&packet, x.data() + i, bytes);
        const SineCosine of = simd::sine_cosine(packet);
        std::memcpy(angles.sine.data() + i, &of.sine, bytes);
        std::memcpy(angles.cosine.data() + i, &of.cosine, bytes);
    }
    return angles;
}

template <class>
double AbProtein::contacts_with_gradient(const Conformation& chain, Eigen::Matrix3Xd& of_places) const {
    const Index n = monomers(), stride = pairs_.stride;
    const auto all = [&]<int dimensions>(std::integral_constant<int, dimensions>) {
        using Rows = Eigen::Matrix<double, dimensions, Eigen::Dynamic, Eigen::RowMajor>;
        Rows places = Rows::Constant(dimensions, stride, far_away), slopes = Rows::Zero(dimensions, stride);
        places.col(0).setZero();
        for (Index k = 0; k + 1 < n; ++k)
            places.col(k + 1) = places.col(k) + chain.bonds.col(k).template head<dimensions>();
        detail::Eight sum{};
        for (Index row = 0; row + 2 < n; row += 2)
            sum += detail::two_rows_with_slopes<dimensions>(pairs_, places.data(), row, (row + 2) / 8, slopes.data());
        of_places.setZero();
        of_places.topRows<dimensions>() = slopes.leftCols(n);
        return detail::sum_of_eight(sum);
    };
    return space() == 2 ? all(std::integral_constant<int, 2>{}) : all(std::integral_constant<int, 3>{});
}

template <class>
void AbProtein::remember_lanes(const model::LaneMatrix& points, std::span<const std::uint8_t> wanted,
                               std::span<Memory> memories) const {
    PEARLITE_EXPECTS(points.rows() == dimension() && wanted.size() == memories.size() &&
                     points.cols() >= static_cast<Index>(wanted.size()));
    const auto all = [&]<int dimensions>(Lanes<dimensions> lanes) {
        Index laid = -1; // the first of the chains that are laid out
        for (Index chain = 0; chain < static_cast<Index>(wanted.size()); ++chain) {
            if (wanted[static_cast<std::size_t>(chain)] == 0)
                continue;
            const Index lane = chain % width;
            if (laid != chain - lane)
                lanes.lay(points.data() + (laid = chain - lane), points.cols());
            Memory& memory = memories[static_cast<std::size_t>(chain)];
            lanes.copy_places(lane, memory.now.places);
            if (dimensions == 3 && has_internal_angles())
                lanes.copy_axes(lane, memory.now.bend_axes);
            if (memory.now.pairs.size() == 0)
                memory.next.pairs = memory.now.pairs = model::LaneMatrix::Zero(pairs_.stride, pairs_.stride);
            detail::all_rows<dimensions>(pairs_, memory.now.places.data(), [&](Index offset, detail::Eight energies) {
                simd::store(memory.now.pairs.data() + offset, energies);
            });
            memory.blocks = {};
            memory.next.places = memory.now.places;
            memory.next.bend_axes = memory.now.bend_axes;
        }
    };
    if (space() == 2)
        all(Lanes<2>(*this));
    else
        all(Lanes<3>(*this));
}

template <class, int dimensions>
double AbProtein::change_pairs(Memory& memory) const {
    const double* const old = memory.now.pairs.data();
    double* const changed = memory.next.pairs.data();
    double contacts = 0;
    for (const Memory::Block& block : memory.blocks) {
        detail::Eight sum{};
        for (Index row = block.first_row; row <= block.last_row; row += 2)
            detail::two_rows<dimensions>(pairs_, memory.next.places.data(), row,
                                         std::max(block.first_packet, (row + 2) / 8), block.last_packet,
                                         [&](Index offset, detail::Eight energies) {
                                             sum += energies - simd::load<detail::Eight>(old + offset);
                                             simd::store(changed + offset, energies);
                                         });
        contacts += detail::sum_of_eight(sum);
    }
    return contacts;
}

template <class>
void AbProtein::take_pairs(Memory& memory) const {
    const Index stride = pairs_.stride;
    for (const Memory::Block& block : memory.blocks)
        for (Index row = block.first_row; row <= block.last_row; row += 2)
            for (Index packet = std::max(block.first_packet, (row + 2) / 8); packet <= block.last_packet; ++packet)
                for (const Index offset : {row * stride + 8 * packet, (row + 1) * stride + 8 * packet})
                    simd::store(memory.now.pairs.data() + offset,
                                simd::load<detail::Eight>(memory.next.pairs.data() + offset));
}

template void AbProtein::lane_energies<simd::Compiled>(const model::LaneMatrix& points, Index chains,
                                                       std::span<double> out) const;
template AbProtein::Angles AbProtein::angles_in_lanes<simd::Compiled>(std::span<const double> x) const;
template double AbProtein::contacts_with_gradient<simd::Compiled>(const Conformation& chain,
                                                                  Eigen::Matrix3Xd& of_places) const;
template void AbProtein::remember_lanes<simd::Compiled>(const model::LaneMatrix& points,
                                                        std::span<const std::uint8_t> wanted,
                                                        std::span<Memory> memories) const;
template double AbProtein::change_pairs<simd::Compiled, 2>(Memory& memory) const;
template double AbProtein::change_pairs<simd::Compiled, 3>(Memory& memory) const;
template void AbProtein::take_pairs<simd::Compiled>(Memory& memory) const;

} // namespace pearlite::models
