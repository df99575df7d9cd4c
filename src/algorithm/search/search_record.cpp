#include "algorithm/search/search_record.hpp"

#include "core/stored_fields.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

void Find::fields(Fields& f) {
    f("find_energy", energy);
    f("find_iteration", iteration);
    f("find_chain", chain);
    bytes_field(f, "find_state", state);
}

Find best_of_ranks(const parallel::Communicator& ranks, const Find& mine, std::size_t bytes) {
    struct Key {
        double energy;
        std::int64_t iteration, chain;
    };
    const auto keys = ranks.all_gather(Key{mine.energy, mine.iteration, mine.chain});
    Find best;
    std::size_t owner = 0;
    for (std::size_t r = 0; r < keys.size(); ++r) {
        const Find find{keys[r].energy, keys[r].iteration, keys[r].chain, {}};
        if (r == 0 || find.before(best)) {
            best = find;
            owner = r;
        }
    }
    const bool is_mine = static_cast<int>(owner) == ranks.rank();
    if (is_mine)
        best.state = mine.state;
    best.state.resize(bytes);
    ranks.broadcast(std::span<std::byte>(best.state), static_cast<int>(owner));
    return best;
}

void ProgressCurve::add(std::int64_t iteration, std::int64_t evaluations, double best, double temperature) {
    iterations_.push_back(iteration);
    evaluations_.push_back(evaluations);
    best_.push_back(best);
    temperature_.push_back(temperature);
    const double step = std::ceil(static_cast<double>(iteration) * std::pow(10.0, 1 / per_decade));
    next_ = std::max(iteration + 1, static_cast<std::int64_t>(step));
}

void ProgressCurve::fields(Fields& f) {
    f("next", next_);
    f("iteration", iterations_);
    f("evaluations", evaluations_);
    f("best", best_);
    f("temperature", temperature_);
}

void counts_field(Fields& f, std::vector<OperationCount>& counts) {
    std::vector<std::int64_t> proposed, accepted;
    for (const auto& count : counts) {
        proposed.push_back(count.proposed);
        accepted.push_back(count.accepted);
    }
    f("proposed", proposed);
    f("accepted", accepted);
    counts.resize(proposed.size());
    for (std::size_t k = 0; k < counts.size(); ++k)
        counts[k] = {proposed[k], accepted[k]};
}

void WeightedAverages::fields(Fields& f) {
    f("means", means);
    f("deviations", deviations);
    f("errors", errors);
    f("effective_states", effective_states);
    f("effective_chains", effective_chains);
}

void StartDraws::fields(Fields& f) {
    constexpr const char* name = "start_draws";
    std::vector<std::int64_t> numbers{draws, feasible};
    const auto n = std::ssize(numbers);
    if (f.is_reading() ? !f.has_items(name, n) : draws == 0)
        return;
    f(name, numbers);
    PEARLITE_EXPECTS(std::ssize(numbers) == n);
    draws = numbers[0];
    feasible = numbers[1];
}

void SearchOutcome::fields(Fields& f) {
    f("start_draws", start.draws);
    f("feasible_start_draws", start.feasible);
    best.fields(f);
    f("best_evaluations", best_evaluations);
    f("iterations", iterations);
    f("evaluations", evaluations);
    group(f, "curve", curve);
    f("operations", operations);
    counts_field(f, counts);
    f("scales", scales);
    f("points", points);
    f("theta", theta);
    f("desired", desired);
    f("visits", visits);
    f("first_visits", first_visits);
    f("late_regions", late_regions);
    f("region_best", region_best);
    bytes_field(f, "region_states", region_states);
    f("final_energies", final_energies);
    f("final_log_weights", final_log_weights);
    averages.fields(f);
    f("truncations", truncations);
    f("outside", outside);
}

} // namespace pearlite::algorithm
