// Bennett's acceptance ratio (Bennett 1976; Habeck 2017, eq. 14; Shirts, Bair, Hooker & Pande 2003 for its variance).
//
//   L = log Z;  a_j = log(n_f/n_r) + L + W_j;  q_j = 1/(1 + e^{a_j});  sum_j q_j = n_r over forward and reverse works
#include "estimator/plain/work.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace detail {

namespace {

constexpr Index packet = 16;

LogSums log_sums(const WorkSamples& works, double log_ratio) {
    std::vector<double> q, not_q;
    for (Index j = 0; j < works.finite.size(); ++j) {
        const double a = works.log_odds() + log_ratio + works.finite(j);
        q.push_back(-softplus(a));
        not_q.push_back(-softplus(-a));
    }
    return {log_sum_exp(q), log_sum_exp(not_q)};
}

} // namespace

double WorkSamples::log_odds() const {
    return std::log(n_forward / n_reverse);
}

WorkSamples work_samples(std::span<const double> forward, std::span<const double> reverse) {
    PEARLITE_EXPECTS(!forward.empty() && !reverse.empty());
    WorkSamples works;
    std::vector<double> finite;
    const auto take = [&](std::span<const double> values, double legal, double& n, double& n_infinite,
                          const char* name) {
        n = static_cast<double>(values.size());
        for (const double w : values) {
            if (std::isfinite(w))
                finite.push_back(w);
            else if (w == legal)
                n_infinite += 1;
            else
                throw NumericalError(std::string("a ") + name + " work is " + std::to_string(w));
        }
    };
    take(forward, infinity, works.n_forward, works.n_infinite_forward, "forward");
    take(reverse, -infinity, works.n_reverse, works.n_infinite_reverse, "reverse");
    if (!finite.empty()) {
        const auto ends = std::minmax_element(finite.begin(), finite.end());
        works.smallest = *ends.first;
        works.largest = *ends.second;
    }
    works.finite = Eigen::Map<const Vector>(finite.data(), static_cast<Index>(finite.size()));
    return works;
}

PosteriorSums posterior_sums(const WorkSamples& works, double log_ratio) {
    using Lanes = Eigen::Array<double, packet, 1>;
    constexpr double largest = 700; // exp stays finite
    const double shift = works.log_odds() + log_ratio;
    Lanes q_sum = Lanes::Zero(), not_q_sum = Lanes::Zero(), product_sum = Lanes::Zero();
    const Index n_packets = works.finite.size() / packet;
    for (Index p = 0; p < n_packets; ++p) {
        const Lanes a = (works.finite.segment<packet>(p * packet).array() + shift).min(largest).max(-largest);
        const Lanes e = a.exp();
        const Lanes q = 1 / (1 + e);
        q_sum += q;
        not_q_sum += e * q;
        product_sum += e * q * q;
    }
    PosteriorSums sums{q_sum.sum(), not_q_sum.sum(), product_sum.sum()};
    for (Index j = n_packets * packet; j < works.finite.size(); ++j) {
        const double e = std::exp(std::clamp(works.finite(j) + shift, -largest, largest));
        const double q = 1 / (1 + e);
        sums.q += q;
        sums.not_q += e * q;
        sums.q_not_q += e * q * q;
    }
    return sums;
}

double solve_bar(const WorkSamples& works) {
    BennettEquation equation{works.target(),
                             static_cast<double>(works.finite.size()) - works.target(),
                             works.smallest,
                             works.largest,
                             works.log_odds(),
                             {},
                             {}};
    equation.sums = [&](double log_ratio) { return posterior_sums(works, log_ratio); };
    equation.log_sums = [&](double log_ratio) { return log_sums(works, log_ratio); };
    return solve(equation);
}

} // namespace detail

namespace {

std::string infinite_note(double value) {
    return value < 0 ? "every forward work is infinite" : "every reverse work is infinite";
}

double variance_of(const detail::WorkSamples& works, double log_ratio) {
    const double effective = detail::posterior_sums(works, log_ratio).q_not_q;
    return effective > 0 ? std::max(0.0, 1 / effective - 1 / works.n_forward - 1 / works.n_reverse) : infinity;
}

} // namespace

Estimate bar(std::span<const double> forward, std::span<const double> reverse) {
    const auto works = detail::work_samples(forward, reverse);
    Estimate estimate{"bar", detail::solve_bar(works), {}, {}, "analytic", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = infinite_note(estimate.value);
        return estimate;
    }
    const double variance = variance_of(works, estimate.value);
    if (!std::isfinite(variance)) {
        estimate.note = "no error bar: the works do not meet";
        return estimate;
    }
    estimate.standard_error = std::sqrt(variance);
    estimate.interval95 = normal_interval(estimate.value, *estimate.standard_error);
    return estimate;
}

Estimate bar_bootstrap(std::span<const double> forward, std::span<const double> reverse, std::uint64_t seed,
                       int replicates) {
    const auto works = detail::work_samples(forward, reverse);
    Estimate estimate{"bar", detail::solve_bar(works), {}, {}, "bootstrap", ""};
    std::vector<double> values, f(forward.size()), r(reverse.size());
    for (int replicate = 0; replicate < replicates; ++replicate) {
        random::Stream stream({seed, random::Purpose::bootstrap, static_cast<std::uint64_t>(replicate), 1});
        for (double& w : f)
            w = forward[stream.index(forward.size())];
        for (double& w : r)
            w = reverse[stream.index(reverse.size())];
        values.push_back(detail::solve_bar(detail::work_samples(f, r)));
    }
    std::sort(values.begin(), values.end());
    if (!std::isfinite(estimate.value) || !std::isfinite(values.front()) || !std::isfinite(values.back())) {
        estimate.note = "no error bar: some bootstrap samples hold only infinite works";
        return estimate;
    }
    double mean = 0, square = 0;
    for (const double v : values)
        mean += v / static_cast<double>(values.size());
    for (const double v : values)
        square += (v - mean) * (v - mean);
    const auto percentile = [&](double p) {
        return values[static_cast<std::size_t>(std::lround(p * static_cast<double>(values.size() - 1)))];
    };
    estimate.standard_error = std::sqrt(square / static_cast<double>(values.size() - 1));
    estimate.interval95 = Interval{percentile(0.025), percentile(0.975)};
    return estimate;
}

WorkOverlap work_overlap(std::span<const double> forward, std::span<const double> reverse) {
    const auto works = detail::work_samples(forward, reverse);
    const double log_ratio = detail::solve_bar(works);
    WorkOverlap overlap;
    const double smallest_forward = *std::min_element(forward.begin(), forward.end());
    const double largest_reverse = *std::max_element(reverse.begin(), reverse.end());
    for (const double w : forward)
        overlap.crossing_forward += w < largest_reverse ? 1 : 0;
    for (const double w : reverse)
        overlap.crossing_reverse += w > smallest_forward ? 1 : 0;
    if (!std::isfinite(log_ratio))
        return overlap;
    overlap.effective = detail::posterior_sums(works, log_ratio).q_not_q;
    // Both densities on all works by the histogram weights: p_f ~ 1/(n_f + n_r e^{-W}/Z), p_r = p_f e^{-W}/Z.
    double shared = 0, forward_mass = 0;
    for (Index j = 0; j < works.finite.size(); ++j) {
        const double a = works.log_odds() + log_ratio + works.finite(j);
        const double p_forward = logistic(a) / works.n_forward, p_reverse = logistic(-a) / works.n_reverse;
        shared += std::min(p_forward, p_reverse);
        forward_mass += p_forward;
    }
    overlap.coefficient = forward_mass > 0 ? std::min(1.0, shared) : 0;
    return overlap;
}

} // namespace pearlite::estimator
