// An energy on a box without its upper ends, which cannot be recognised again and whose known minimum has another form.
// expect: this model lacks: std::span<const double> upper() const
// expect: this model lacks: void fingerprint(
// expect: this model has a known_minimum() that is not:
#include "pearlite/app/custom_energy.hpp"

struct Energy {
    pearlite::Index dimension() const { return 2; }
    std::span<const double> lower() const { return low; }
    double energy(std::span<const double> x) const { return x[0] * x[0] + x[1] * x[1]; }
    std::optional<double> known_minimum() { return 0; } // not const
    std::vector<double> low{-1, -1};
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_energy<Energy>("energy", "an energy");
}
