#include "estimator/evidence/estimate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace pearlite::estimator {

namespace {

double joint_error(const Estimate& a, const Estimate& b) {
    return std::hypot(a.standard_error.value_or(0), b.standard_error.value_or(0));
}

} // namespace

bool are_apart(const Estimate& a, const Estimate& b) {
    return a.standard_error && b.standard_error &&
           std::abs(a.value - b.value) > significant_difference * joint_error(a, b);
}

bool refuse_if_curved(Estimate& integral, double largest_curvature) {
    if (largest_curvature <= largest_trusted_curvature)
        return false;
    integral.refuse(fmt::format("the integrand's curvature is {:.2g} nats in one interval; use more temperatures",
                                largest_curvature));
    return true;
}

void refuse_if_apart(Estimate& integral, const Estimate& reference) {
    if (!are_apart(integral, reference))
        return;
    integral.refuse(fmt::format(
        "the integral is {:.1f} standard errors from the {} estimate: its temperatures are too few",
        std::abs(integral.value - reference.value) / joint_error(integral, reference), reference.estimator));
}

void judge(std::span<Estimate> estimates, std::vector<std::string>& warnings) {
    if (estimates.empty())
        return;
    const auto& headline = estimates.front();
    for (auto& other : estimates.subspan(1))
        if (other.is_integral)
            refuse_if_apart(other, headline);
    warnings.insert(warnings.end(), headline.doubts.begin(), headline.doubts.end());
    std::set<std::string> seen{headline.estimator};
    for (const auto& other : estimates.subspan(1))
        if (other.standard_error && seen.insert(other.estimator).second && are_apart(headline, other))
            warnings.push_back(fmt::format("two estimators contradict each other: {} and {} differ by {:.1f} joint "
                                           "standard errors",
                                           headline.estimator, other.estimator,
                                           std::abs(headline.value - other.value) / joint_error(headline, other)));
    if (!warnings.empty())
        for (auto& estimate : estimates)
            estimate.is_conservative = false;
}

} // namespace pearlite::estimator
