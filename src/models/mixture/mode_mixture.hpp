#pragma once
/// A planar mixture of equal normal distributions as an energy: modes that are far apart (Liang & Wong 2001).

#include "pearlite/model/energy/energy.hpp"

#include <array>
#include <vector>

namespace pearlite::models {

/// U(x) = -log f(x), f = (1/n) sum_k N(x; mu_k, variance I) in the plane, on the box [-1e10, 1e10]^2 (Karagiannis et
/// al. 2017, eq. 4.1: 20 modes, variance 0.001). Normalised: the integral of exp(-U) is 1.
class ModeMixture {
  public:
    /// means: 2 x n, n >= 1; InputError unless they are finite and the variance > 0.
    ModeMixture(const Matrix& means, double variance);

    Index dimension() const { return 2; }
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }
    /// The smallest box with all modes; chains that start on the whole domain are some 1e11 standard deviations away.
    std::span<const double> start_lower() const { return start_lower_; }
    std::span<const double> start_upper() const { return start_upper_; }
    double energy(std::span<const double> x) const;
    void energies(const model::LaneMatrix& points, std::span<double> out) const;
    void fingerprint(model::Fingerprint& fingerprint) const;
    /// As model::HasRegionMasses, by quadrature along rays from the modes: right to 1e-6 where modes are far apart, to
    /// some 1e-3 where they overlap.
    std::vector<double> log_region_masses(std::span<const double> points, double temperature) const;

    const Matrix& means() const { return means_; }
    double variance() const { return variance_; }

  private:
    Matrix means_;
    double variance_, log_factor_;
    std::array<double, 2> lower_{-1e10, -1e10}, upper_{1e10, 1e10};
    std::array<double, 2> start_lower_, start_upper_;
};

} // namespace pearlite::models
