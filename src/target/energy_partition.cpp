#include "pearlite/model/energy/detail/energy_partition.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>

namespace pearlite::model {

EnergyPartition::EnergyPartition(std::vector<double> points) : points_(std::move(points)) {
    for (std::size_t k = 0; k < points_.size(); ++k)
        if (!std::isfinite(points_[k]) || (k > 0 && !(points_[k] > points_[k - 1])))
            throw InputError("the points that cut the energies into regions must be finite and increase");
    if (points_.size() < 2)
        return;
    const double width = (points_.back() - points_.front()) / static_cast<double>(points_.size() - 1);
    for (std::size_t k = 1; k < points_.size(); ++k)
        is_uniform_ = is_uniform_ && std::abs(points_[k] - points_[k - 1] - width) < 1e-6 * width;
    per_width_ = 1 / width;
}

EnergyPartition EnergyPartition::uniform(double low, double high, Index m) {
    PEARLITE_EXPECTS(m >= 1);
    std::vector<double> points;
    for (Index k = 0; k < m; ++k)
        points.push_back(m == 1 ? low : low + (high - low) * static_cast<double>(k) / static_cast<double>(m - 1));
    return EnergyPartition(std::move(points));
}

Index EnergyPartition::search(double energy) const {
    if (!(energy <= points_.back()))
        return static_cast<Index>(points_.size());
    return std::lower_bound(points_.begin(), points_.end(), energy) - points_.begin();
}

std::vector<double> desired_probabilities(Index regions, double lambda) {
    PEARLITE_EXPECTS(regions >= 1 && lambda >= 0);
    std::vector<double> pi(static_cast<std::size_t>(regions));
    double sum = 0;
    for (std::size_t j = 0; j < pi.size(); ++j)
        sum += pi[j] = std::exp(-lambda * static_cast<double>(j));
    for (double& p : pi)
        p /= sum;
    return pi;
}

} // namespace pearlite::model
