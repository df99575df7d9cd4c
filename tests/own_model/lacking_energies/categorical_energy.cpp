// An energy of sites whose energy() takes points.
// expect: this model lacks: double energy(std::span<const std::int32_t> x) const
#include "pearlite/app/custom_energy.hpp"

struct Energy {
    std::span<const std::int32_t> levels() const { return levels_; }
    double energy(std::span<const double> x) const { return x[0]; }
    void fingerprint(pearlite::model::Fingerprint& fingerprint) const { fingerprint.add("sites"); }
    std::vector<std::int32_t> levels_{2, 3};
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_energy<Energy>("energy", "an energy");
}
