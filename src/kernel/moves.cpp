#include "kernel/moves.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::kernel {

double Motion::smallest() const {
    return std::isnan(mobility) ? energy : std::isnan(energy) ? mobility : std::min(mobility, energy);
}

double mobility_needed(double wanted, double log_weight_sd) {
    constexpr double whole_step = 0.25;
    return std::isfinite(log_weight_sd) ? wanted * std::min(1.0, log_weight_sd / whole_step) : wanted;
}

MoveCount::MoveCount(const MoveSettings& settings) : settings_(settings), round_(settings.number.value_or(1)) {
    PEARLITE_EXPECTS(round_ >= 1 && settings.most >= 1 && settings.mobility > 0);
}

void MoveCount::begin() {
    // Neighbours need about the same: a little less, so that the number may fall from one temperature to the next.
    round_ = settings_.number.value_or(std::max<Index>(1, 7 * total() / 10));
    made_ = looked_at_ = 0;
    seen_mobility_ = 0;
}

void MoveCount::begin(Index number) {
    PEARLITE_EXPECTS(number >= 1 && number <= stride());
    made_ = 0;
    round_ = number;
}

bool MoveCount::wants_more(double mobility, double log_weight_sd) {
    const double needed = mobility_needed(settings_.mobility, log_weight_sd);
    if (settings_.number || std::isnan(mobility) || mobility >= needed || total() >= settings_.most)
        return false;
    constexpr Index enough_to_judge = 16;
    if (total() >= enough_to_judge && 2 * total() >= 3 * looked_at_ && mobility < 1.1 * seen_mobility_)
        return false;
    looked_at_ = total();
    seen_mobility_ = mobility;
    const double factor = mobility > 0 ? std::min(needed / mobility, 3.0) : 3.0;
    const auto more = static_cast<Index>(std::ceil(static_cast<double>(total()) * (factor - 1)));
    made_ = total();
    round_ = std::clamp<Index>(more, 1, settings_.most - made_);
    return true;
}

void MoveCount::fields(Fields& f) {
    f("made", made_);
    f("round", round_);
    PEARLITE_EXPECTS(made_ >= 0 && round_ >= 1 && made_ < stride() && round_ <= stride() - made_);
}

} // namespace pearlite::kernel
