#pragma once
/// The ladder of temperatures as parallel tempering's estimates see it: at each temperature the results of all systems,
/// or of all systems but one.

#include "algorithm/parallel_tempering/tempering_sums.hpp"
#include "core/exact_sum.hpp"
#include "parallel/layout.hpp"
#include "parallel/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The facts that the estimates need besides the sums.
struct TemperingFacts {
    std::vector<double> inverse_temperature; ///< T
    Index replicas = 0;                      ///< R
    Index kept_scans = 0;
    Index first_half_scans = 0; ///< of the kept scans
    Index scans = 0;            ///< burn-in included
    bool is_linear = false;     ///< dE[u]/db = Var[u]
};

/// The results of the systems at one temperature; `left_out` names a system to leave out, R for none.
class Rung {
  public:
    Rung(const TemperingSums& sums, std::size_t first, const TemperingFacts& facts)
        : u_(of(sums.u, first, facts)),
          u_square_(of(sums.u_square, first, facts)),
          ratio_(of(sums.ratio, first, facts)),
          ratio_shift_(of(sums.ratio_shift, first, facts)),
          kept_scans_(static_cast<double>(facts.kept_scans)),
          shift_(*std::ranges::max_element(ratio_shift_)) {
        for (std::size_t i = 0; i < u_.size(); ++i) {
            sum_u_ += u_[i];
            sum_square_ += u_square_[i];
            sum_ratio_ += ratio(i);
        }
    }

    std::size_t replicas() const { return u_.size(); }
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
        const auto r = static_cast<double>(replicas());
        double square = 0;
        for (const double sum : u_)
            square += std::pow(sum / kept_scans_ - mean(replicas()), 2);
        return r > 1 ? std::sqrt(square / (r * (r - 1))) : 0;
    }

  private:
    static std::span<const double> of(const std::vector<double>& sums, std::size_t first, const TemperingFacts& facts) {
        return std::span(sums).subspan(first, static_cast<std::size_t>(facts.replicas));
    }
    bool is_one(std::size_t i) const { return i < replicas(); }
    double ratio(std::size_t i) const { return ratio_[i] * std::exp(ratio_shift_[i] - shift_); }
    double n(std::size_t left_out) const {
        return kept_scans_ * static_cast<double>(replicas() - (is_one(left_out) ? 1 : 0));
    }

    std::span<const double> u_, u_square_, ratio_, ratio_shift_;
    double kept_scans_, shift_, sum_u_ = 0, sum_square_ = 0, sum_ratio_ = 0;
};

/// The weights with which means and variances of u at the temperatures add up to log Z.
struct Quadrature {
    std::vector<double> of_mean, of_variance;

    explicit Quadrature(std::size_t temperatures) : of_mean(temperatures), of_variance(temperatures) {}
    /// Trapezoids over every `stride`-th temperature, times `factor`; with Euler and Maclaurin's correction where
    /// dE[u]/db = Var[u].
    void add_trapezoids(const TemperingFacts& facts, std::size_t stride, double factor) {
        for (std::size_t t = 0; t + stride < of_mean.size(); t += stride)
            add_interval(facts, t, stride, factor);
    }
    /// The trapezoid from temperature t on.
    void add_interval(const TemperingFacts& facts, std::size_t t, std::size_t stride, double factor) {
        const double width = facts.inverse_temperature[t + stride] - facts.inverse_temperature[t];
        for (const std::size_t end : {t, t + stride})
            of_mean[end] += factor * width / 2;
        if (facts.is_linear) {
            of_variance[t] += factor * width * width / 12;
            of_variance[t + stride] -= factor * width * width / 12;
        }
    }
    double at(std::size_t t, const Rung& rung, std::size_t left_out) const {
        const double variance = of_variance[t] != 0 ? of_variance[t] * rung.variance(left_out) : 0;
        return of_mean[t] * rung.mean(left_out) + variance;
    }
};

inline bool extrapolates(const TemperingFacts& facts) {
    return !facts.is_linear && facts.inverse_temperature.size() % 2 == 1;
}

/// The rule of Euler and Maclaurin, or Richardson's from steps h and 2h, or plain trapezoids.
inline Quadrature best_quadrature(const TemperingFacts& facts) {
    Quadrature rule(facts.inverse_temperature.size());
    rule.add_trapezoids(facts, 1, extrapolates(facts) ? 4.0 / 3 : 1);
    if (extrapolates(facts))
        rule.add_trapezoids(facts, 2, -1.0 / 3);
    return rule;
}

inline Quadrature plain_quadrature(const TemperingFacts& facts) {
    Quadrature rule(facts.inverse_temperature.size());
    rule.add_trapezoids(facts, 1, 1);
    return rule;
}

/// The corrected trapezoids of a linear path over two intervals at once; the last of an odd number stands alone.
inline Quadrature coarse_quadrature(const TemperingFacts& facts) {
    Quadrature rule(facts.inverse_temperature.size());
    rule.add_trapezoids(facts, 2, 1);
    if (const std::size_t last = rule.of_mean.size() - 1; last % 2 != 0)
        rule.add_interval(facts, last - 1, 1, 1);
    return rule;
}

/// In nats, the largest curvature of an interval, by the means and variances of u at the temperatures: Euler and
/// Maclaurin's correction where dE[u]/db = Var[u], else a third of the change from a trapezoid over two intervals to
/// those over each of them (the last interval of an odd number is then without one). NaN counts as infinite.
inline double largest_curvature(const TemperingFacts& facts, std::span<const double> means,
                                std::span<const double> variances) {
    const auto& b = facts.inverse_temperature;
    double largest = 0;
    const auto take = [&](double curvature) {
        largest = std::isfinite(curvature) ? std::max(largest, std::abs(curvature)) : infinity;
    };
    if (facts.is_linear)
        for (std::size_t t = 0; t + 1 < b.size() && largest < infinity; ++t)
            take(std::pow(b[t + 1] - b[t], 2) / 12 * (variances[t + 1] - variances[t]));
    else
        for (std::size_t t = 0; t + 2 < b.size() && largest < infinity; t += 2) {
            const double fine = (b[t + 1] - b[t]) * (means[t] + means[t + 1]) / 2 +
                                (b[t + 2] - b[t + 1]) * (means[t + 1] + means[t + 2]) / 2;
            take((fine - (b[t + 2] - b[t]) * (means[t] + means[t + 2]) / 2) / 3);
        }
    return largest;
}

/// An estimate from all systems, and the estimates that leave one system out.
struct LeaveOneOut {
    double value = 0;
    std::vector<double> without;
};

/// The temperatures that this rank holds.
class Ladder {
  public:
    Ladder(const parallel::Communicator& ranks, const TemperingSums& sums, const parallel::BlockLayout& layout,
           const TemperingFacts& facts)
        : ranks_(ranks), facts_(facts), first_(static_cast<std::size_t>(layout.first_local_block())) {
        for (std::size_t first = 0; first < sums.u.size(); first += replicas())
            rungs_.emplace_back(sums, first, facts);
    }

    std::size_t replicas() const { return static_cast<std::size_t>(facts_.replicas); }

    /// Collective. The sum of term(t, rung, left out) over all temperatures, the same to the last bit on any number of
    /// ranks; with `value_alone` only the sum with no system left out.
    template <class Term>
    LeaveOneOut sum(Term&& term, bool value_alone) const {
        constexpr std::size_t at_once = 64; // an exact sum takes some 600 bytes: too many for all systems together
        LeaveOneOut all;
        const std::size_t R = replicas();
        for (std::size_t first = value_alone ? R : 0; first <= R; first += at_once) {
            std::vector<ExactSum> sums(std::min(at_once, R + 1 - first));
            for (std::size_t k = 0; k < rungs_.size(); ++k)
                for (std::size_t i = 0; i < sums.size(); ++i)
                    sums[i].add(term(first_ + k, rungs_[k], first + i));
            parallel::exact_sum(ranks_, std::span(sums));
            for (const auto& one : sums)
                all.without.push_back(one.value());
        }
        all.value = all.without.back();
        all.without.pop_back();
        return all;
    }

    LeaveOneOut stepping_stones() const {
        const std::size_t last = facts_.inverse_temperature.size() - 1;
        return sum([last](std::size_t t, const Rung& rung,
                          std::size_t left_out) { return t < last ? rung.log_mean_ratio(left_out) : 0; },
                   false);
    }
    LeaveOneOut integral(const Quadrature& rule, bool value_alone) const {
        return sum(
            [&rule](std::size_t t, const Rung& rung, std::size_t left_out) { return rule.at(t, rung, left_out); },
            value_alone);
    }

    const std::vector<Rung>& rungs() const { return rungs_; }

  private:
    const parallel::Communicator& ranks_;
    const TemperingFacts& facts_;
    std::size_t first_; ///< the temperature of rungs_[0]
    std::vector<Rung> rungs_;
};

} // namespace pearlite::algorithm
