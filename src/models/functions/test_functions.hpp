#pragma once
/// Functions on which optimisers are tried: many minima, a known global one, plain or rotated.

#include "pearlite/model/energy/energy.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::models {

struct TestFunctionSettings {
    enum class Kind { rastrigin, ackley, griewank, schwefel, rosenbrock, levy };

    Kind kind = Kind::rastrigin;
    Index dimension = 30;   ///< d, 1 .. TestFunction::largest_dimension; at least 2 for Rosenbrock's
    bool rotated = false;   ///< turned about its minimiser
    std::uint64_t seed = 1; ///< of the rotation
};

/// The turns of which a rotation by Salomon's method is the product; coordinates count from 0. A turn of the plane
/// (i, j) by an angle of cosine c and sine s takes (x_i, x_j) to (c x_i + s x_j, c x_j - s x_i). R x is the turns of
/// (i, d-1), i = d-2 .. 1, after each other, then those of (0, i), i = d-1 .. 1.
struct SalomonTurns {
    std::vector<double> first_cosine, first_sine; ///< of (0, i), at i
    std::vector<double> last_cosine, last_sine;   ///< of (i, d-1), at i
};

/// U(x) = f(z), z = x or, rotated, z = R (x - x*) + x*, with the minimiser x* of f. f is 0 there and positive
/// elsewhere:
///
/// * rastrigin: 10 d + sum z_i^2 - 10 cos(2 pi z_i); box [-5.12, 5.12]^d, x* = 0
/// * ackley: 20 + e - 20 exp(-0.2 sqrt(mean z_i^2)) - exp(mean cos(2 pi z_i)); [-32.768, 32.768]^d, 0
/// * griewank: 1 + sum z_i^2 / 4000 - prod cos(z_i / sqrt(i)); [-600, 600]^d, 0
/// * schwefel: d v - sum z_i sin(sqrt|z_i|), v = 418.98... for a minimum of 0; [-500, 500]^d, 420.97... A rotated
///   box reaches beyond [-500, 500], where the formula has deeper minima: there a term is its value at the edge plus
///   (|z_i| - 500)^2 / 1000
/// * rosenbrock: sum over i < d of 100 (z_{i+1} - z_i^2)^2 + (z_i - 1)^2; [-5, 10]^d, 1
/// * levy, with w = 1 + (z - 1) / 4: sin(pi w_1)^2 + sum over i < d of (w_i - 1)^2 (1 + 10 sin(pi w_i + 1)^2)
///   + (w_d - 1)^2 (1 + sin(2 pi w_d)^2); [-10, 10]^d, 1
///
/// Energies are finite outside the box too. Fulfils Energy, HasLaneEnergies, HasEnergyGradient and HasKnownMinimum.
class TestFunction {
  public:
    static constexpr Index largest_dimension = 4096;

    /// InputError if the dimension is out of range.
    explicit TestFunction(const TestFunctionSettings& settings);

    const TestFunctionSettings& settings() const { return settings_; }
    Index dimension() const { return settings_.dimension; }
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }
    std::optional<double> known_minimum() const { return 0.0; }
    /// x*, where the minimum is taken.
    std::span<const double> minimiser() const { return minimiser_; }
    /// R, d x d; the identity if not rotated.
    Matrix rotation() const;

    double energy(std::span<const double> x) const;
    /// points: d x p, p a multiple of lane_padding and the length of `out`, else ContractViolation. Differs from
    /// energy() by rounding; the bits do not depend on the instruction set either.
    void energies(const model::LaneMatrix& points, std::span<double> out) const;
    /// g = dU/dx, length d. At a kink of U (Ackley's minimum, Schwefel's edges) one of its one-sided slopes, or 0.
    void gradient(std::span<const double> x, std::span<double> g) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    std::vector<double> turned(std::span<const double> x) const;

    TestFunctionSettings settings_;
    std::vector<double> lower_, upper_, minimiser_;
    SalomonTurns salomon_;                   ///< if rotated, as R
    std::shared_ptr<const Matrix> rotation_; ///< R, which copies share: 134 MB at the largest dimension
    std::vector<double> turns_;              ///< Griewank: 1 / (2 pi sqrt(i))
    double schwefel_peak_ = 0;               ///< Schwefel: the largest z sin(sqrt|z|) in [-500, 500]
};

/// A rotation of R^d by Salomon's method (BioSystems 39, 1996, appendix B): the product of turns by angles uniform on
/// (-pi/4, pi/4) in the planes (1, i), i = 2 .. d, then (i, d), i = 2 .. d-1, coordinates counted from 1. It is nearer
/// to the identity than a uniformly distributed rotation. Angle k is number k of the stream (seed, synthetic_data, 0,
/// 0).
SalomonTurns salomon_turns(Index d, std::uint64_t seed);
/// The product of these turns, d x d.
Matrix salomon_rotation(Index d, std::uint64_t seed);

} // namespace pearlite::models
