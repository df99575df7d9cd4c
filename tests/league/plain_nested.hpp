#pragma once
/// A plain nested sampler (Skilling 2006), to stand beside the algorithms of the league table.
///
///     n = 500 live points; again and again the worst, of likelihood l, gives way to a copy of another after 25 steps
///     of a random walk in the prior where the likelihood exceeds l; the prior mass within shrinks by e^(-1/n)
///
/// Its steps have the live points' standard deviations, times a factor that holds acceptance near 0.3. The error is
/// sqrt(H/n), H the information of the posterior. It ends where the live points hold a thousandth of Z.

#include "dual.hpp"
#include "pearlite/core/types.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace pearlite::league {

struct NestedEstimate {
    double log_z = 0, error = 0, seconds = 0;
};

template <class D>
NestedEstimate plain_nested(const D& density, std::uint64_t seed) {
    constexpr int live = 500, steps = 25;
    constexpr double rest = 1e-3, wanted_acceptance = 0.3;
    const auto begin = std::chrono::steady_clock::now();
    const auto d = static_cast<Index>(density.parameter_names().size());
    random::Stream stream({random::Seed(seed), random::Purpose::test, 0, 0});
    const auto as_span = [&](Vector& x) { return std::span<double>(x.data(), static_cast<std::size_t>(d)); };
    std::vector<Vector> points(live, Vector(d));
    std::vector<double> log_l(live), log_p(live);
    for (std::size_t i = 0; i < live; ++i) {
        density.draw_prior(stream, as_span(points[i]));
        log_l[i] = density.log_likelihood(as_span(points[i]));
        log_p[i] = density.log_prior(as_span(points[i]));
    }
    double log_z = -std::numeric_limits<double>::infinity(), moment = 0, factor = 1; // moment: sum of w log L/Z
    Vector sd = Vector::Ones(d);
    const auto add = [&](double log_weight, double l) {
        if (log_weight == -std::numeric_limits<double>::infinity())
            return;
        const double now = log_add(log_z, log_weight);
        moment = std::exp(log_z - now) * moment + std::exp(log_weight - now) * l;
        log_z = now;
    };
    const double log_shell = std::log(-std::expm1(-1.0 / live));
    for (int t = 0;; ++t) {
        const double log_mass = -static_cast<double>(t) / live;
        const auto worst = static_cast<std::size_t>(std::ranges::min_element(log_l) - log_l.begin());
        if (*std::ranges::max_element(log_l) + log_mass < log_z + std::log(rest)) {
            for (const double l : log_l)
                add(l + log_mass - std::log(live), l);
            break;
        }
        const double least = log_l[worst];
        add(least + log_mass + log_shell, least);
        if (t % live == 0) {
            Vector sum = Vector::Zero(d), squares = Vector::Zero(d);
            for (const auto& x : points) {
                sum += x / live;
                squares += x.cwiseProduct(x) / live;
            }
            sd = (squares - sum.cwiseProduct(sum)).cwiseMax(1e-300).cwiseSqrt();
        }
        auto from = static_cast<std::size_t>(stream.index(live - 1));
        from += from >= worst ? 1 : 0;
        Vector x = points[from];
        double l = log_l[from], p = log_p[from];
        int accepted = 0;
        for (int step = 0; step < steps; ++step) {
            Vector y = x;
            for (Index k = 0; k < d; ++k)
                y(k) += factor * sd(k) / std::sqrt(static_cast<double>(d)) * stream.normal();
            const double new_p = density.log_prior(as_span(y));
            if (std::log(stream.uniform()) >= new_p - p)
                continue;
            if (const double new_l = density.log_likelihood(as_span(y)); new_l > least) {
                x = y;
                l = new_l;
                p = new_p;
                ++accepted;
            }
        }
        factor *= std::exp((static_cast<double>(accepted) / steps - wanted_acceptance) / 20);
        points[worst] = x;
        log_l[worst] = l;
        log_p[worst] = p;
    }
    const double information = std::max(moment - log_z, 0.0);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    return {log_z, std::sqrt(information / live), seconds.count()};
}

} // namespace pearlite::league
