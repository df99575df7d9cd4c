#pragma once
/// Parts shared by the search spaces of this layer: operations listed by name, uniform choices in lanes. Internal to
/// the layer.

#include "pearlite/core/error.hpp"
#include "random/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace pearlite::models {

/// The places of the listed operations among `names`. InputError for a name that is not there or is listed twice, and
/// for an empty list.
inline std::vector<std::size_t> places_of_operations(const std::vector<std::string>& listed,
                                                     const std::vector<std::string>& names) {
    std::vector<std::size_t> places;
    for (const auto& name : listed) {
        const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
        if (place == names.size())
            throw InputError("there is no operation \"" + name + "\"");
        if (std::find(places.begin(), places.end(), place) != places.end())
            throw InputError("the operation \"" + name + "\" is listed twice");
        places.push_back(place);
    }
    if (places.empty())
        throw InputError("no operations are listed; expected one at least");
    return places;
}

/// One of 0 .. n-1, 1 <= n <= 2^24, from a uniform number of 53 bits: each with probability 1/n to within 2^-53, so to
/// 2^-29 of it. The product is below n even where it is rounded.
inline std::int64_t choice(double uniform, double n) {
    return static_cast<std::int64_t>(uniform * n);
}

/// `per_chain` uniform numbers for each of `padded` chains: number k of chain i is at k * padded + i of the result,
/// which stands in `room`.
inline const double* draw_uniforms(const random::Address& address, Index padded, Index per_chain,
                                   std::vector<double>& room) {
    room.resize(static_cast<std::size_t>(padded * per_chain));
    if (!room.empty())
        random::fill_uniform_lanes(address, padded, room);
    return room.data();
}

} // namespace pearlite::models
