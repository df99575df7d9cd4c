#include "algorithm/parallel_tempering/tempering_motion.hpp"

#include "population/shards.hpp"

#include <algorithm>
#include <utility>

namespace pearlite::algorithm {

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
