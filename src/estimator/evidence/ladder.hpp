#pragma once
/// Evidence from a ladder of temperatures, at each of which independent systems are in equilibrium: stepping stones and
/// thermodynamic integration.

#include "estimator/evidence/estimate.hpp"
#include "parallel/communicator.hpp"
#include "parallel/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace pearlite::estimator {

/// Fewer systems give no error bar.
inline constexpr Index least_systems = 8;
/// In standard errors.
inline constexpr double significant_deviation = 4;

/// Sums over the measurements of the systems i = 0..R-1 at the temperatures t that a rank holds: element t R + i.
/// u = d log f_b/db at b_t; sum exp(x - shift) of x = log f_{t+1} - log f_t at x ~ p_t, with its shift.
struct LadderSums {
    std::span<const double> u, u_square, ratio, ratio_shift;
};

struct LadderFacts {
    std::vector<double> inverse_temperature; ///< T
    Index systems = 0;                       ///< R
    Index measurements = 0;                  ///< of each system at each temperature
    bool is_linear = false;                  ///< dE[u]/db = Var[u]
};

/// The results of the systems at one temperature; `left_out` names a system to leave out, R for none.
class Rung {
  public:
    Rung(const LadderSums& sums, std::size_t first, const LadderFacts& facts)
        : u_(of(sums.u, first, facts)),
          u_square_(of(sums.u_square, first, facts)),
          ratio_(of(sums.ratio, first, facts)),
          ratio_shift_(of(sums.ratio_shift, first, facts)),
          measurements_(static_cast<double>(facts.measurements)),
          shift_(*std::ranges::max_element(ratio_shift_)) {
        for (std::size_t i = 0; i < u_.size(); ++i) {
            sum_u_ += u_[i];
            sum_square_ += u_square_[i];
            sum_ratio_ += ratio(i);
        }
    }

    std::size_t systems() const { return u_.size(); }
    double mean(std::size_t left_out) const { return (sum_u_ - (is_one(left_out) ? u_[left_out] : 0)) / n(left_out); }
    double variance(std::size_t left_out) const {
        const double square = (sum_square_ - (is_one(left_out) ? u_square_[left_out] : 0)) / n(left_out);
        const double m = mean(left_out);
        return square - m * m;
    }
    /// log mean f_{t+1}/f_t.
    double log_mean_ratio(std::size_t left_out) const {
        return shift_ + std::log(std::max(sum_ratio_ - (is_one(left_out) ? ratio(left_out) : 0), 0.0) / n(left_out));
    }
    /// The standard error of the mean; 0 for one system.
    double standard_error() const {
        const auto r = static_cast<double>(systems());
        double square = 0;
        for (const double sum : u_)
            square += std::pow(sum / measurements_ - mean(systems()), 2);
        return r > 1 ? std::sqrt(square / (r * (r - 1))) : 0;
    }

  private:
    static std::span<const double> of(std::span<const double> sums, std::size_t first, const LadderFacts& facts) {
        return sums.subspan(first, static_cast<std::size_t>(facts.systems));
    }
    bool is_one(std::size_t i) const { return i < systems(); }
    double ratio(std::size_t i) const { return ratio_[i] * std::exp(ratio_shift_[i] - shift_); }
    double n(std::size_t left_out) const {
        return measurements_ * static_cast<double>(systems() - (is_one(left_out) ? 1 : 0));
    }

    std::span<const double> u_, u_square_, ratio_, ratio_shift_;
    double measurements_, shift_, sum_u_ = 0, sum_square_ = 0, sum_ratio_ = 0;
};

/// An estimate from all systems, and the estimates that leave one system out.
struct LeaveOneOut {
    double value = 0;
    std::vector<double> without;
};

/// The temperatures that this rank holds.
class Ladder {
  public:
    Ladder(const parallel::Communicator& ranks, const LadderSums& sums, const parallel::BlockLayout& layout,
           const LadderFacts& facts)
        : ranks_(ranks), facts_(facts), first_(static_cast<std::size_t>(layout.first_local_block())) {
        for (std::size_t first = 0; first < sums.u.size(); first += systems())
            rungs_.emplace_back(sums, first, facts);
    }

    std::size_t systems() const { return static_cast<std::size_t>(facts_.systems); }

    /// Collective. The sum of term(t, rung, left out) over all temperatures, the same to the last bit on any number of
    /// ranks; with `value_alone` only the sum with no system left out.
    template <class Term>
    LeaveOneOut sum(const Term& term, bool value_alone) const;

    const parallel::Communicator& ranks() const { return ranks_; }
    const LadderFacts& facts() const { return facts_; }
    const std::vector<Rung>& rungs() const { return rungs_; }

  private:
    const parallel::Communicator& ranks_;
    const LadderFacts& facts_;
    std::size_t first_; ///< the temperature of rungs_[0]
    std::vector<Rung> rungs_;
};

/// Collective. Stepping stones (Xie et al. 2011): sum_t log mean f_{t+1}/f_t over p_t, with the jackknife's error over
/// the systems; none for fewer than 8.
Estimate stepping_stones(const Ladder& ladder);

/// Collective. Thermodynamic integration: trapezoids, with Euler and Maclaurin's correction by Var[u] where the path is
/// linear; else extrapolated from the ladder and every second of its temperatures, if it has an even number of steps.
/// `means` and `variances` are those of u at all temperatures. Refused where the curvature of one interval exceeds half
/// a nat, or where the value lies more than half a nat and 4 joint errors from the stepping stones; 4 joint errors
/// alone cost it its error bar.
Estimate thermodynamic_integral(const Ladder& ladder, std::span<const double> means, std::span<const double> variances,
                                const Estimate& stones);

} // namespace pearlite::estimator
