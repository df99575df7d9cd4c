#include "pearlite/app/polish.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace pearlite::app::detail {

namespace {

/// Of a row before its point: energy, energies, gradients, error of the gradient.
constexpr std::size_t n_figures = 4;

} // namespace

Matrix best_points(const parallel::Communicator& ranks, const std::vector<sampler::SearchOutcome>& outcomes,
                   Index replicates, Index dimension) {
    Matrix points = Matrix::Constant(dimension, replicates, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t r = 0; r < outcomes.size(); ++r)
        if (const auto& best = outcomes[r].best; std::isfinite(best.energy))
            std::memcpy(points.col(static_cast<Index>(r)).data(), best.state.data(), best.state.size());
    ranks.broadcast(std::span(points.data(), static_cast<std::size_t>(points.size())));
    return points;
}

std::vector<PolishedState> unpack_polished(std::span<const double> rows, Index dimension) {
    std::vector<PolishedState> states;
    const auto d = static_cast<std::size_t>(dimension);
    for (; !rows.empty(); rows = rows.subspan(n_figures + d)) {
        const auto point = rows.subspan(n_figures, d);
        states.push_back({rows[0],
                          static_cast<std::int64_t>(rows[1]),
                          static_cast<std::int64_t>(rows[2]),
                          rows[3],
                          {point.begin(), point.end()}});
    }
    return states;
}

double gradient_error(std::span<const double> gradient, std::span<const double> differences, double energy) {
    double error = 0, size = 0.01 * std::max(1.0, std::abs(energy));
    for (std::size_t k = 0; k < gradient.size(); ++k) {
        error = std::max(error, std::abs(gradient[k] - differences[k]));
        size = std::max({size, std::abs(gradient[k]), std::abs(differences[k])});
    }
    return error / size;
}

std::size_t lowest(const std::vector<PolishedState>& states) {
    const auto best = std::min_element(states.begin(), states.end(),
                                       [](const auto& a, const auto& b) { return a.energy < b.energy; });
    return static_cast<std::size_t>(best - states.begin());
}

} // namespace pearlite::app::detail
