// An energy of nothing, which has a constructor of its own.
// expect: this model lacks what its energy is of: pearlite::Index dimension() const
// expect: this model lacks a constructor: explicit T(pearlite::io::Section& section)
#include "pearlite/app/custom_energy.hpp"

struct Energy {
    explicit Energy(double scale) : scale_(scale) {}
    double energy(std::span<const double> x) const { return scale_ * x[0]; }
    double scale_;
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_energy<Energy>("energy", "an energy");
}
