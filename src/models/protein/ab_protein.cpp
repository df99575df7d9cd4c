#include "models/protein/ab_protein.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include "simd/instructions.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>
#include <utility>

namespace pearlite::models {
namespace {

using Energy = AbProteinSettings::Energy;
using Eigen::Vector3d;

static_assert(model::HasLaneEnergies<AbProtein> && model::HasEnergyGradient<AbProtein> &&
              model::HasEnergyWithGradient<AbProtein> && model::HasKnownMinimum<AbProtein> &&
              model::HasLocalMoves<AbProtein> && model::HasFirstEnergies<AbProtein>);

struct KnownMinimum {
    Energy energy;
    Index length;
    double value;
};

/// Found by conformational space annealing (Kim, Lee & Lee 2005) or published for it, and again by basin hopping.
constexpr std::array known_minima = {
    KnownMinimum{Energy::planar, 13, -3.294078},      KnownMinimum{Energy::planar, 21, -6.197989},
    KnownMinimum{Energy::planar, 34, -10.8060},       KnownMinimum{Energy::stillinger, 13, -4.974604},
    KnownMinimum{Energy::stillinger, 21, -12.326569}, KnownMinimum{Energy::irback, 13, -26.506621},
    KnownMinimum{Energy::azimuth, 13, -6.996117},
};

/// 1 for two A, `both_b` for two B, `mixed` otherwise.
double coupling(char a, char b, double both_b, double mixed) {
    if (a != b)
        return mixed;
    return a == 'A' ? 1 : both_b;
}

/// u turned by an angle towards v, v likewise; both are unit vectors, at right angles.
void turn(Vector3d& u, Vector3d& v, double sine, double cosine) {
    const Vector3d before = u;
    u = cosine * before + sine * v;
    v = cosine * v - sine * before;
}

} // namespace

std::string fibonacci_sequence(Index length) {
    std::string previous = "A";
    std::string sequence = length == 1 ? "A" : "B";
    while (static_cast<Index>(sequence.size()) < length)
        previous = std::exchange(sequence, previous + sequence);
    if (static_cast<Index>(sequence.size()) != length) {
        throw InputError("AB protein: a Fibonacci sequence has 1, 2, 3, 5, 8, 13, 21, 34, 55 ... monomers, not " +
                         std::to_string(length));
    }
    return sequence;
}

AbProtein::AbProtein(AbProteinSettings settings) : settings_(std::move(settings)) {
    const std::string& sequence = settings_.sequence;
    if (sequence.find_first_not_of("AB") != std::string::npos) {
        throw InputError("AB protein: the sequence must consist of A and B, not '" + sequence + "'");
    }
    const Index n = monomers();
    if (n < 3 || n > longest) {
        throw InputError("AB protein: the sequence must have 3 to " + std::to_string(longest) + " monomers, not " +
                         std::to_string(n));
    }
    const Index angles = space() == 2 ? n - 2 : 2 * n - 5;
    lower_.assign(static_cast<std::size_t>(angles), -std::numbers::pi);
    upper_.assign(static_cast<std::size_t>(angles), std::numbers::pi);

    const bool irback = settings_.energy == Energy::irback;
    bend_ = irback ? 1 : -0.25;
    torsion_ = irback ? -0.5 : 0;
    constant_ = irback ? 0 : 0.25 * static_cast<double>(n - 2);
    const Index rows = lane_padded(n + 1);
    pairs_ = {n, rows, model::LaneMatrix::Zero(rows, rows), model::LaneMatrix::Zero(rows, rows)};
    for (Index i = 0; i < n; ++i) {
        for (Index j = i + 2; j < n; ++j) {
            const char a = sequence[static_cast<std::size_t>(i)], b = sequence[static_cast<std::size_t>(j)];
            const double factor = irback ? coupling(a, b, 0.5, 0.5) : coupling(a, b, 0.5, -0.5);
            pairs_.repulsion(i, j) = 4 * (irback ? factor : 1);
            pairs_.attraction(i, j) = 4 * factor;
        }
    }
}

std::optional<double> AbProtein::known_minimum() const {
    for (const KnownMinimum& known : known_minima) {
        if (known.energy == settings_.energy && known.length == monomers() &&
            fibonacci_sequence(known.length) == settings_.sequence) {
            return known.value;
        }
    }
    return std::nullopt;
}

AbProtein::Angles AbProtein::angles(std::span<const double> x) const {
    PEARLITE_EXPECTS(static_cast<Index>(x.size()) == dimension());
    Angles angles;
    for (const double angle : x) {
        angles.sine.push_back(std::sin(angle));
        angles.cosine.push_back(std::cos(angle));
    }
    return angles;
}

AbProtein::Conformation AbProtein::conformation(const Angles& angles) const {
    const Index n = monomers();
    Conformation chain{Eigen::Matrix3Xd(3, n - 1), Eigen::Matrix3Xd::Zero(3, n - 1)};
    Vector3d along = has_azimuth_energy() ? Vector3d::UnitY() : Vector3d::UnitX();
    Vector3d aside = Vector3d::UnitY();
    Vector3d axis = Vector3d::UnitZ();
    chain.bonds.col(0) = along;
    for (Index k = 1; k < n - 1; ++k) {
        const auto first = static_cast<std::size_t>(k - 1), second = static_cast<std::size_t>(n - 4 + k);
        const bool has_second = space() == 3 && k > 1;
        const double sine = has_second ? angles.sine[second] : 0, cosine = has_second ? angles.cosine[second] : 1;
        if (has_internal_angles()) {
            turn(aside, axis, sine, cosine);
            turn(along, aside, angles.sine[first], angles.cosine[first]);
            chain.bend_axes.col(k) = axis;
        } else {
            along = {angles.cosine[first] * cosine, angles.sine[first] * cosine, sine};
        }
        chain.bonds.col(k) = along;
    }
    return chain;
}

double AbProtein::own_energy(const Conformation& chain, const Angles& angles) const {
    double bends = 0, torsions = 0;
    for (Index k = 1; k < monomers() - 1; ++k) {
        bends += has_azimuth_energy() ? angles.cosine[static_cast<std::size_t>(k - 1)]
                                      : chain.bonds.col(k - 1).dot(chain.bonds.col(k));
        if (k > 1)
            torsions += chain.bonds.col(k - 2).dot(chain.bonds.col(k));
    }
    return constant_ + bend_ * bends + torsion_ * torsions;
}

double AbProtein::energy(std::span<const double> x) const {
    const Angles of_x = angles(x);
    const Conformation chain = conformation(of_x);
    const Index n = monomers();
    double contacts = 0;
    for (Index i = 0; i < n; ++i) {
        Vector3d distance = i + 1 < n ? Vector3d(chain.bonds.col(i)) : Vector3d::Zero();
        for (Index j = i + 2; j < n; ++j) {
            distance += chain.bonds.col(j - 1);
            const double q = 1 / distance.squaredNorm();
            const double q3 = q * q * q;
            contacts += q3 * (pairs_.repulsion(i, j) * q3 - pairs_.attraction(i, j));
        }
    }
    return own_energy(chain, of_x) + contacts;
}

Matrix AbProtein::coordinates(std::span<const double> x) const {
    const Conformation chain = conformation(angles(x));
    Matrix places = Matrix::Zero(monomers(), space());
    for (Index k = 0; k + 1 < monomers(); ++k)
        places.row(k + 1) = places.row(k) + chain.bonds.col(k).head(space()).transpose();
    return places;
}

Eigen::Matrix3Xd AbProtein::place_gradient(const Conformation& chain) const {
    const Index n = monomers();
    const Eigen::Matrix3Xd& u = chain.bonds;
    Eigen::Matrix3Xd of_places = Eigen::Matrix3Xd::Zero(3, n);
    for (Index i = 0; i + 2 < n; ++i) {
        Vector3d distance = u.col(i);
        for (Index j = i + 2; j < n; ++j) {
            distance += u.col(j - 1);
            const double q = 1 / distance.squaredNorm();
            const double q3 = q * q * q;
            // dU/d(r^2) = -q^2 dU/dq, and the gradient of r^2 is 2 distance
            const double slope = -6 * q * q3 * (2 * pairs_.repulsion(i, j) * q3 - pairs_.attraction(i, j));
            of_places.col(j) += slope * distance;
            of_places.col(i) -= slope * distance;
        }
    }
    return of_places;
}

Eigen::Matrix3Xd AbProtein::bond_gradient(const Conformation& chain, const Eigen::Matrix3Xd& of_places) const {
    const Index n = monomers();
    const Eigen::Matrix3Xd& u = chain.bonds;
    Eigen::Matrix3Xd slope = Eigen::Matrix3Xd::Zero(3, n - 1);
    Vector3d behind = Vector3d::Zero(); // a bond shifts all monomers behind it
    for (Index k = n - 2; k >= 0; --k) {
        behind += of_places.col(k + 1);
        slope.col(k) = behind;
    }
    for (Index k = 1; k < n - 1; ++k) {
        if (!has_azimuth_energy()) {
            slope.col(k) += bend_ * u.col(k - 1);
            slope.col(k - 1) += bend_ * u.col(k);
        }
        if (k > 1) {
            slope.col(k) += torsion_ * u.col(k - 2);
            slope.col(k - 2) += torsion_ * u.col(k);
        }
    }
    return slope;
}

void AbProtein::internal_gradient(const Conformation& chain, const Eigen::Matrix3Xd& slope, std::span<double> g) const {
    const Index n = monomers();
    Vector3d torque = Vector3d::Zero(); // an angle turns its bond and all that follow
    for (Index k = n - 2; k > 0; --k) {
        torque += chain.bonds.col(k).cross(slope.col(k));
        g[static_cast<std::size_t>(k - 1)] = chain.bend_axes.col(k).dot(torque);
        if (space() == 3 && k > 1)
            g[static_cast<std::size_t>(n - 4 + k)] = chain.bonds.col(k - 1).dot(torque);
    }
}

void AbProtein::direction_gradient(const Angles& angles, const Eigen::Matrix3Xd& slope, std::span<double> g) const {
    const Index n = monomers();
    for (Index k = 1; k < n - 1; ++k) {
        const auto first = static_cast<std::size_t>(k - 1);
        const auto second = static_cast<std::size_t>(n - 4 + k);
        const bool elevated = space() == 3 && k > 1;
        const double sine = angles.sine[first], cosine = angles.cosine[first];
        const double cosine_of_elevation = elevated ? angles.cosine[second] : 1;
        g[first] = cosine_of_elevation * (cosine * slope(1, k) - sine * slope(0, k));
        if (has_azimuth_energy())
            g[first] -= bend_ * sine;
        if (elevated) {
            g[second] =
                cosine_of_elevation * slope(2, k) - angles.sine[second] * (cosine * slope(0, k) + sine * slope(1, k));
        }
    }
}

void AbProtein::coordinate_gradient(const Angles& angles, const Conformation& chain, const Eigen::Matrix3Xd& slope,
                                    std::span<double> g) const {
    if (has_internal_angles())
        internal_gradient(chain, slope, g);
    else
        direction_gradient(angles, slope, g);
}

void AbProtein::gradient(std::span<const double> x, std::span<double> g) const {
    PEARLITE_EXPECTS(g.size() == x.size());
    const Angles of_x = angles(x);
    const Conformation chain = conformation(of_x);
    coordinate_gradient(of_x, chain, bond_gradient(chain, place_gradient(chain)), g);
}

double AbProtein::energy_with_gradient(std::span<const double> x, std::span<double> g) const {
    PEARLITE_EXPECTS(static_cast<Index>(x.size()) == dimension() && g.size() == x.size());
    return simd::on_this_cpu([&](auto cpu) {
        using Cpu = decltype(cpu);
        const Angles of_x = angles_in_lanes<Cpu>(x);
        const Conformation chain = conformation(of_x);
        Eigen::Matrix3Xd of_places(3, monomers());
        const double contacts = contacts_with_gradient<Cpu>(chain, of_places);
        if (contacts < infinity)
            coordinate_gradient(of_x, chain, bond_gradient(chain, of_places), g);
        return own_energy(chain, of_x) + contacts;
    });
}

void AbProtein::energies(const model::LaneMatrix& points, std::span<double> out) const {
    first_energies(points, points.cols(), out);
}

void AbProtein::first_energies(const model::LaneMatrix& points, Index chains, std::span<double> out) const {
    simd::on_this_cpu([&](auto cpu) { lane_energies<decltype(cpu)>(points, chains, out); });
}

void AbProtein::remember(const model::LaneMatrix& points, std::span<const std::uint8_t> wanted,
                         std::span<Memory> memories) const {
    simd::on_this_cpu([&](auto cpu) { remember_lanes<decltype(cpu)>(points, wanted, memories); });
}

void AbProtein::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("AB protein");
    fingerprint.add(settings_.sequence);
    fingerprint.add(static_cast<double>(settings_.energy));
    fingerprint.add(static_cast<double>(has_internal_angles()));
}

} // namespace pearlite::models
