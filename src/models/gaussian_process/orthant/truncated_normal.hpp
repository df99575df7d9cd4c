#pragma once
/// The normal distribution on half a line.

#include "pearlite/random/stream.hpp"

namespace pearlite::models {

/// log Phi(x), to 1e-14 relative also far in the tail.
double log_normal_cdf(double x);
/// phi(x)/Phi(x), the derivative of log Phi.
double inverse_mills_ratio(double x);
/// The same, for a log Phi(x) at hand.
double inverse_mills_ratio(double x, double log_cdf);
/// N(mean, sd^2) given that sign x > 0; sign 1 or -1. By rejection (Robert 1995).
double truncated_normal(double mean, double sd, double sign, random::Stream& stream);

} // namespace pearlite::models
