// A toy estimator from works: halfway between the two exponential averages, without an error bar.
#include "estimator/work/work.hpp"

namespace pearlite::estimator {

std::vector<WorkEstimator> toy_estimators() {
    return {{"toy", [](const population::Shards& forward, const population::Shards& reverse) {
                 return Estimate{"toy", (jarzynski_forward(forward).value + jarzynski_reverse(reverse).value) / 2};
             }}};
}

} // namespace pearlite::estimator
