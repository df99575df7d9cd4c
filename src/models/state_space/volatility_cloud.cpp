#include "models/state_space/volatility_cloud.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/types.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::models::detail {

void VolatilityCloud::resize(std::size_t n) {
    const auto n_padded = padded(static_cast<Index>(n));
    size = n;
    padded_size = static_cast<std::size_t>(n_padded);
    for (auto* array : {&mean, &next_mean, &weight, &next_weight, &point, &next_point, &h})
        array->setZero(n_padded);
    cumulative_.setZero(n_padded);
    ancestor_.setZero(n_padded + 1);
}

void VolatilityCloud::make_weights_equal() {
    weight.setZero();
    weight.head(static_cast<Index>(size)).setOnes();
}

void VolatilityCloud::resample(double offset, bool with_points) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i)
        cumulative_[static_cast<Index>(i)] = sum += static_cast<double>(weight[static_cast<Index>(i)]);
    // Slots up to ceil(c n / sum - offset) belong to particles up to i, c the cumulative weight. The last of these is n
    // whatever the rounding, because the offset keeps its distance from 0 and 1.
    const double scale = static_cast<double>(size) / sum;
    std::fill_n(ancestor_.data(), size, 0);
    Index start = 0;
    for (std::size_t i = 0; i < size; ++i) {
        ancestor_[start] = static_cast<std::int32_t>(i); // overwritten by the next if this one has no slot
        start = static_cast<Index>(std::ceil(cumulative_[static_cast<Index>(i)] * scale - offset));
    }
    PEARLITE_ENSURES(start == static_cast<Index>(size));
    std::int32_t ancestor = 0;
    for (std::size_t slot = 0; slot < size; ++slot) {
        const auto k = static_cast<Index>(slot);
        ancestor = std::max(ancestor, ancestor_[k]);
        ancestor_[k] = ancestor;
    }
    const std::int32_t* const from = ancestor_.data();
    for (std::size_t slot = 0; slot < size; ++slot)
        next_mean.data()[slot] = mean.data()[from[slot]];
    std::swap(mean, next_mean);
    if (with_points) {
        for (std::size_t slot = 0; slot < size; ++slot)
            next_point.data()[slot] = point.data()[from[slot]];
        std::swap(point, next_point);
    }
    make_weights_equal();
}

void ChunkSums::add_to(CloudSums& sums) const {
    sums.weights += simd::sum_of(weights_);
    sums.squares += simd::sum_of(squares_);
    sums.largest = std::max(sums.largest, simd::largest_of(largest_));
}

} // namespace pearlite::models::detail
