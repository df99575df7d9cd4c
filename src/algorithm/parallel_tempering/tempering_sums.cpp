#include "algorithm/parallel_tempering/tempering_sums.hpp"

#include "parallel/reduction.hpp"
#include "population/shards.hpp"

namespace pearlite::algorithm {

namespace {

/// sum of exp(x - shift), where the shift follows the largest x.
void add_exponential(double& sum, double& shift, double x, bool is_first) {
    constexpr double far = 30;
    if (is_first || x > shift + far) {
        sum *= is_first ? 0 : std::exp(shift - x);
        shift = std::max(x, -1e300);
    }
    sum += std::exp(x - shift);
}

} // namespace

TemperingSums TemperingSums::of_states(std::size_t n) {
    TemperingSums sums;
    sums.each([n](const char*, auto& values) { values.assign(n, 0); });
    sums.tags.assign(n, ReplicaTag::nowhere);
    return sums;
}

void TemperingSums::add(std::size_t first, std::span<const double> derivatives, std::span<const double> log_ratios,
                        const Scan& scan) {
    PEARLITE_EXPECTS(log_ratios.size() == derivatives.size() && first + derivatives.size() <= u.size());
    for (std::size_t i = 0; i < derivatives.size(); ++i) {
        const double value = derivatives[i];
        u[first + i] += value;
        u_square[first + i] += value * value;
        if (scan.is_in_first_half)
            u_first_half[first + i] += value;
        add_exponential(ratio[first + i], ratio_shift[first + i], log_ratios[i], scan.is_first);
    }
}

Index due_scans(Index t, Index after, Index last) {
    const auto up_to = [t](Index n) { return t % 2 == 0 ? n / 2 : (n + 1) / 2; };
    return up_to(last) - up_to(after);
}

Trace tempering_trace(const parallel::Communicator& ranks, const TemperingSums& sums,
                      const parallel::BlockLayout& layout, const path::Schedule& schedule, Index burn_in, Index scans) {
    const Index replicas = layout.block();
    const auto n = static_cast<double>(std::max<Index>(scans - burn_in, 1) * replicas);
    const auto T = static_cast<std::size_t>(layout.blocks());
    std::vector<ExactSum> totals(2 * T);
    for (std::size_t i = 0; i < sums.u.size(); ++i) {
        const auto t = static_cast<std::size_t>(layout.first_local_block() + static_cast<Index>(i) / replicas);
        totals[2 * t].add(sums.u[i]);
        totals[2 * t + 1].add(sums.u_square[i]);
    }
    parallel::exact_sum(ranks, std::span(totals));
    Trace trace;
    trace.inverse_temperature = schedule.points();
    double log_ratio = 0;
    for (std::size_t t = 0; t < T; ++t) {
        const double mean = totals[2 * t].value() / n;
        const double variance = totals[2 * t + 1].value() / n - mean * mean;
        if (t > 0)
            log_ratio += 0.5 * (schedule[static_cast<Index>(t)] - schedule[static_cast<Index>(t) - 1]) *
                         (trace.mean_u.back() + mean);
        trace.mean_u.push_back(mean);
        trace.variance_u.push_back(variance < 0 ? 0 : variance);
        trace.log_ratio.push_back(log_ratio);
        trace.ess.push_back(n);
    }
    return trace;
}

namespace {

constexpr Index least_records = 32; ///< of a state, if there are as many scans
constexpr Index most_products = Index{1} << 30;
/// exp(b u) is 0 or infinite for far smaller numbers, and 0 times this is 0.
constexpr double most_extreme_u = 1e300;

} // namespace

RecordedEnergies::RecordedEnergies(const population::Generation& states, Index scans, std::size_t most_bytes)
    : layout_(states.layout()),
      thin_(thinning(states, scans, most_bytes)),
      scans_(scans / thin_),
      values_(static_cast<std::size_t>(states.local_size() * scans_)) {}

Index RecordedEnergies::thinning(const population::Generation& states, Index scans, std::size_t most_bytes) {
    const Index temperatures = states.layout().blocks();
    const auto numbers =
        std::min(static_cast<Index>(most_bytes / sizeof(double)), most_products / (temperatures * temperatures));
    const Index most = std::clamp(numbers / states.size(), std::min(least_records, scans), scans);
    return scans / most + (scans % most != 0 ? 1 : 0);
}

void RecordedEnergies::record(const population::Generation& states, Index b, std::span<const double> u, Index n) {
    if (n < 1 || n % thin_ != 0 || n / thin_ > scans_)
        return;
    auto place = static_cast<std::size_t>(states.block_begin(b) * scans_ + n / thin_ - 1);
    for (const double value : u) {
        values_[place] = std::clamp(value, -most_extreme_u, most_extreme_u);
        place += static_cast<std::size_t>(scans_);
    }
}

ShardedField RecordedEnergies::field() {
    return population::field_of_items(ItemType::float64, static_cast<std::size_t>(scans_) * sizeof(double),
                                      layout_.size(), layout_.first_local_item(),
                                      std::as_writable_bytes(std::span(values_)));
}

namespace {

constexpr Index watched_states = 1024; ///< of a temperature

/// Indices of the sums over moves at a temperature, which stand after those of its motion.
enum MoveSum : std::size_t { moves_of_scan, accepted_moves, proposed_moves, n_move_sums };

/// The motion of the states at one temperature.
struct RungMotion {
    double mobility, energy, worst, median, unmoved, acceptance;
    std::int64_t moves;
};

} // namespace

TemperingMotion::TemperingMotion(std::shared_ptr<const model::Target> target, const population::Generation& states,
                                 Index kept_scans, bool accepts)
    : watch_(std::move(target)),
      layout_(states.layout()),
      stride_(std::max<Index>(1, kept_scans * layout_.block() / watched_states)),
      accepts_(accepts),
      width_(watch_.n_sums() + n_move_sums),
      sums_(static_cast<std::size_t>(layout_.local_blocks()) * width_, 0.0),
      no_weight_(static_cast<std::size_t>(layout_.block()), 0.0) {}

void TemperingMotion::compare(const population::Generation& states, Index b, std::span<const double> energies,
                              const kernel::Shape* shape, Index moves, Index accepted) {
    const auto motion = watch_.compare(states, b, no_weight_, energies, shape);
    const auto of_rung = std::span(sums_).subspan(static_cast<std::size_t>(b) * width_, width_);
    for (std::size_t k = 0; k < motion.sums.size(); ++k)
        of_rung[k] += motion.sums[k];
    const auto of_moves = of_rung.last<n_move_sums>();
    of_moves[moves_of_scan] = static_cast<double>(moves);
    of_moves[accepted_moves] += static_cast<double>(accepted);
    of_moves[proposed_moves] += static_cast<double>(moves * states.block(b).size());
}

void TemperingMotion::write_to(const parallel::Communicator& ranks, Trace& trace) const {
    std::vector<RungMotion> here;
    for (std::size_t first = 0; first < sums_.size(); first += width_) {
        const auto m = motion_of(std::span(sums_).subspan(first, watch_.n_sums()));
        const auto of_moves = std::span(sums_).subspan(first + watch_.n_sums(), n_move_sums);
        here.push_back({m.mobility, m.energy, m.worst, m.median, m.unmoved,
                        of_moves[accepted_moves] / of_moves[proposed_moves], // NaN where nothing was proposed
                        static_cast<std::int64_t>(of_moves[moves_of_scan])});
    }
    for (const auto& rung : ranks.all_gather(std::span<const RungMotion>(here))) {
        trace.moves.push_back(rung.moves);
        trace.mobility.push_back(rung.mobility);
        trace.mobility_energy.push_back(rung.energy);
        trace.mobility_worst.push_back(rung.worst);
        trace.mobility_median.push_back(rung.median);
        trace.unmoved.push_back(rung.unmoved);
        if (accepts_)
            trace.acceptance.push_back(rung.acceptance);
    }
}

ShardedField TemperingMotion::field() {
    return population::field_of_items(ItemType::float64, width_ * sizeof(double), layout_.blocks(),
                                      layout_.first_local_block(), std::as_writable_bytes(std::span(sums_)));
}

} // namespace pearlite::algorithm
