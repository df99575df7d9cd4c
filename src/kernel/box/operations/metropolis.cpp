#include "kernel/box/box_operation.hpp"
#include "simd/rows.hpp"

#include <cmath>

namespace pearlite::kernel {

namespace {

/// x' = x + s N(0, I).
void metropolis(BoxDraft draft, const BoxOperationSettings&, const model::BlockStreams& streams) {
    using Packet = simd::Doubles8;
    const Index d = draft.dimension(), p = draft.padded_size();
    const simd::NoiseRows z(draft.draw_normals(d, streams));
    draft.set_normal_draws(d);
    const simd::ConstRows x(draft.points());
    const simd::Rows to(draft.proposed());
    const double* const scales = draft.scales().data();
    double* const square_steps = draft.square_step().data();
    for (Index first = 0; first < p; first += lane_padding) {
        const Packet s = simd::load<Packet>(scales + first);
        Packet square{};
        for (Index k = 0; k < d; ++k) {
            const Packet step = s * z.at(k, first);
            to.at(k, first) = x.at(k, first) + step;
            square += step * step;
        }
        simd::at<Packet>(square_steps + first) = square;
    }
}

} // namespace

BoxOperationEntry metropolis_operation() {
    return {
        .operation = {.name = "metropolis", .has_scale = true},
        .about = "all coordinates, by a normal step",
        .is_default = true,
        .mutate = metropolis,
        .first_scale = [](double scale, Index dimension) { return scale / std::sqrt(static_cast<double>(dimension)); }};
}

} // namespace pearlite::kernel
