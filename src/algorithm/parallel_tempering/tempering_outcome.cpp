#include "algorithm/parallel_tempering/tempering_outcome.hpp"

#include "core/log_space.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pearlite::algorithm {

namespace {

constexpr Index least_replicas = 8;
constexpr double significant = 4;
constexpr double few_round_trips = 10; ///< of a system
constexpr double low_acceptance = 0.05;

/// Sums of one temperature over systems, from which one system can be taken away.
class Ladder {
  public:
    Ladder(const TemperingSums& sums, const TemperingFacts& facts) : sums_(sums), facts_(facts) {
        const auto T = facts.inverse_temperature.size();
        u_.assign(T, 0);
        u_square_.assign(T, 0);
        ratio_.assign(T, 0);
        shift_.assign(T, log_zero);
        for (std::size_t t = 0; t < T; ++t) {
            for (std::size_t i = 0; i < replicas(); ++i)
                shift_[t] = std::max(shift_[t], sums.ratio_shift[at(t, i)]);
            for (std::size_t i = 0; i < replicas(); ++i) {
                u_[t] += sums.u[at(t, i)];
                u_square_[t] += sums.u_square[at(t, i)];
                ratio_[t] += ratio(t, i);
            }
        }
    }

    std::size_t temperatures() const { return u_.size(); }
    std::size_t replicas() const { return static_cast<std::size_t>(facts_.replicas); }

    /// Without system `left_out`, if that is one.
    double stepping_stone(std::size_t left_out) const {
        double log_ratio = 0;
        for (std::size_t t = 0; t + 1 < temperatures(); ++t) {
            const double sum = ratio_[t] - (left_out < replicas() ? ratio(t, left_out) : 0);
            log_ratio += shift_[t] + std::log(std::max(sum, 0.0) / count(left_out));
        }
        return log_ratio;
    }

    double mean(std::size_t t, std::size_t left_out) const {
        return (u_[t] - (left_out < replicas() ? sums_.u[at(t, left_out)] : 0)) / count(left_out);
    }
    double variance(std::size_t t, std::size_t left_out) const {
        const double square =
            (u_square_[t] - (left_out < replicas() ? sums_.u_square[at(t, left_out)] : 0)) / count(left_out);
        const double m = mean(t, left_out);
        return square - m * m;
    }

    /// Trapezoids; with Euler and Maclaurin's correction where dE[u]/db = Var[u], else extrapolated (Richardson) from
    /// those over every second temperature, if there is an even number of steps.
    double thermodynamic_integration(std::size_t left_out) const {
        const double plain = trapezoids(left_out, 1);
        return facts_.is_linear || !extrapolates() ? plain : plain + (plain - trapezoids(left_out, 2)) / 3;
    }
    bool extrapolates() const { return temperatures() % 2 == 1; }
    double trapezoids(std::size_t left_out, std::size_t stride) const {
        double log_ratio = 0;
        for (std::size_t t = 0; t + stride < temperatures(); t += stride) {
            const double width = facts_.inverse_temperature[t + stride] - facts_.inverse_temperature[t];
            log_ratio += width * (mean(t, left_out) + mean(t + stride, left_out)) / 2;
            if (facts_.is_linear)
                log_ratio -= width * width * (variance(t + stride, left_out) - variance(t, left_out)) / 12;
        }
        return log_ratio;
    }

  private:
    std::size_t at(std::size_t t, std::size_t i) const { return t * replicas() + i; }
    double ratio(std::size_t t, std::size_t i) const {
        return sums_.ratio[at(t, i)] * std::exp(sums_.ratio_shift[at(t, i)] - shift_[t]);
    }
    double count(std::size_t left_out) const {
        return static_cast<double>(facts_.kept_scans) *
               static_cast<double>(replicas() - (left_out < replicas() ? 1 : 0));
    }

    const TemperingSums& sums_;
    const TemperingFacts& facts_;
    std::vector<double> u_, u_square_, ratio_, shift_;
};

/// value(left_out) without one system, or with all of them for left_out = R.
estimator::Estimate jackknifed(const std::string& name, std::size_t replicas,
                               const std::function<double(std::size_t left_out)>& value) {
    estimator::Estimate estimate{name, value(replicas), {}, {}, "jackknife", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = "d log f_b/db is infinite somewhere on the path";
        return estimate;
    }
    if (static_cast<Index>(replicas) < least_replicas) {
        estimate.note = fmt::format("no error bar: {} independent systems, fewer than {}", replicas, least_replicas);
        return estimate;
    }
    std::vector<double> values;
    double mean = 0, square = 0;
    const auto r = static_cast<double>(replicas);
    for (std::size_t i = 0; i < replicas; ++i) {
        values.push_back(value(i));
        mean += values.back() / r;
    }
    for (const double v : values)
        square += (v - mean) * (v - mean);
    const double error = std::sqrt(square * (r - 1) / r);
    const double t = boost::math::quantile(boost::math::students_t(r - 1), 0.975);
    estimate.standard_error = error;
    estimate.interval95 = estimator::Interval{estimate.value - t * error, estimate.value + t * error};
    return estimate;
}

std::vector<double> acceptance(const TemperingSums& sums, const TemperingFacts& facts) {
    std::vector<double> rates;
    const auto R = static_cast<std::size_t>(facts.replicas);
    for (std::size_t t = 0; t + 1 < facts.inverse_temperature.size(); ++t) {
        double sum = 0;
        for (std::size_t i = 0; i < R; ++i)
            sum += sums.swaps[t * R + i];
        const auto n = due_scans(static_cast<Index>(t), facts.scans - facts.kept_scans, facts.scans);
        rates.push_back(n > 0 ? sum / static_cast<double>(n * facts.replicas) : 0);
    }
    return rates;
}

/// The largest difference of mean u between the halves of the kept scans, in standard errors; over all temperatures.
double drift(const TemperingSums& sums, const TemperingFacts& facts) {
    const auto R = static_cast<std::size_t>(facts.replicas);
    const auto first_n = static_cast<double>(facts.first_half_scans);
    const auto second_n = static_cast<double>(facts.kept_scans) - first_n;
    double worst = 0;
    for (std::size_t t = 0; t < facts.inverse_temperature.size(); ++t) {
        double mean = 0, square = 0;
        std::vector<double> change;
        for (std::size_t i = t * R; i < (t + 1) * R; ++i) {
            change.push_back((sums.u[i] - sums.u_first_half[i]) / second_n - sums.u_first_half[i] / first_n);
            mean += change.back() / static_cast<double>(R);
        }
        for (const double c : change)
            square += (c - mean) * (c - mean);
        const double error = std::sqrt(square / static_cast<double>(R * (R - 1)));
        if (error > 0)
            worst = std::max(worst, std::abs(mean) / error);
    }
    return worst;
}

double round_trips_of_a_system(const TemperingSums& sums, const TemperingFacts& facts) {
    double trips = 0;
    for (const auto tag : sums.tags)
        trips += static_cast<double>(ReplicaTag::round_trips(tag));
    return trips / static_cast<double>(facts.replicas);
}

} // namespace

Outcome tempering_outcome(const TemperingSums& sums, const TemperingFacts& facts) {
    const Ladder ladder(sums, facts);
    const auto R = ladder.replicas();
    Outcome outcome;
    outcome.log_ratio.push_back(
        jackknifed("stepping-stone", R, [&](std::size_t left_out) { return ladder.stepping_stone(left_out); }));
    outcome.log_ratio.push_back(jackknifed("thermodynamic-integration", R, [&](std::size_t left_out) {
        return ladder.thermodynamic_integration(left_out);
    }));
    if (auto& estimate = outcome.log_ratio.back(); !facts.is_linear && std::isfinite(estimate.value))
        estimate.note +=
            (estimate.note.empty() ? "" : "; ") +
            (ladder.extrapolates()
                 ? fmt::format("extrapolated from steps h and 2h; plain trapezoids {:.4f}", ladder.trapezoids(R, 1))
                 : "plain trapezoidal rule: its discretisation is not in the error bar");

    const auto rates = acceptance(sums, facts);
    double barrier = 0, smallest = 1;
    for (const double rate : rates) {
        barrier += 1 - rate;
        smallest = std::min(smallest, rate);
    }
    const double trips = round_trips_of_a_system(sums, facts);
    outcome.diagnostics = {{"round_trips_per_system", trips, {}},
                           {"communication_barrier", barrier, {}},
                           {"smallest_swap_acceptance", smallest, {}}};
    if (smallest < low_acceptance)
        outcome.warnings.push_back(
            fmt::format("a pair of neighbouring temperatures exchanges at a rate of {:.3f} only: use "
                        "more temperatures there",
                        smallest));
    if (trips < few_round_trips)
        outcome.warnings.push_back(fmt::format(
            "{:.1f} round trips of a system between the ends of the ladder: more scans are needed to trust it", trips));
    if (R >= least_replicas && facts.first_half_scans >= 2) {
        const double worst = drift(sums, facts);
        // The largest of many temperatures: they are correlated, and 4 + log2 T / 2 leaves room for all.
        const double limit = significant + 0.5 * std::log2(static_cast<double>(facts.inverse_temperature.size()));
        outcome.diagnostics.push_back({"largest_drift", worst, {}});
        if (worst > limit) {
            for (auto& estimate : outcome.log_ratio) {
                estimate.standard_error.reset();
                estimate.interval95.reset();
                estimate.note = "no error bar: the systems are not in equilibrium";
            }
            outcome.warnings.push_back(
                fmt::format("mean energies of the two halves of the scans differ by {:.1f} standard "
                            "errors: the burn-in was too short",
                            worst));
        }
    }
    outcome.arrays = tempering_arrays(sums, facts);
    return outcome;
}

std::vector<NamedArray> tempering_arrays(const TemperingSums& sums, const TemperingFacts& facts) {
    std::vector<NamedArray> arrays{{"tempering/inverse_temperature", facts.inverse_temperature},
                                   {"tempering/swap_acceptance", {}},
                                   {"tempering/mean_u", {}},
                                   {"tempering/variance_u", {}},
                                   {"tempering/mean_u_standard_error", {}}};
    if (sums.u.empty())
        return arrays;
    const Ladder ladder(sums, facts);
    const auto R = ladder.replicas();
    arrays[1].values = acceptance(sums, facts);
    for (std::size_t t = 0; t < ladder.temperatures(); ++t) {
        const double mean = ladder.mean(t, R);
        double square = 0;
        for (std::size_t i = 0; i < R; ++i)
            square += std::pow(sums.u[t * R + i] / static_cast<double>(facts.kept_scans) - mean, 2);
        arrays[2].values.push_back(mean);
        arrays[3].values.push_back(std::max(0.0, ladder.variance(t, R)));
        arrays[4].values.push_back(R > 1 ? std::sqrt(square / static_cast<double>(R * (R - 1))) : 0);
    }
    return arrays;
}

} // namespace pearlite::algorithm
