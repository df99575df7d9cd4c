#include "estimator/evidence/ladder.hpp"

#include "estimator/evidence/bootstrap.hpp"
#include "parallel/reduction.hpp"

#include <fmt/format.h>

namespace pearlite::estimator {

namespace {

/// The weights with which means and variances of u at the temperatures add up to log Z.
struct Quadrature {
    std::vector<double> of_mean, of_variance;

    explicit Quadrature(std::size_t temperatures) : of_mean(temperatures), of_variance(temperatures) {}
    /// Trapezoids over every `stride`-th temperature, times `factor`; with Euler and Maclaurin's correction where
    /// dE[u]/db = Var[u].
    void add_trapezoids(const LadderFacts& facts, std::size_t stride, double factor) {
        for (std::size_t t = 0; t + stride < of_mean.size(); t += stride)
            add_interval(facts, t, stride, factor);
    }
    /// The trapezoid from temperature t on.
    void add_interval(const LadderFacts& facts, std::size_t t, std::size_t stride, double factor) {
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

bool extrapolates(const LadderFacts& facts) {
    return !facts.is_linear && facts.inverse_temperature.size() % 2 == 1;
}

/// The rule of Euler and Maclaurin, or Richardson's from steps h and 2h, or plain trapezoids.
Quadrature best_quadrature(const LadderFacts& facts) {
    Quadrature rule(facts.inverse_temperature.size());
    rule.add_trapezoids(facts, 1, extrapolates(facts) ? 4.0 / 3 : 1);
    if (extrapolates(facts))
        rule.add_trapezoids(facts, 2, -1.0 / 3);
    return rule;
}

Quadrature plain_quadrature(const LadderFacts& facts) {
    Quadrature rule(facts.inverse_temperature.size());
    rule.add_trapezoids(facts, 1, 1);
    return rule;
}

/// The corrected trapezoids of a linear path over two intervals at once; the last of an odd number stands alone.
Quadrature coarse_quadrature(const LadderFacts& facts) {
    Quadrature rule(facts.inverse_temperature.size());
    rule.add_trapezoids(facts, 2, 1);
    if (const std::size_t last = rule.of_mean.size() - 1; last % 2 != 0)
        rule.add_interval(facts, last - 1, 1, 1);
    return rule;
}

/// In nats, the largest curvature of an interval, by the means and variances of u at the temperatures: Euler and
/// Maclaurin's correction where dE[u]/db = Var[u], else a third of the change from a trapezoid over two intervals to
/// those over each of them (the last interval of an odd number is then without one). NaN counts as infinite.
double largest_curvature(const LadderFacts& facts, std::span<const double> means, std::span<const double> variances) {
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

/// The estimate with the jackknife's error over the systems.
Estimate jackknifed(const std::string& name, const LeaveOneOut& systems) {
    Estimate estimate{name, systems.value, {}, {}, "jackknife", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = "d log f_b/db is infinite somewhere on the path";
        return estimate;
    }
    const std::size_t replicas = systems.without.size();
    if (static_cast<Index>(replicas) < least_systems) {
        estimate.note = fmt::format("no error bar: {} independent systems, fewer than {}", replicas, least_systems);
        return estimate;
    }
    double mean = 0, square = 0;
    const auto r = static_cast<double>(replicas);
    for (const double value : systems.without)
        mean += value / r;
    for (const double value : systems.without)
        square += (value - mean) * (value - mean);
    const double error = std::sqrt(square * (r - 1) / r);
    const double t = student_quantile(r - 1, 0.975);
    estimate.standard_error = error;
    estimate.interval95 = Interval{estimate.value - t * error, estimate.value + t * error};
    return estimate;
}

/// Quadrature has an error that the jackknife cannot see: where the integrand jumps between temperatures, as along a
/// path that adds data points. Stepping stones have none, so an integral far from theirs carries no error bar, and is
/// refused where it is further off than an interval's curvature may be.
void withhold_if_apart(Estimate& integral, const Estimate& stones) {
    if (!integral.standard_error || !stones.standard_error)
        return;
    const double apart = std::abs(integral.value - stones.value);
    if (!(apart > significant_deviation * std::hypot(*integral.standard_error, *stones.standard_error)))
        return;
    if (apart > largest_trusted_curvature)
        return integral.refuse(fmt::format("it is {:.2g} nats away from the stepping stones, so its "
                                           "quadrature is too coarse; use more temperatures",
                                           apart));
    integral.standard_error.reset();
    integral.interval95.reset();
    integral.note += (integral.note.empty() ? "" : "; ");
    integral.note += "no error bar: it is far from the stepping stones, so its quadrature is too coarse";
}

/// Adds an error of the quadrature to the systems'. A rule of fourth order over steps h is off by a fifteenth of its
/// difference from the rule over steps 2h.
void add_discretisation(Estimate& integral, double coarse) {
    if (integral.standard_error.value_or(0) == 0)
        return;
    const double systems = *integral.standard_error, error = std::hypot(systems, (integral.value - coarse) / 15);
    const double half = (integral.interval95->high - integral.interval95->low) / 2 * (error / systems);
    integral.standard_error = error;
    integral.interval95 = Interval{integral.value - half, integral.value + half};
}

} // namespace

template <class Term>
LeaveOneOut Ladder::sum(const Term& term, bool value_alone) const {
    constexpr std::size_t at_once = 64; // an exact sum takes some 600 bytes: too many for all systems together
    LeaveOneOut all;
    const std::size_t R = systems();
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

Estimate stepping_stones(const Ladder& ladder) {
    const std::size_t last = ladder.facts().inverse_temperature.size() - 1;
    return jackknifed("stepping-stone",
                      ladder.sum([last](std::size_t t, const Rung& rung,
                                        std::size_t left_out) { return t < last ? rung.log_mean_ratio(left_out) : 0; },
                                 false));
}

Estimate thermodynamic_integral(const Ladder& ladder, std::span<const double> means, std::span<const double> variances,
                                const Estimate& stones) {
    const auto& facts = ladder.facts();
    const auto integral = [&ladder](const Quadrature& rule, bool value_alone) {
        return ladder.sum(
            [&rule](std::size_t t, const Rung& rung, std::size_t left_out) { return rule.at(t, rung, left_out); },
            value_alone);
    };
    auto estimate = jackknifed("thermodynamic-integration", integral(best_quadrature(facts), false));
    estimate.is_integral = true;
    const double plain = integral(plain_quadrature(facts), true).value;
    if (!std::isfinite(estimate.value))
        return estimate;
    if (refuse_if_curved(estimate, largest_curvature(facts, means, variances)))
        return estimate;
    if (!facts.is_linear)
        estimate.note +=
            (estimate.note.empty() ? "" : "; ") +
            (extrapolates(facts) ? fmt::format("extrapolated from steps h and 2h; plain trapezoids {:.4f}", plain)
                                 : "plain trapezoidal rule: its discretisation is not in the error bar");
    else if (facts.inverse_temperature.size() > 3)
        add_discretisation(estimate, integral(coarse_quadrature(facts), true).value);
    withhold_if_apart(estimate, stones);
    return estimate;
}

} // namespace pearlite::estimator
