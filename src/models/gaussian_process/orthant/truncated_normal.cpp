#include "models/gaussian_process/orthant/truncated_normal.hpp"

#include <cmath>
#include <numbers>

namespace pearlite::models {

namespace {

/// exp(t^2/2) Phi(-t) sqrt(2 pi) for t >= 5, by its continued fraction.
double mills_ratio(double t) {
    constexpr int terms = 60;
    double fraction = t;
    for (int k = terms; k >= 1; --k)
        fraction = t + k / fraction;
    return 1 / fraction;
}

constexpr double far = -5;
const double log_root_two_pi = 0.5 * std::log(2 * std::numbers::pi);

} // namespace

double log_normal_cdf(double x) {
    if (x < far)
        return -0.5 * x * x - log_root_two_pi + std::log(mills_ratio(-x));
    if (x > 0)
        return std::log1p(-0.5 * std::erfc(x / std::numbers::sqrt2));
    return std::log(0.5 * std::erfc(-x / std::numbers::sqrt2));
}

double inverse_mills_ratio(double x) {
    return inverse_mills_ratio(x, x < far ? 0 : log_normal_cdf(x));
}

double inverse_mills_ratio(double x, double log_cdf) {
    return x < far ? 1 / mills_ratio(-x) : std::exp(-0.5 * x * x - log_root_two_pi - log_cdf);
}

double truncated_normal(double mean, double sd, double sign, random::Stream& stream) {
    const double least = -sign * mean / sd; // of a standard normal
    double x = 0;
    constexpr double near = 0.45; // below it plain normals are rejected less often
    if (least < near) {
        do
            x = stream.normal();
        while (x <= least);
    } else {
        const double rate = 0.5 * (least + std::sqrt(least * least + 4));
        do
            x = least + stream.exponential() / rate;
        while (stream.uniform() > std::exp(-0.5 * (x - rate) * (x - rate)));
    }
    return sign * std::abs(sign * mean + sd * x);
}

} // namespace pearlite::models
