#include "pearlite/sampler/search_record.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::sampler {

void ProgressCurve::add(std::int64_t iteration, std::int64_t evaluations, double best, double temperature) {
    iterations_.push_back(iteration);
    evaluations_.push_back(evaluations);
    best_.push_back(best);
    temperature_.push_back(temperature);
    const double step = std::ceil(static_cast<double>(iteration) * std::pow(10.0, 1 / per_decade));
    next_ = std::max(iteration + 1, static_cast<std::int64_t>(step));
}

} // namespace pearlite::sampler
