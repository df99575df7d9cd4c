#pragma once
/// Data sets of mixed logistic regressions, made by a stated seed, and the plain formulas for one subject.

#include "core/log_space.hpp"
#include "models/mixed_logistic/mixed_logistic.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <numbers>

namespace pearlite::models::testing {

/// n_subjects subjects of 1 to most_rows rows; covariates: ones, a treatment of the subject and a time; the first q of
/// them have random effects. Responses from coefficients (-1, 0.5, -0.3) and deviations of 2, 0.5, ...
inline MixedLogisticSettings mixed_case(Index n_subjects, Index most_rows, Index q, std::uint64_t seed) {
    random::Stream stream({seed, random::Purpose::synthetic_data, 0, 0});
    std::vector<std::array<double, 4>> rows; // treatment, time, response, subject
    for (Index s = 0; s < n_subjects; ++s) {
        const double treatment = stream.bernoulli(0.5) ? 1 : 0;
        const double intercept = 2 * stream.normal(), slope = 0.5 * stream.normal(), other = 0.5 * stream.normal();
        const auto n = static_cast<Index>(stream.index(static_cast<std::uint64_t>(most_rows))) + 1;
        for (Index j = 0; j < n; ++j) {
            const double time = static_cast<double>(j) + 0.3 * stream.uniform();
            const double eta = -1 + 0.5 * treatment - 0.3 * time + intercept + (q > 1 ? slope * time : 0) +
                               (q > 2 ? other * treatment : 0);
            rows.push_back({treatment, time, stream.bernoulli(logistic(eta)) ? 1.0 : 0.0, static_cast<double>(s)});
        }
    }
    MixedLogisticSettings settings;
    const auto n = static_cast<Index>(rows.size());
    settings.design.resize(n, 3);
    settings.response.resize(n);
    for (Index j = 0; j < n; ++j) {
        const auto& row = rows[static_cast<std::size_t>(j)];
        settings.design.row(j) << 1, row[1], row[0];
        settings.response(j) = row[2];
        settings.subject.push_back(static_cast<Index>(row[3]));
    }
    settings.effects_design = settings.design.leftCols(q);
    settings.names = {"intercept", "time", "treatment"};
    settings.effect_names.assign(settings.names.begin(), settings.names.begin() + static_cast<std::ptrdiff_t>(q));
    return settings;
}

inline std::vector<Index> rows_of(const MixedLogisticSettings& s, Index subject) {
    std::vector<Index> rows;
    for (std::size_t j = 0; j < s.subject.size(); ++j)
        if (s.subject[j] == subject)
            rows.push_back(static_cast<Index>(j));
    return rows;
}

/// log of N(v; 0, 1) times the likelihood of a subject's rows, effects b = scale v with one effect.
inline double plain_log_integrand(const MixedLogisticSettings& s, const std::vector<Index>& rows, const Vector& beta,
                                  double scale, double v) {
    double sum = -0.5 * v * v - 0.5 * std::log(2 * std::numbers::pi);
    for (const Index j : rows) {
        const double eta = s.design.row(j).dot(beta) + s.effects_design(j, 0) * scale * v;
        sum -= s.response(j) == 1 ? softplus(-eta) : softplus(eta);
    }
    return sum;
}

/// Where it is largest, by golden section in a bracket that holds it.
inline double plain_mode(const auto& log_f) {
    double a = -60, b = 60;
    const double ratio = 0.5 * (std::sqrt(5.0) - 1);
    for (int step = 0; step < 90; ++step) {
        const double c = b - ratio * (b - a), d = a + ratio * (b - a);
        (log_f(c) > log_f(d) ? b : a) = log_f(c) > log_f(d) ? d : c;
    }
    return 0.5 * (a + b);
}

/// log of the integral, by an adaptive rule that knows nothing of modes beyond where to cut the line.
inline double plain_log_integral(const auto& log_f) {
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    const double mode = plain_mode(log_f), height = log_f(mode);
    const auto f = [&](double v) { return std::exp(log_f(v) - height); };
    const double below = Rule::integrate(f, mode - 14, mode, 15, 1e-14);
    return height + std::log(below + Rule::integrate(f, mode, mode + 14, 15, 1e-14));
}

} // namespace pearlite::models::testing
