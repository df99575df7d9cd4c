#pragma once
/// N(theta) of particle filters. Internal to the layer.

#include "models/common/constant_variance.hpp"
#include "pearlite/random/stream.hpp"

#include <functional>
#include <string>

namespace pearlite::models::detail {

/// Seeds of pilots: derived by this part and those that follow.
inline constexpr std::uint64_t pilots_from = std::uint64_t{1} << 63;

/// InputError for settings outside their ranges.
void check_constant_variance(const std::string& model, const ConstantVariance& goal);

/// N(theta) of ConstantVariance. run(particles, address) is the log of an estimate; pilot r has the estimate's address
/// with the seed derived by part 2^63 + r.
Index particles_for(const ConstantVariance& goal, const random::Address& address,
                    const std::function<double(Index, const random::Address&)>& run);

} // namespace pearlite::models::detail
