#include "algorithm/search/chains/meetings.hpp"

#include "core/log_space.hpp"
#include "random/fill.hpp"
#include "random/lanes.hpp"

#include <numeric>

namespace pearlite::algorithm {

namespace {

/// Weights below exp(-60) of the largest decide no draw: those of any number of chains are less than 2^-54, the least
/// uniform number.
constexpr double log_of_nothing = -60;

/// Uniform on 0 .. n-1, up to 2^-53 n, for a uniform number below 1.
std::size_t place_of(double uniform, std::size_t n) {
    return static_cast<std::size_t>(uniform * static_cast<double>(n));
}

} // namespace

SelectionByEnergy::SelectionByEnergy(std::span<const double> energies, double temperature) {
    for (const double u : energies)
        log_weights_.push_back(-u / temperature);
}

double SelectionByEnergy::log_first(std::size_t i) const {
    return log_weights_[i] - log_sum_exp(log_weights_);
}

double SelectionByEnergy::log_second(std::size_t j, std::size_t i) const {
    // Sum the other weights: the total less the i-th would cancel where i has nearly all the weight.
    auto others = log_weights_;
    others[i] = log_zero;
    return log_weights_[j] - log_sum_exp(others);
}

double SelectionByEnergy::log_pair(std::size_t i, std::size_t j) const {
    const std::array<double, 2> both{log_first(i) + log_second(j, i), log_first(j) + log_second(i, j)};
    return log_sum_exp(both);
}

void MeetingPlanner::begin(std::size_t n) {
    plan_.active.assign(n, 0);
    plan_.first.assign(n, -1);
    plan_.second.assign(n, -1);
    plan_.meeting.assign(n, -1);
    plan_.n_active = 0;
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
}

void MeetingPlanner::draw_order(const random::Address& shared) {
    uniforms_.resize(order_.size());
    random::fill_uniform(shared, uniforms_);
    for (std::size_t k = order_.size(); k > 1; --k)
        std::swap(order_[k - 1], order_[place_of(uniforms_[k - 1], k)]);
}

void MeetingPlanner::sum_weights(std::span<const double> energies, std::span<const std::int64_t> candidates) {
    double lowest = infinity, sum = 0;
    for (const auto j : candidates)
        lowest = std::min(lowest, energies[static_cast<std::size_t>(j)]);
    sums_.clear();
    for (const auto j : candidates) {
        const double exponent = (lowest - energies[static_cast<std::size_t>(j)]) / temperature_;
        sum += exponent > log_of_nothing ? std::exp(exponent) : 0;
        sums_.push_back(sum);
    }
}

std::int64_t MeetingPlanner::draw(std::span<const std::int64_t> candidates, double uniform) const {
    const auto place = std::upper_bound(sums_.begin(), sums_.end(), uniform * sums_.back()) - sums_.begin();
    return candidates[std::min(static_cast<std::size_t>(place), sums_.size() - 1)];
}

void MeetingPlanner::pair_up(std::int64_t i, std::int64_t j) {
    for (const auto& [one, other] : {std::pair{i, j}, std::pair{j, i}}) {
        const auto k = static_cast<std::size_t>(one);
        plan_.active[k] = 1;
        plan_.first[k] = other;
        plan_.meeting[k] = std::min(i, j);
    }
    plan_.n_active += 2;
}

const MeetingPlan& MeetingPlanner::partners(std::span<const double> energies, int n_partners, bool by_energy,
                                            const random::Address& shared, const random::Address& own) {
    const std::size_t n = energies.size();
    begin(n);
    const std::size_t n_active = crossover_ == SearchSettings::Crossover::single ? 1 : n / 2;
    if (n < n_active + static_cast<std::size_t>(n_partners) || n_active == 0)
        return plan_;
    draw_order(shared);
    const std::span<const std::int64_t> passive = std::span(order_).subspan(n_active);
    if (by_energy)
        sum_weights(energies, passive);
    // Two numbers of each chain.
    const auto width = static_cast<std::size_t>(lane_padded(static_cast<Index>(n)));
    uniforms_.resize(2 * width);
    random::fill_uniform_lanes(own, static_cast<Index>(width), uniforms_);
    for (std::size_t k = 0; k < n_active; ++k) {
        const auto i = static_cast<std::size_t>(order_[k]);
        plan_.active[i] = 1;
        if (by_energy) {
            plan_.first[i] = draw(passive, uniforms_[i]);
            continue;
        }
        const auto a = place_of(uniforms_[i], passive.size());
        plan_.first[i] = passive[a];
        if (n_partners == 2) {
            const auto b = place_of(uniforms_[width + i], passive.size() - 1);
            plan_.second[i] = passive[b < a ? b : b + 1];
        }
    }
    plan_.n_active = static_cast<Index>(n_active);
    return plan_;
}

const MeetingPlan& MeetingPlanner::pairs(std::span<const double> energies, const random::Address& shared) {
    const std::size_t n = energies.size();
    begin(n);
    if (n < 2)
        return plan_;
    if (crossover_ == SearchSettings::Crossover::population) {
        draw_order(shared);
        for (std::size_t k = 0; k + 1 < n; k += 2)
            pair_up(order_[k], order_[k + 1]);
        return plan_;
    }
    random::Stream stream(shared);
    sum_weights(energies, order_);
    const auto i = draw(order_, stream.uniform());
    order_.erase(order_.begin() + i);
    sum_weights(energies, order_);
    pair_up(i, draw(order_, stream.uniform()));
    return plan_;
}

double pair_log_ratio(std::span<const double> energies, std::size_t i, std::size_t j, double child_i, double child_j,
                      double temperature) {
    std::vector<double> after(energies.begin(), energies.end());
    after[i] = child_i;
    after[j] = child_j;
    return SelectionByEnergy(after, temperature).log_pair(i, j) -
           SelectionByEnergy(energies, temperature).log_pair(i, j);
}

OperationChoice::OperationChoice(std::span<const model::Operation> operations, std::vector<double> rates)
    : rates_(rates.empty() ? std::vector<double>(operations.size(), 1.0) : std::move(rates)) {
    PEARLITE_EXPECTS(rates_.size() == operations.size());
    for (std::size_t k = 0; k < operations.size(); ++k) {
        mutation_rates_.push_back(operations[k].kind == model::Operation::Kind::mutation ? rates_[k] : 0);
        sum_ += rates_[k];
        mutation_sum_ += mutation_rates_[k];
    }
}

Index OperationChoice::draw(double uniform, bool may_cross) const {
    const auto& rates = may_cross ? rates_ : mutation_rates_;
    double u = uniform * (may_cross ? sum_ : mutation_sum_);
    Index last = 0;
    for (std::size_t k = 0; k < rates.size(); ++k) {
        if (rates[k] <= 0)
            continue;
        last = static_cast<Index>(k);
        if ((u -= rates[k]) < 0)
            break;
    }
    return last;
}

} // namespace pearlite::algorithm
