#pragma once
/// The shock z_t behind a Student-t error e_t, by the block, for the leverage.

#include "models/state_space/volatility_cloud.hpp"
#include "pearlite/random/stream.hpp"

namespace pearlite::models::detail {

/// z = e sqrt(g), g ~ Gamma(shape (nu + 1)/2, rate (nu + e^2)/2) given e (Marsaglia & Tsang 2000, with their squeeze in
/// the lanes and the rest one by one).
class StudentShocks {
  public:
    /// strength = sigma rho. Words as VolatilityFilter says, `stride` for each time.
    StudentShocks(const random::Address& address, double nu, double strength, std::size_t stride);
    /// Adds strength z to the next mean of each particle, whose error is e = y exp(-h/2).
    void add_to(VolatilityCloud& cloud, std::size_t t, double y) const;

  private:
    /// Gamma(shape), rate 1, from a normal and a uniform and, if these are refused, from a stream of its own.
    double one_gamma(float x, float u, std::uint64_t part) const;

    const random::Address& address_;
    double nu_, strength_, shape_;
    std::size_t stride_;
};

} // namespace pearlite::models::detail
