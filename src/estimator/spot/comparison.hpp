#pragma once
/// The mass in an ellipsoid E by a run, beside the integral of its density over E, which the run does not enter.
///
///     s = sum_{i in E} W_i,  Var[s] = max(sum_e (sum_{i in e} W_i (1_E(x_i) - s))^2,  p (1 - p)/n)
///     p = Z_E/Z:  the share that E should have
///     z = (p - s)/(h^2 + Var[s])^(1/2),  h = p (1 - exp(-c r))/c,  r^2 = Var[Z_E]/Z_E^2 + Var[log Z]
///
/// W: the particles' normalised weights; e: families; n: effective families, 1/sum_e (sum_{i in e} W_i)^2; c: the limit
/// of z. The second term of Var[s] is what n families have by chance where none of them is in E. h is the error of p
/// for small r; for large r the limit is then passed where p exp(-c r), the least p that the errors allow, exceeds s.
/// Z_E is a lower bound of Z, so that z > c contradicts the run without any assumption. z < -c does not: draws
/// may have missed most of f in E.

#include "estimator/spot/half_mass.hpp"
#include "population/families.hpp"

#include <span>
#include <vector>

namespace pearlite::estimator {

/// The share of weighted particles that some ellipsoids hold.
struct SpotShares {
    std::vector<double> shares, variances; ///< s of each, and the variance by families
    std::vector<double> families_inside;   ///< effective ones behind s; 0 for s = 0
    double families = 0;                   ///< n
};

/// Collective, the same bits on any number of ranks. `log_weights`: of the particles here, not normalised; `inside`:
/// K x particles here, 1 where an ellipsoid holds a particle, else 0.
SpotShares spot_shares(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                       std::span<const double> log_weights, const population::Families& families, const Matrix& inside);

/// The shares of several independent runs together, which have these shares of all weight.
SpotShares combined(std::span<const SpotShares> runs, std::span<const double> shares_of_weight);

struct SpotComparison {
    enum class Says {
        nothing,   ///< E holds too little, the errors are large, or more was found than is wanted
        agreement, ///< within usual errors, which are small
        contradiction,
    };
    Says says = Says::nothing;
    bool is_compared = false;            ///< E holds enough, and Z_E is known well enough
    double share = 0, share_error = 0;   ///< s
    double wanted = 0, wanted_error = 0; ///< p, h
    double deviations = 0;               ///< z
};

/// Less of the mass, found and wanted, decides nothing.
inline constexpr double least_spot_share = 0.01;
/// A relative error of Z_E beyond which nothing is compared, and of the comparison beyond which nothing agrees.
inline constexpr double largest_spot_error = 0.3;
/// |z| up to which E agrees; between this and the contradiction the comparison says nothing.
inline constexpr double usual_difference = 2;

/// `variance`, `families`: of the share. `log_z_error`: standard error of log Z.
SpotComparison compare_spot(const SpotIntegral& integral, double share, double variance, double families, double log_z,
                            double log_z_error);

} // namespace pearlite::estimator
