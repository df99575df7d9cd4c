#include "algorithm/parallel_tempering/recorded_energies.hpp"

#include "population/shards.hpp"

#include <algorithm>

namespace pearlite::algorithm {

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

} // namespace pearlite::algorithm
