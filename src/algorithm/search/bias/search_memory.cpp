#include "algorithm/search/bias/search_memory.hpp"

#include "core/marks.hpp"

namespace pearlite::algorithm {

SearchMemory::SearchMemory(const SearchSettings& settings, std::span<const model::Operation> operations)
    : chains_(static_cast<std::size_t>(settings.chains)),
      kind_of_bias_(settings.bias),
      lambda_(settings.lambda),
      range_points_(settings.range_points),
      scale_by_region_(settings.scale_by_region),
      aleph_(settings.aleph),
      fixed_theta_(settings.fixed_theta),
      energies_(chains_, 0.0),
      regions_(chains_, 0),
      scales_(operations, settings.wanted_acceptance),
      counts_(operations.size()) {
    set_partition(settings.partition.value_or(model::EnergyPartition()), settings.partition.has_value());
}

void SearchMemory::set_partition(model::EnergyPartition partition, bool is_main) {
    partition_ = std::move(partition);
    is_main_ = is_main;
    const bool has_bias = is_main && kind_of_bias_ != SearchSettings::Bias::none;
    const std::size_t n = !has_bias ? 0 : kind_of_bias_ == SearchSettings::Bias::shared ? 1 : chains_;
    biases_.assign(n, AdaptiveBias(model::desired_probabilities(partition_.regions(), lambda_)));
    region_best_.assign(static_cast<std::size_t>(partition_.regions()), infinity);
    shrink();
}

void SearchMemory::find_regions() {
    for (std::size_t i = 0; i < energies_.size(); ++i) {
        regions_[i] = static_cast<std::int32_t>(partition_.region(energies_[i]));
        if (!biases_.empty())
            bias(i).touch(regions_[i]);
    }
}

void SearchMemory::begin(std::span<const double> energies, std::int64_t further_evaluations) {
    energies_.assign(energies.begin(), energies.end());
    evaluations_ = best_evaluations_ = static_cast<std::int64_t>(chains_) + further_evaluations;
    best_energy_ = *std::min_element(energies_.begin(), energies_.end());
    begin_regions();
}

void SearchMemory::begin_regions() {
    find_regions();
    for (std::size_t i = 0; i < energies_.size(); ++i) {
        auto& lowest = region_best_[static_cast<std::size_t>(regions_[i])];
        lowest = std::min(lowest, energies_[i]);
    }
    shrink();
}

void SearchMemory::begin_main() {
    // A tenth of the range is left below for energies that the quench did not find.
    const double width = std::max(range_high_ - best_energy_, 1e-6 * (1 + std::abs(best_energy_)));
    set_partition(model::EnergyPartition::uniform(best_energy_ - 0.1 * width, best_energy_ + width, range_points_),
                  true);
    begin_regions();
}

void SearchMemory::note_range_top() {
    auto sorted = energies_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    range_high_ = *middle;
    if (std::isfinite(range_high_))
        return;
    range_high_ = best_energy_; // most chains are outside the space
    for (const double energy : energies_)
        if (std::isfinite(energy))
            range_high_ = std::max(range_high_, energy);
}

void SearchMemory::shrink() {
    last_region_ = aleph_ && is_main_ ? partition_.region(best_energy_ + *aleph_) : partition_.regions() - 1;
}

void SearchMemory::take_reports(const ReportWindow& window, Index s, Index t, const SearchStages& stages) {
    std::int64_t active = 0, accepted = 0;
    const double best_before = best_energy_;
    window.for_each_rank(s, [&](std::size_t first, std::size_t n, const ConstReports& reports) {
        active += count_marked(reports.is_active, n);
        touch(first, n, reports);
        accepted += move_chains(first, n, reports);
    });
    evaluations_ += active;
    if (best_energy_ < best_before)
        best_evaluations_ = evaluations_;
    const Index operation = window.operation(s);
    counts_[static_cast<std::size_t>(operation)].proposed += active;
    counts_[static_cast<std::size_t>(operation)].accepted += accepted;
    if (active > 0 && stages.adapts_scales(t))
        scales_.adapt(operation, static_cast<double>(accepted) / static_cast<double>(active));
}

void SearchMemory::touch(std::size_t first, std::size_t n, const ConstReports& reports) {
    if (biases_.size() == 1)
        return biases_.front().touch(std::span(reports.proposed_regions, n));
    for (std::size_t i = 0; i < n && !biases_.empty(); ++i)
        biases_[first + i].touch(reports.proposed_regions[i]);
}

std::int64_t SearchMemory::move_chains(std::size_t first, std::size_t n, const ConstReports& reports) {
    double* const energies = energies_.data() + first;
    std::int32_t* const regions = regions_.data() + first;
    const double* const lowest = region_best_.data();
    bool has_find = false; // a chain that stays has no energy below the lowest of its region
    const std::int64_t accepted = for_each_marked(reports.is_accepted, n, [&](std::size_t i) {
        regions[i] = reports.proposed_regions[i];
        energies[i] = reports.energies[i];
        has_find |= energies[i] < lowest[regions[i]];
    });
    if (!has_find) {
        const auto last = static_cast<std::int32_t>(last_region_);
        if (last_region_ + 1 < partition_.regions())
            outside_ += std::count_if(regions, regions + n, [last](std::int32_t region) { return region > last; });
        return accepted;
    }
    for (std::size_t i = 0; i < n; ++i) { // chain after chain: a find may shrink the space for those that follow
        auto& its_lowest = region_best_[static_cast<std::size_t>(regions[i])];
        its_lowest = std::min(its_lowest, energies[i]);
        if (energies[i] < best_energy_) {
            best_energy_ = energies[i];
            shrink();
        }
        outside_ += regions[i] > last_region_ ? 1 : 0;
    }
    return accepted;
}

void SearchMemory::copy_chains(std::span<const std::int64_t> parents) {
    for (std::size_t i = 0; i < parents.size(); ++i) {
        if (parents[i] < 0)
            continue;
        energies_[i] = energies_[static_cast<std::size_t>(parents[i])];
        regions_[i] = regions_[static_cast<std::size_t>(parents[i])];
    }
}

void SearchMemory::update_theta(double gain) {
    if (kind_of_bias_ == SearchSettings::Bias::shared)
        return biases_.front().update(gain, regions_);
    for (std::size_t i = 0; i < biases_.size(); ++i)
        biases_[i].update(gain, std::span(regions_).subspan(i, 1));
}

void SearchMemory::fields(Fields& f, bool is_main) {
    std::vector<double> points(partition_.points().begin(), partition_.points().end());
    f("points", points);
    f("energies", energies_);
    if (f.is_reading())
        set_partition(model::EnergyPartition(points), is_main);
    for (std::size_t i = 0; i < biases_.size(); ++i)
        group(f, "bias-" + std::to_string(i), biases_[i]);
    scales_.fields(f);
    group(f, "curve", curve_);
    counts_field(f, counts_);
    f("evaluations", evaluations_);
    f("best_evaluations", best_evaluations_);
    f("best_energy", best_energy_);
    f("region_best", region_best_);
    f("range_high", range_high_);
    f("outside", outside_);
    if (f.is_reading()) {
        find_regions();
        shrink();
    }
}

void SearchMemory::describe(SearchOutcome& outcome, double temperature) const {
    outcome.best_evaluations = best_evaluations_;
    outcome.evaluations = evaluations_;
    outcome.curve = curve_;
    outcome.counts = counts_;
    outcome.scales = scales_.values();
    outcome.points.assign(partition_.points().begin(), partition_.points().end());
    if (!biases_.empty()) {
        const auto& first = biases_.front();
        outcome.theta = first.normalised();
        outcome.desired.assign(first.desired().begin(), first.desired().end());
        outcome.visits.assign(first.visits().begin(), first.visits().end());
        outcome.first_visits.assign(first.first_visits().begin(), first.first_visits().end());
        for (Index j = 0; j < first.regions(); ++j)
            if (first.was_visited_late(j))
                outcome.late_regions.push_back(j);
        outcome.truncations = first.truncations();
    }
    outcome.region_best = region_best_;
    outcome.final_energies = energies_;
    for (std::size_t i = 0; i < energies_.size(); ++i)
        outcome.final_log_weights.push_back(theta(i, partition_.region(energies_[i])) +
                                            energies_[i] * (1 / temperature - 1));
    outcome.outside = outside_;
}

} // namespace pearlite::algorithm
