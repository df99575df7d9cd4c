#include "kernel/box/box_operation.hpp"
#include "simd/arithmetic.hpp"
#include "simd/rows.hpp"

namespace pearlite::kernel {

namespace {

/// x' = x + s r e, e uniform on directions, r ~ N(0, 1).
void hit_and_run(BoxDraft draft, const BoxOperationSettings&, const model::BlockStreams& streams) {
    using Packet = simd::Doubles8;
    const Index d = draft.dimension(), p = draft.padded_size();
    const simd::NoiseRows z(draft.draw_normals(d + 1, streams));
    draft.set_normal_draws(1);
    const simd::ConstRows x(draft.points());
    const simd::Rows to(draft.proposed());
    const double* const scales = draft.scales().data();
    double* const square_steps = draft.square_step().data();
    for (Index first = 0; first < p; first += lane_padding) {
        Packet square{};
        for (Index k = 0; k < d; ++k)
            square += z.at(k, first) * z.at(k, first);
        const Packet step = simd::load<Packet>(scales + first) * z.at(d, first);
        simd::at<Packet>(square_steps + first) = step * step;
        const Packet factor = step / simd::square_root(square);
        for (Index k = 0; k < d; ++k)
            to.at(k, first) = x.at(k, first) + factor * z.at(k, first);
    }
}

} // namespace

BoxOperationEntry hit_and_run_operation() {
    return {.operation = {.name = "hit-and-run", .has_scale = true},
            .about = "all coordinates, along a random direction",
            .is_default = true,
            .mutate = hit_and_run};
}

} // namespace pearlite::kernel
