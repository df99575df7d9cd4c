#include "pearlite/sampler/meetings.hpp"

#include "pearlite/core/log_space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace pearlite::sampler {

namespace {

std::vector<std::int64_t> random_order(std::size_t n, random::Stream& stream) {
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = n; k > 1; --k)
        std::swap(order[k - 1], order[stream.index(k)]);
    return order;
}

MeetingPlan empty_plan(std::size_t n) {
    MeetingPlan plan;
    plan.active.assign(n, 0);
    plan.first.assign(n, -1);
    plan.second.assign(n, -1);
    plan.meeting.assign(n, -1);
    return plan;
}

void pair_up(MeetingPlan& plan, std::int64_t i, std::int64_t j) {
    for (const auto& [one, other] : {std::pair{i, j}, std::pair{j, i}}) {
        const auto k = static_cast<std::size_t>(one);
        plan.active[k] = 1;
        plan.first[k] = other;
        plan.meeting[k] = std::min(i, j);
    }
    plan.n_active += 2;
}

/// Draws from `candidates` with probability ~ exp(-U/T): by the running sums of their weights.
class Lottery {
  public:
    Lottery(std::span<const double> energies, std::span<const std::int64_t> candidates, double temperature)
        : candidates_(candidates) {
        double lowest = std::numeric_limits<double>::infinity();
        for (const auto j : candidates)
            lowest = std::min(lowest, energies[static_cast<std::size_t>(j)]);
        double sum = 0;
        for (const auto j : candidates) {
            sum += std::exp(-(energies[static_cast<std::size_t>(j)] - lowest) / temperature);
            sums_.push_back(sum);
        }
    }
    std::int64_t draw(double uniform) const {
        const auto place = std::upper_bound(sums_.begin(), sums_.end(), uniform * sums_.back()) - sums_.begin();
        return candidates_[std::min(static_cast<std::size_t>(place), sums_.size() - 1)];
    }

  private:
    std::span<const std::int64_t> candidates_;
    std::vector<double> sums_;
};

} // namespace

SelectionByEnergy::SelectionByEnergy(std::span<const double> energies, double temperature) {
    for (const double u : energies)
        log_weights_.push_back(-u / temperature);
}

double SelectionByEnergy::log_first(std::size_t i) const {
    return log_weights_[i] - log_sum_exp(log_weights_);
}

double SelectionByEnergy::log_second(std::size_t j, std::size_t i) const {
    // A sum of its own, not the total less i's: that would cancel where i has nearly all the weight.
    auto others = log_weights_;
    others[i] = log_zero;
    return log_weights_[j] - log_sum_exp(others);
}

double SelectionByEnergy::log_pair(std::size_t i, std::size_t j) const {
    const std::array<double, 2> both{log_first(i) + log_second(j, i), log_first(j) + log_second(i, j)};
    return log_sum_exp(both);
}

MeetingPlan plan_partners(std::span<const double> energies, int n_partners, bool by_energy,
                          const SearchSettings& settings, random::Stream& shared, const random::Address& addresses) {
    const std::size_t n = energies.size();
    auto plan = empty_plan(n);
    const auto order = random_order(n, shared);
    const std::size_t n_active = settings.crossover == SearchSettings::Crossover::single ? 1 : n / 2;
    if (n < n_active + static_cast<std::size_t>(n_partners) || n_active == 0)
        return plan;
    const std::span<const std::int64_t> passive = std::span(order).subspan(n_active);
    std::optional<Lottery> lottery;
    if (by_energy)
        lottery.emplace(energies, passive, settings.selection_temperature);
    for (std::size_t k = 0; k < n_active; ++k) {
        const auto i = static_cast<std::size_t>(order[k]);
        random::Address address = addresses;
        address.id += i;
        random::Stream own(address);
        plan.active[i] = 1;
        ++plan.n_active;
        if (lottery) {
            plan.first[i] = lottery->draw(own.uniform());
        } else {
            const auto a = own.index(passive.size());
            plan.first[i] = passive[a];
            if (n_partners == 2) {
                const auto b = own.index(passive.size() - 1);
                plan.second[i] = passive[b < a ? b : b + 1];
            }
        }
    }
    return plan;
}

MeetingPlan plan_pairs(std::span<const double> energies, const SearchSettings& settings, random::Stream& shared) {
    const std::size_t n = energies.size();
    auto plan = empty_plan(n);
    if (n < 2)
        return plan;
    if (settings.crossover == SearchSettings::Crossover::population) {
        const auto order = random_order(n, shared);
        for (std::size_t k = 0; k + 1 < n; k += 2)
            pair_up(plan, order[k], order[k + 1]);
        return plan;
    }
    std::vector<std::int64_t> candidates(n);
    std::iota(candidates.begin(), candidates.end(), 0);
    const auto i = Lottery(energies, candidates, settings.selection_temperature).draw(shared.uniform());
    candidates.erase(candidates.begin() + i);
    pair_up(plan, i, Lottery(energies, candidates, settings.selection_temperature).draw(shared.uniform()));
    return plan;
}

double pair_log_ratio(std::span<const double> energies, std::size_t i, std::size_t j, double child_i, double child_j,
                      double temperature) {
    std::vector<double> after(energies.begin(), energies.end());
    after[i] = child_i;
    after[j] = child_j;
    return SelectionByEnergy(after, temperature).log_pair(i, j) -
           SelectionByEnergy(energies, temperature).log_pair(i, j);
}

} // namespace pearlite::sampler
