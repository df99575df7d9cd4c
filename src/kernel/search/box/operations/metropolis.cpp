#include "kernel/search/box/box_operation.hpp"
#include "kernel/search/box/lane_loops.hpp"

namespace pearlite::kernel {

namespace {

/// x' = x + s N(0, I).
void metropolis(BoxDraft draft, const BoxOperationSettings&, const model::BlockStreams& streams) {
    const Index d = draft.dimension();
    const simd::NoiseRows z(draft.draw_normals(d, streams));
    draft.set_normal_draws(d);
    simd::on_this_cpu([&](auto cpu) {
        lane_loops::normal_steps<decltype(cpu)>(simd::ConstRows(draft.points()), z, draft.scales().data(), d,
                                                simd::Rows(draft.proposed()), draft.square_step().data());
    });
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
