// Optional members of the wrong form would silently not be used.
// expect: this model has an energies() that is not:
// expect: this model has a gradient() that is not:
// expect: this model has half of a box to start in
#include "pearlite/app/custom_energy.hpp"

struct Energy {
    pearlite::Index dimension() const { return 1; }
    std::span<const double> lower() const { return low; }
    std::span<const double> upper() const { return high; }
    double energy(std::span<const double> x) const { return x[0] * x[0]; }
    void energies(const pearlite::Matrix& points) const;
    std::vector<double> gradient(std::span<const double> x) const { return {2 * x[0]}; }
    std::span<const double> start_lower() const { return low; }
    void fingerprint(pearlite::model::Fingerprint& fingerprint) const { fingerprint.add("square"); }
    std::vector<double> low{-1}, high{1};
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_energy<Energy>("energy", "an energy");
}
