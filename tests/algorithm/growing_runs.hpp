#pragma once
/// Targets that grow, with known normalisers, and runs of them.

#include "algorithm/resample_move/resample_move.hpp"
#include "models/gaussian_process/orthant/orthant.hpp"
#include "models/lattice/growing_lattice.hpp"
#include "models/rbm/growing_rbm.hpp"
#include "models/state_space/growing/growing_linear_gaussian.hpp"
#include "models/state_space/growing/growing_volatility.hpp"
#include "pearlite/random/stream.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

namespace pearlite::algorithm::testing {

using GrowingPointer = std::shared_ptr<const model::GrowingTarget>;

/// The orthant of n normals with pairwise correlation rho: the first `negative` ones are negative, the others positive.
inline GrowingPointer growing_orthant(Index n, double rho, Index negative = 0) {
    Matrix covariance = Matrix::Constant(n, n, rho);
    covariance.diagonal().setOnes();
    std::vector<Index> order(at(n));
    std::iota(order.begin(), order.end(), Index{0});
    Vector signs = Vector::Ones(n);
    signs.head(negative).setConstant(-1);
    return std::make_shared<const models::Orthant>(models::OrthantSettings{
        covariance, signs, order, false, models::log_equicorrelated_orthant(n - negative, negative, rho)});
}

/// An RBM whose units are strongly coupled, with images from which chains can start.
inline GrowingPointer growing_rbm(Index visible, Index hidden) {
    auto parameters = models::random_rbm(visible, hidden, 1.5, 0.5, 3);
    parameters.images.resize(visible, 5);
    for (Index i = 0; i < parameters.images.size(); ++i)
        parameters.images.data()[i] = static_cast<std::uint8_t>(i * 37 % 256);
    return models::rbm_growth(std::make_shared<const models::Rbm>(std::move(parameters)))->growing("variance", 1);
}

/// Log of the sum over the states of a torus of 3 x 3 sites.
inline double summed_lattice(Index colours, double equal, double unequal) {
    std::array<Index, 9> site{};
    double sum = 0;
    for (;;) {
        double log_weight = 0;
        for (Index i = 0; i < 3; ++i)
            for (Index j = 0; j < 3; ++j)
                for (const Index other : {i * 3 + (j + 1) % 3, (i + 1) % 3 * 3 + j})
                    log_weight += site[at(i * 3 + j)] == site[at(other)] ? equal : unequal;
        sum += std::exp(log_weight);
        std::size_t next = 0;
        while (next < site.size() && ++site[next] == colours)
            site[next++] = 0;
        if (next == site.size())
            return std::log(sum);
    }
}

inline GrowingPointer growing_lattice(Index colours) {
    constexpr double equal = 0.7, unequal = -0.2;
    return models::lattice_growth({.size = 3,
                                   .colours = colours,
                                   .equal = equal,
                                   .unequal = unequal,
                                   .exact_log_normaliser = summed_lattice(colours, equal, unequal)})
        ->growing("raster", 1);
}

inline constexpr models::LinearGaussianParameters series_parameters{
    .mean = 0.3, .persistence = 0.9, .state_sd = 0.8, .noise_sd = 0.8};

/// Observations that are unlikely under the process.
inline std::vector<double> series_observations(Index n) {
    std::vector<double> observations;
    for (Index t = 0; t < n; ++t)
        observations.push_back(1.6 * std::sin(1.3 * static_cast<double>(t)));
    return observations;
}
/// States of a linear Gaussian process. The next state is proposed from the transition or, if `adapted`, from the
/// transition given the next observation.
inline GrowingPointer growing_series(Index n, bool adapted) {
    return models::growth_by_time(std::make_shared<const models::GrowingLinearGaussian>(
                                      series_parameters, series_observations(n), adapted))
        ->growing("time", 1);
}

/// Stochastic volatility with leverage and Student-t errors, or with neither.
inline models::VolatilityParameters volatility_parameters(bool plain) {
    return plain ? models::VolatilityParameters{-0.2, 0.9, 0.6} : models::VolatilityParameters{-0.2, 0.9, 0.6, -0.6, 6};
}
inline std::vector<double> volatile_returns(Index n) {
    std::vector<double> returns;
    for (Index t = 0; t < n; ++t)
        returns.push_back((t % 5 == 3 ? 4.0 : 0.9) * std::cos(2.1 * static_cast<double>(t)));
    return returns;
}
inline GrowingPointer growing_volatility(Index n, bool plain, bool adapted, std::optional<Index> lag = {}) {
    return models::growth_by_time(std::make_shared<const models::GrowingVolatility>(volatility_parameters(plain),
                                                                                    volatile_returns(n), adapted),
                                  lag)
        ->growing("time", 1);
}

inline ResampleMove growing_run(const parallel::Communicator& ranks, const GrowingPointer& target,
                                const std::shared_ptr<const Generator>& generator, const PopulationSettings& population,
                                const ResampleMoveSettings& settings) {
    return {ranks, target, generator, population, settings};
}

} // namespace pearlite::algorithm::testing
