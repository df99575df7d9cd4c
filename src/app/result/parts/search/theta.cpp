#include "app/result/parts/search/search.hpp"
#include "core/log_space.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::app {

std::vector<double> learnt_log_masses(const algorithm::SearchOutcome& outcome) {
    std::vector<double> masses = outcome.theta;
    double elsewhere = 0, known = 0;
    for (std::size_t j = 0; j < masses.size(); ++j)
        (std::isfinite(masses[j]) ? known : elsewhere) += std::isfinite(masses[j]) ? 1 : outcome.desired[j];
    if (known == 0)
        return {};
    for (std::size_t j = 0; j < masses.size(); ++j)
        masses[j] += std::log(outcome.desired[j] + elsewhere / known);
    const double sum = log_sum_exp(masses);
    for (double& mass : masses)
        mass -= sum;
    return masses;
}

ThetaError theta_error(const std::vector<double>& learnt, const std::vector<double>& exact) {
    ThetaError error;
    for (std::size_t j = 0; j < std::min(learnt.size(), exact.size()); ++j) {
        if (!std::isfinite(learnt[j]) || !std::isfinite(exact[j]))
            continue;
        const double difference = std::abs(learnt[j] - exact[j]);
        error.squared += difference * difference;
        error.largest = std::max(error.largest, difference);
    }
    return error;
}

} // namespace pearlite::app
