#include "algorithm/search/bias/adaptive_bias.hpp"

#include "core/log_space.hpp"

#include <cmath>

namespace pearlite::algorithm {

AdaptiveBias::AdaptiveBias(std::vector<double> desired)
    : desired_(std::move(desired)),
      c_(desired_.size(), 0.0),
      in_use_(desired_.size(), 0),
      visits_(desired_.size(), 0),
      first_visits_(desired_.size(), 0),
      gain_before_visit_(desired_.size(), 0.0) {}

void AdaptiveBias::update(double gain, std::span<const std::int32_t> regions) {
    const double gain_before = gain_sum_;
    gain_sum_ += gain;
    ++updates_;
    const double share = gain / static_cast<double>(regions.size());
    // Adds up consecutive chains in the same region before it writes: a sum in memory has to wait for the one before.
    for (std::size_t i = 0; i < regions.size();) {
        const auto j = regions[i];
        const auto k = static_cast<std::size_t>(j);
        const std::size_t first = i;
        double c = c_[k];
        for (; i < regions.size() && regions[i] == j; ++i)
            c += share;
        c_[k] = c;
        if (visits_[k] == 0) {
            first_visits_[k] = updates_;
            gain_before_visit_[k] = gain_before;
        }
        visits_[k] += static_cast<std::int64_t>(i - first);
    }
    if (exceeds_bound()) {
        ++truncations_;
        for (std::size_t k = 0; k < c_.size(); ++k)
            if (in_use_[k] != 0)
                c_[k] = desired_[k] * gain_sum_;
    }
}

/// Tests |theta| > M_c = 1e10 M_{c-1}, M_0 = 1e100. No |theta_j| exceeds G, so that G nearly always decides.
bool AdaptiveBias::exceeds_bound() const {
    constexpr double small = 1e50; // M_0 is 1e100
    if (gain_sum_ < small)
        return false;
    if (std::log10(std::sqrt(static_cast<double>(c_.size())) * gain_sum_) <= log10_bound())
        return false;
    double square = 0;
    for (std::size_t k = 0; k < c_.size(); ++k)
        square += theta(static_cast<Index>(k)) * theta(static_cast<Index>(k));
    return 0.5 * std::log10(square) > log10_bound();
}

std::vector<double> AdaptiveBias::normalised() const {
    std::vector<double> values(c_.size(), log_zero);
    for (std::size_t k = 0; k < c_.size(); ++k)
        if (in_use_[k] != 0)
            values[k] = theta(static_cast<Index>(k));
    const double total = log_sum_exp(values);
    for (double& v : values)
        v -= total;
    return values;
}

} // namespace pearlite::algorithm
