#include "core/log_space.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <cmath>
#include <numbers>

namespace pearlite {

double log_add(double a, double b) {
    if (a == b) // also two equal infinities, whose difference would be NaN
        return a + std::numbers::ln2;
    const double high = a < b ? b : a;
    const double low = a < b ? a : b;
    return high + std::log1p(std::exp(low - high));
}

double log_subtract(double a, double b) {
    if (b == log_zero)
        return a;
    return a + log1m_exp(b - a);
}

double log1m_exp(double a) {
    return a > -std::numbers::ln2 ? std::log(-std::expm1(a)) : std::log1p(-std::exp(a));
}

double softplus(double x) {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

double logistic(double x) {
    if (x >= 0)
        return 1 / (1 + std::exp(-x));
    const double e = std::exp(x); // not 1/(1 + exp(-x)), which flushes values below 1e-308 to zero
    return e / (1 + e);
}

double logit(double p) {
    if (p >= 0.25 && p <= 0.75) // here the two logarithms nearly cancel, and 2p - 1 is exact
        return 2 * std::atanh(2 * p - 1);
    return std::log(p) - std::log1p(-p);
}

double log_sum_exp(std::span<const double> values) {
    std::size_t highest = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i]))
            return values[i];
        if (values[i] > values[highest])
            highest = i;
    }
    if (values.empty())
        return log_zero;
    const double maximum = values[highest];
    if (std::isinf(maximum))
        return maximum;
    double rest = 0; // the sum of the other terms, apart from the maximum, so that log1p keeps small ones
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i != highest)
            rest += std::exp(values[i] - maximum);
    return maximum + std::log1p(rest);
}

double log_mean_exp(std::span<const double> values) {
    PEARLITE_EXPECTS(!values.empty());
    return log_sum_exp(values) - std::log(static_cast<double>(values.size()));
}

} // namespace pearlite
