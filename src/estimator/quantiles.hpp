#pragma once
/// Quantiles of distributions that error bars and ranks need. Their templates are compiled here alone.

namespace pearlite::estimator {

/// x with P(X <= x) = p for a standard normal X, 0 < p < 1.
double normal_quantile(double p);
/// The same for Student's t with this number of degrees of freedom, > 0.
double student_quantile(double degrees, double p);

} // namespace pearlite::estimator
