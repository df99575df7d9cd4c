// An energy of permutations with a difference of the wrong form.
// expect: this model has a swap_change() that is not:
#include "pearlite/app/custom_energy.hpp"

struct Energy {
    pearlite::Index size() const { return 5; }
    double energy(std::span<const std::int32_t> x) const { return x[0]; }
    void fingerprint(pearlite::model::Fingerprint& fingerprint) const { fingerprint.add("first"); }
    double swap_change(std::span<const std::int32_t> x, pearlite::Index i) const { return x[0] - i; }
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_energy<Energy>("energy", "an energy");
}
