#include "kernel/search/box/box_operation.hpp"
#include "kernel/search/box/lane_loops.hpp"

namespace pearlite::kernel {

namespace {

/// x' = x + s r e, e uniform on directions, r ~ N(0, 1).
void hit_and_run(BoxDraft draft, const BoxOperationSettings&, const model::BlockStreams& streams) {
    const Index d = draft.dimension();
    const simd::NoiseRows z(draft.draw_normals(d + 1, streams));
    draft.set_normal_draws(1);
    simd::on_this_cpu([&](auto cpu) {
        lane_loops::directed_steps<decltype(cpu)>(simd::ConstRows(draft.points()), z, draft.scales().data(), d,
                                                  simd::Rows(draft.proposed()), draft.square_step().data());
    });
}

} // namespace

BoxOperationEntry hit_and_run_operation() {
    return {.operation = {.name = "hit-and-run", .has_scale = true},
            .about = "all coordinates, along a random direction",
            .is_default = true,
            .mutate = hit_and_run};
}

} // namespace pearlite::kernel
