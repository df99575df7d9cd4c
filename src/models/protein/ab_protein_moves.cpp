/// Local changes of AB proteins: of one angle, and moves that leave the rest of the chain where it is.

#include "pearlite/core/detail/contract.hpp"

#include "models/protein/ab_protein_change.hpp"

#include <cmath>
#include <numbers>

namespace pearlite::models {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using model::LaneColumn;
using model::LocalProposal;

constexpr LocalProposal refused{infinity, 0};
/// A line through points that are nearer to each other has no direction.
constexpr double least_length = 1e-6;

double cross(const Vector2d& a, const Vector2d& b) {
    return a[0] * b[1] - a[1] * b[0];
}

Matrix2d turn_by(double angle) {
    return Eigen::Rotation2Dd(angle).toRotationMatrix();
}

/// The angle from a to b, in (-pi, pi].
double angle_between(const Vector2d& a, const Vector2d& b) {
    return std::atan2(cross(a, b), a.dot(b));
}

/// The angle from a to b, both at right angles to the unit vector `axis`.
double angle_about(const Vector3d& axis, const Vector3d& a, const Vector3d& b) {
    return std::atan2(axis.dot(a.cross(b)), a.dot(b));
}

/// The same angle in [-pi, pi].
double wrapped(double angle) {
    return std::abs(angle) <= std::numbers::pi ? angle : std::remainder(angle, 2 * std::numbers::pi);
}

/// A uniform number in [0, 1) as 0 .. n-1, small ones more often.
Index rather_few(double uniform, Index n) {
    return static_cast<Index>(uniform * uniform * static_cast<double>(n));
}

std::span<const model::LocalMove> planar_moves() {
    static const std::array<model::LocalMove, 2> moves{{{"concerted", true}, {"reflection", false}}};
    return moves;
}
std::span<const model::LocalMove> spatial_moves() {
    static const std::array<model::LocalMove, 1> moves{{{"crankshaft", true}}};
    return moves;
}

} // namespace

std::vector<std::string> AbProtein::local_move_names() {
    std::vector<std::string> names;
    for (const auto moves : {planar_moves(), spatial_moves()})
        for (const auto& move : moves)
            names.push_back(move.name);
    return names;
}

std::span<const model::LocalMove> AbProtein::local_moves() const {
    if (!has_internal_angles())
        return {};
    return space() == 2 ? planar_moves() : spatial_moves();
}

double AbProtein::change(Memory& memory, LaneColumn x, Index k, double step) const {
    const Index bond = bond_of(k), end = monomers() - 1;
    const bool is_first = k < monomers() - 2;
    const auto of = [&]<int dimensions>(Change<dimensions> chain) {
        using Place = typename Change<dimensions>::Place;
        using Turn = typename Change<dimensions>::Turn;
        const Place hinge = chain.before(bond);
        if (has_internal_angles()) {
            Turn turn;
            if constexpr (dimensions == 2) {
                turn = turn_by(step);
            } else {
                const Vector3d axis =
                    is_first ? chain.axis_before(bond) : Vector3d(chain.bond_before(bond - 1).normalized());
                turn = Eigen::AngleAxisd(step, axis).toRotationMatrix();
                chain.turn_axes(bond, end - 1, turn);
            }
            chain.move(bond + 1, end, turn, hinge, hinge);
            return chain.energy_change(bond + 1, end, bond, bond);
        }
        const Index other = is_first ? monomers() - 4 + bond : bond - 1;
        const double t = is_first ? x[k] : x[other];
        Place direction;
        if constexpr (dimensions == 2) {
            direction = {std::cos(t), std::sin(t)};
        } else {
            const double b = bond == 1 ? 0 : is_first ? x[other] : x[k];
            direction = {std::cos(t) * std::cos(b), std::sin(t) * std::cos(b), std::sin(b)};
        }
        chain.move(bond + 1, end, Turn::Identity(), chain.before(bond + 1), hinge + direction);
        const double azimuth = has_azimuth_energy() && is_first ? bend_ * (std::cos(t) - std::cos(t - step)) : 0;
        return azimuth + chain.energy_change(bond + 1, end, bond, bond + 1);
    };
    return space() == 2 ? of(Change<2>(*this, memory)) : of(Change<3>(*this, memory));
}

void AbProtein::take(Memory& memory) const {
    std::swap(memory.now.places, memory.next.places);
    std::swap(memory.now.bend_axes, memory.next.bend_axes);
    simd::on_this_cpu([&](auto cpu) { take_pairs<decltype(cpu)>(memory); });
    memory.blocks = {};
}

/// Moves of a stretch of the chain in the plane; hinges are monomers.
class AbProtein::PlanarMove {
  public:
    PlanarMove(const AbProtein& protein, Memory& memory, LaneColumn x)
        : monomers_(protein.monomers()), chain_(protein, memory), x_(x) {}

    LocalProposal concerted(const model::LocalDraws& draws) {
        std::array<Index, 4> hinge{};
        for (std::size_t bar = 1; bar < 4; ++bar)
            hinge[bar] = hinge[bar - 1] + 1 + rather_few(draws.uniforms[bar], 4);
        if (hinge[3] > monomers_ - 1)
            return refused;
        const auto first = static_cast<Index>(draws.uniforms[0] * static_cast<double>(monomers_ - hinge[3]));
        std::array<Vector2d, 4> place;
        for (std::size_t k = 0; k < 4; ++k)
            place[k] = chain_.before(hinge[k] += first);

        const Matrix2d turn = turn_by(draws.step);
        const Vector2d second = place[2] - place[1], third = place[3] - place[2];
        const Vector2d from = place[0] + turn * (place[1] - place[0]); // where the second bar begins now
        const Vector2d rest = place[3] - from;
        const double distance = rest.norm(), length = second.norm();
        const double cosine = (length * length + distance * distance - third.squaredNorm()) / (2 * length * distance);
        const double jacobian = cross(second, third);
        if (!(std::abs(cosine) < 1) || distance < least_length || jacobian == 0)
            return refused;
        // The third bar stays on its side of the second.
        const double sine = std::copysign(std::sqrt((1 - cosine) * (1 + cosine)), -jacobian);
        const Vector2d aside(-rest[1], rest[0]);
        const Vector2d elbow = from + (cosine * rest + sine * aside) * (length / distance);
        const double by_second = angle_between(second, elbow - from);
        const double by_third = angle_between(third, place[3] - elbow);

        chain_.move(hinge[0] + 1, hinge[1], turn, place[0], place[0]);
        chain_.move(hinge[1] + 1, hinge[2], turn_by(by_second), place[1], from);
        chain_.move(hinge[2] + 1, hinge[3] - 1, turn_by(by_third), place[3], place[3]);
        bend(hinge[0], draws.step);
        bend(hinge[1], by_second - draws.step);
        bend(hinge[2], by_third - by_second);
        bend(hinge[3], -by_third);
        return {chain_.energy_change(hinge[0] + 1, hinge[3] - 1, hinge[0], hinge[3]),
                std::log(std::abs(jacobian / cross(elbow - from, place[3] - elbow)))};
    }

    LocalProposal reflection(const model::LocalDraws& draws) {
        const Index length = 2 + rather_few(draws.uniforms[1], 8);
        if (length > monomers_ - 1)
            return refused;
        const auto first = static_cast<Index>(draws.uniforms[0] * static_cast<double>(monomers_ - length));
        const Index last = first + length;
        const Vector2d from = chain_.before(first), chord = chain_.before(last) - from;
        if (chord.norm() < least_length)
            return refused;
        const Matrix2d mirror = 2 * chord * chord.transpose() / chord.squaredNorm() - Matrix2d::Identity();
        chain_.move(first + 1, last - 1, mirror, from, from);
        const auto turned = [&](Index bond) {
            return angle_between(chain_.bond_before(bond), chain_.bond_after(bond));
        };
        bend(first, turned(first));
        for (Index hinge = first + 1; hinge < last; ++hinge)
            x_[hinge - 1] = -x_[hinge - 1];
        bend(last, -turned(last - 1));
        return {chain_.energy_change(first + 1, last - 1, first, last), 0};
    }

  private:
    void bend(Index hinge, double by) {
        if (hinge >= 1 && hinge <= monomers_ - 2)
            x_[hinge - 1] = wrapped(x_[hinge - 1] + by);
    }

    Index monomers_;
    Change<2> chain_;
    LaneColumn x_;
};

/// A stretch of the chain in space turns about its chord; bond k has the bend x[k - 1], from bond k = 2 the torsion
/// x[n - 4 + k].
class AbProtein::Crankshaft {
  public:
    Crankshaft(const AbProtein& protein, Memory& memory, LaneColumn x)
        : last_bond_(protein.monomers() - 2), chain_(protein, memory), x_(x) {}

    LocalProposal propose(const model::LocalDraws& draws) {
        const Index monomers = last_bond_ + 2, length = 2 + rather_few(draws.uniforms[1], 6);
        if (length > monomers - 1)
            return refused;
        const auto first = static_cast<Index>(draws.uniforms[0] * static_cast<double>(monomers - length));
        const Index last = first + length;
        const Vector3d from = chain_.before(first), chord = chain_.before(last) - from;
        if (chord.norm() < least_length)
            return refused;
        const Eigen::Matrix3d turn = Eigen::AngleAxisd(draws.step, chord.normalized()).toRotationMatrix();
        chain_.move(first + 1, last - 1, turn, from, from);
        chain_.turn_axes(first + 1, last - 1, turn);
        const double before = log_sine(first) + log_sine(last);
        bend(first);
        bend(last);
        if (!std::isfinite(before))
            return refused;
        // Short stretches have hinges next to each other.
        std::array<Index, 4> bonds{first, first + 1, last, last + 1};
        for (const Index bond : bonds)
            twist(bond);
        return {chain_.energy_change(first + 1, last - 1, first, last), before - log_sine(first) - log_sine(last)};
    }

  private:
    bool is_hinge(Index bond) const { return bond >= 1 && bond <= last_bond_; }
    double log_sine(Index bond) const { return is_hinge(bond) ? std::log(std::abs(std::sin(x_[bond - 1]))) : 0; }
    void bend(Index bond) {
        if (!is_hinge(bond))
            return;
        double& angle = x_[bond - 1];
        const Vector3d u = chain_.bond_after(bond - 1), v = chain_.bond_after(bond);
        const Vector3d normal = std::copysign(1, angle) * u.cross(v);
        angle = std::copysign(std::atan2(normal.norm(), u.dot(v)), angle);
        chain_.set_axis(bond, normal.normalized());
    }
    void twist(Index bond) {
        if (bond >= 2 && bond <= last_bond_)
            x_[last_bond_ - 2 + bond] = angle_about(chain_.bond_after(bond - 1).normalized(),
                                                    chain_.axis_after(bond - 1), chain_.axis_after(bond));
    }

    Index last_bond_;
    Change<3> chain_;
    LaneColumn x_;
};

LocalProposal AbProtein::propose(Memory& memory, LaneColumn x, Index move, const model::LocalDraws& draws) const {
    PEARLITE_EXPECTS(move >= 0 && move < static_cast<Index>(local_moves().size()));
    if (space() == 3)
        return Crankshaft(*this, memory, x).propose(draws);
    PlanarMove planar(*this, memory, x);
    return move == 0 ? planar.concerted(draws) : planar.reflection(draws);
}

} // namespace pearlite::models
