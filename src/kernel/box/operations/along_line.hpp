#pragma once
/// Steps of chains along directions that their partners give.

#include "pearlite/core/types.hpp"
#include "pearlite/model/energy/energy.hpp"
#include "simd/rows.hpp"

namespace pearlite::kernel {

/// x + r (y - z), a factor r for each lane; without z, x + r y.
inline void add_multiple(const model::LaneMatrix& x, const Vector& r, const model::LaneMatrix& y,
                         const model::LaneMatrix* z, model::LaneMatrix& result) {
    using Packet = simd::Doubles8;
    const simd::ConstRows from(x), plus(y), minus(z ? *z : y);
    const simd::Rows to(result);
    const Index d = result.rows();
    for (Index first = 0; first < to.stride; first += lane_padding) {
        const Packet factor = simd::load<Packet>(r.data() + first);
        for (Index k = 0; k < d; ++k) {
            Packet direction = plus.at(k, first);
            if (z != nullptr)
                direction -= minus.at(k, first);
            to.at(k, first) = from.at(k, first) + factor * direction;
        }
    }
}

} // namespace pearlite::kernel
