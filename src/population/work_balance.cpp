#include "population/work_balance.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::population {

namespace {

// Rough on purpose: they only keep a deal from costing more than it saves.
constexpr double seconds_per_byte = 1e-9, seconds_of_a_deal = 1e-4;
constexpr double seconds_of_a_look = 2e-5, seconds_per_piece_looked_at = 2e-8, seconds_per_block_timed = 5e-7;
constexpr double share_for_looks = 0.002; ///< of the work
constexpr double least_saving = 0.02;     ///< of the busiest rank's work
constexpr double longest_interval = 64;   ///< steps
constexpr double memory = 0.7;            ///< of how true forecasts were, from look to look

/// Blocks whose owner differs, on the rank that has most of them to send and receive; and on all ranks.
struct Moves {
    Index most = 0, all = 0;
};
Moves moves_between(const parallel::BlockLayout& a, const parallel::BlockLayout& b) {
    Moves moves;
    for (int rank = 0; rank < a.ranks(); ++rank) {
        const Index first = std::max(a.first_block(rank), b.first_block(rank));
        const Index end = std::min(a.first_block(rank + 1), b.first_block(rank + 1));
        const Index kept = std::max<Index>(0, end - first);
        const Index leaving = a.first_block(rank + 1) - a.first_block(rank) - kept;
        const Index arriving = b.first_block(rank + 1) - b.first_block(rank) - kept;
        moves.most = std::max(moves.most, leaving + arriving);
        moves.all += leaving;
    }
    return moves;
}

double sum_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values)
        sum += value;
    return sum;
}

} // namespace

double work_of_busiest_rank(const parallel::BlockLayout& layout, std::span<const double> costs, Index piece) {
    PEARLITE_EXPECTS(piece >= 1 && static_cast<Index>(costs.size()) == (layout.blocks() + piece - 1) / piece);
    double most = 0;
    for (int rank = 0; rank < layout.ranks(); ++rank) {
        const Index first = layout.first_block(rank), end = layout.first_block(rank + 1);
        double work = 0;
        for (Index begin = first / piece * piece; begin < end; begin += piece) {
            const Index size = std::min(piece, layout.blocks() - begin);
            const Index shared = std::min(begin + size, end) - std::max(begin, first);
            work += costs[static_cast<std::size_t>(begin / piece)] *
                    (static_cast<double>(shared) / static_cast<double>(size));
        }
        most = std::max(most, work);
    }
    return most;
}

WorkAccount& WorkAccount::operator+=(const WorkAccount& other) {
    mean += other.mean;
    busiest += other.busiest;
    busiest_of_equal_runs += other.busiest_of_equal_runs;
    deals += other.deals;
    blocks_moved += other.blocks_moved;
    return *this;
}

void WorkBalance::note(Index b, double seconds) {
    if (seconds_.size() <= static_cast<std::size_t>(b))
        seconds_.resize(static_cast<std::size_t>(b) + 1);
    seconds_[static_cast<std::size_t>(b)] = seconds;
}

void WorkBalance::learn_from(std::span<const double> seconds) {
    const double mean = sum_of(seconds) / static_cast<double>(seconds.size());
    if (foreseen_.empty() || !(mean > 0))
        return;
    const double scale = static_cast<double>(seconds.size()) / sum_of(foreseen_);
    foreseen_square_ *= memory;
    foreseen_by_real_ *= memory;
    for (std::size_t b = 0; b < seconds.size(); ++b) {
        const double deviation = foreseen_[b] * scale - 1;
        foreseen_square_ += deviation * deviation;
        foreseen_by_real_ += deviation * (seconds[b] / mean - 1);
    }
}

std::vector<double> WorkBalance::forecast(std::span<const double> seconds, std::span<const double> declared) {
    learn_from(seconds);
    if (lately_.empty())
        lately_.assign(seconds.begin(), seconds.end());
    for (std::size_t b = 0; b < seconds.size(); ++b)
        lately_[b] = 0.5 * (lately_[b] + seconds[b]);

    foreseen_ = declared.empty() ? lately_ : std::vector<double>(declared.begin(), declared.end());
    const double sum = sum_of(foreseen_);
    if (!(sum > 0) || !std::isfinite(sum)) {
        foreseen_.clear();
        return {};
    }
    const double slope = foreseen_square_ > 0 ? std::clamp(foreseen_by_real_ / foreseen_square_, 0.0, 1.0) : 1;
    const double total = sum_of(seconds), mean = total / static_cast<double>(seconds.size());
    std::vector<double> costs(seconds.size());
    for (std::size_t b = 0; b < costs.size(); ++b)
        costs[b] = mean + slope * (foreseen_[b] * (total / sum) - mean);
    return costs;
}

std::vector<WorkBalance::Cost> WorkBalance::local_costs(const parallel::BlockLayout& layout,
                                                        std::span<const double> declared, Index piece) {
    std::vector<Cost> costs;
    for (std::size_t b = 0; b < seconds_.size(); ++b) {
        const Index place = (layout.first_local_block() + static_cast<Index>(b)) / piece;
        if (costs.empty() || costs.back().piece != place)
            costs.push_back({place, 0, 0});
        auto& cost = costs.back();
        cost.seconds += seconds_[b];
        cost.declared = declared.empty() || declared[b] < 0 || cost.declared < 0 ? -1 : cost.declared + declared[b];
    }
    return costs;
}

std::optional<std::vector<Index>> WorkBalance::better_runs(const parallel::BlockLayout& layout,
                                                           std::span<const double> declared, std::size_t block_bytes) {
    seconds_.resize(static_cast<std::size_t>(layout.local_blocks()));
    PEARLITE_EXPECTS(declared.empty() || declared.size() == seconds_.size());
    const Index piece = (layout.blocks() + most_pieces - 1) / most_pieces;
    const auto n_pieces = static_cast<std::size_t>((layout.blocks() + piece - 1) / piece);

    // From here on all ranks know the same, and come to the same conclusion.
    std::vector<double> seconds(n_pieces, 0.0), all_declared(n_pieces, 0.0);
    const auto local = local_costs(layout, declared, piece);
    bool is_declared = true; // and as costs may be
    for (const Cost& cost : ranks_.all_gather(std::span<const Cost>(local))) {
        seconds[static_cast<std::size_t>(cost.piece)] += cost.seconds;
        all_declared[static_cast<std::size_t>(cost.piece)] += cost.declared;
        is_declared = is_declared && !(cost.declared < 0);
    }
    if (!is_declared)
        all_declared.clear();
    const double mean = sum_of(seconds) / ranks_.size();
    const double look = seconds_of_a_look + static_cast<double>(n_pieces) * seconds_per_piece_looked_at +
                        static_cast<double>(layout.blocks()) * seconds_per_block_timed / ranks_.size();
    steps_to_look_ = static_cast<Index>(std::clamp(look / (share_for_looks * mean), 1.0, longest_interval));
    account_ += {mean, work_of_busiest_rank(layout, seconds, piece),
                 work_of_busiest_rank(layout.with_equal_runs(), seconds, piece), 0, 0};
    const auto costs = forecast(seconds, all_declared);
    if (!deals_ || costs.empty())
        return {};

    auto first_blocks = parallel::balanced_runs(costs, ranks_.size()); // first pieces
    for (Index& first : first_blocks)
        first = std::min(first * piece, layout.blocks());
    const auto runs = layout.with_runs(first_blocks);
    const double now = work_of_busiest_rank(layout, costs, piece),
                 saving = now - work_of_busiest_rank(runs, costs, piece);
    const auto moves = moves_between(layout, runs);
    const double moving =
        seconds_of_a_deal + seconds_per_byte * static_cast<double>(moves.most) * static_cast<double>(block_bytes);
    if (!(saving > least_saving * now) || !(saving > moving))
        return {};
    account_.deals += 1;
    account_.blocks_moved += moves.all;
    return first_blocks;
}

} // namespace pearlite::population
