#include "algorithm/common/few_families.hpp"

#include "estimator/evidence/genealogy.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

const double fewest_families = estimator::min_effective_families;

std::string warning_of_families(double families) {
    if (!(families > 0 && families < estimator::good_effective_families))
        return {};
    return fmt::format("the pilot's particles descend from {:.1f} effective families, fewer than {:g}: they may have "
                       "lost peaks by chance, which nothing that starts from them shows; take more "
                       "kernel.pilot_particles",
                       families, estimator::good_effective_families);
}

bool are_too_few_families(double families) {
    return families > 0 && families < fewest_families;
}

} // namespace pearlite::algorithm
