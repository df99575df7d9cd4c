#pragma once
/// Arithmetic of numbers held as their logarithms. log_zero is legal everywhere; NaN propagates.

#include "pearlite/core/types.hpp"

#include <span>

namespace pearlite {

/// log(exp(a) + exp(b)).
double log_add(double a, double b);
/// log(exp(a) - exp(b)), a >= b; log_zero when equal and below +inf; NaN for a < b.
double log_subtract(double a, double b);
/// log(1 - exp(a)), a <= 0, accurate at both ends (Maechler 2012); NaN for a > 0.
double log1m_exp(double a);
/// log(1 + exp(x)), without overflow.
double softplus(double x);
/// 1/(1 + exp(-x)), without overflow.
double logistic(double x);
/// log(p/(1-p)), accurate at both ends and around 1/2; NaN outside [0, 1].
double logit(double p);
/// log sum exp of the values, in their order; log_zero for none.
double log_sum_exp(std::span<const double> values);
/// log_sum_exp - log n; n >= 1.
double log_mean_exp(std::span<const double> values);

} // namespace pearlite
