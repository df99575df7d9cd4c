#pragma once
/// Steps of chains along directions that their partners give.

#include "kernel/search/box/lane_loops.hpp"
#include "pearlite/model/energy/energy.hpp"

namespace pearlite::kernel {

/// x + r (y - z), a factor r for each lane; without z, x + r y.
inline void add_multiple(const model::LaneMatrix& x, const Vector& r, const model::LaneMatrix& y,
                         const model::LaneMatrix* z, model::LaneMatrix& result) {
    const simd::ConstRows plus(y);
    simd::on_this_cpu([&](auto cpu) {
        lane_loops::multiples<decltype(cpu)>(simd::ConstRows(x), r.data(), plus, z ? simd::ConstRows(*z) : plus,
                                             z != nullptr, result.rows(), simd::Rows(result));
    });
}

} // namespace pearlite::kernel
