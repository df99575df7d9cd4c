#pragma once
/// Moments of small RBMs by enumeration of both layers, and knots of a path of averaged moments that have them exactly.

#include "models/rbm_oracle.hpp"

#include "models/rbm/moments/rbm_family.hpp"
#include "support/decompositions.hpp"

#include <cmath>
#include <memory>
#include <vector>

namespace pearlite::models::rbm_oracle {

/// E[s] and Cov[s] of the member eta, s = (v h', v, h) in the order of the family, for the units that there are.
struct Moments {
    Vector mean;
    Matrix covariance;
};

inline std::vector<Vector> statistics_of_all_states(Index n_visible, Index n_hidden) {
    const Index stride = padded(n_hidden + 1);
    std::vector<Vector> all;
    for (std::uint64_t i = 0; i < std::uint64_t{1} << n_visible; ++i)
        for (std::uint64_t j = 0; j < std::uint64_t{1} << n_hidden; ++j) {
            const Vector v = state_of_number(i, n_visible), h = state_of_number(j, n_hidden);
            Vector s = Vector::Zero((n_visible + 1) * stride);
            for (Index a = 0; a < n_visible; ++a) {
                s.segment(a * stride, n_hidden) = v[a] * h;
                s[a * stride + n_hidden] = v[a];
            }
            s.segment(n_visible * stride, n_hidden) = h;
            s[n_visible * stride + n_hidden] = 1;
            all.push_back(std::move(s));
        }
    return all;
}

inline Moments moments_of(const std::vector<double>& eta, Index n_visible, Index n_hidden) {
    const auto states = statistics_of_all_states(n_visible, n_hidden);
    const Eigen::Map<const Vector> parameters(eta.data(), std::ssize(eta));
    std::vector<double> log_weights;
    for (const auto& s : states)
        log_weights.push_back(parameters.dot(s));
    const double log_z = log_sum_exp(log_weights);
    Moments found{Vector::Zero(parameters.size()), Matrix::Zero(parameters.size(), parameters.size())};
    for (std::size_t k = 0; k < states.size(); ++k)
        found.mean += std::exp(log_weights[k] - log_z) * states[k];
    for (std::size_t k = 0; k < states.size(); ++k)
        found.covariance +=
            std::exp(log_weights[k] - log_z) * (states[k] - found.mean) * (states[k] - found.mean).transpose();
    return found;
}

/// The member with these moments, by Newton's method from `eta` on.
inline std::vector<double> member_with(const Vector& moments, std::vector<double> eta, Index n_visible,
                                       Index n_hidden) {
    for (int round = 0; round < 100; ++round) {
        const auto now = moments_of(eta, n_visible, n_hidden);
        const Matrix curvature =
            now.covariance + 1e-12 * Matrix::Identity(moments.size(), moments.size()); // padding has none
        const Vector step = decompositions::solution(curvature, moments - now.mean);
        const double scale = std::min(1.0, 0.5 / step.cwiseAbs().maxCoeff());
        for (std::size_t i = 0; i < eta.size(); ++i)
            eta[i] += scale * step[static_cast<Index>(i)];
        if ((moments - now.mean).cwiseAbs().maxCoeff() < 1e-13)
            break;
    }
    return eta;
}

/// n knots with evenly spaced moments between the ends of a family.
inline std::vector<std::vector<double>> exact_knots(const RbmFamily& family, Index n, Index n_visible, Index n_hidden) {
    const Vector start = moments_of(family.start_parameters(), n_visible, n_hidden).mean,
                 end = moments_of(family.end_parameters(), n_visible, n_hidden).mean;
    std::vector<std::vector<double>> knots;
    auto eta = family.start_parameters();
    for (Index k = 1; k <= n; ++k) {
        const double fraction = static_cast<double>(k) / static_cast<double>(n + 1);
        knots.push_back(eta = member_with((1 - fraction) * start + fraction * end, eta, n_visible, n_hidden));
    }
    return knots;
}

} // namespace pearlite::models::rbm_oracle
