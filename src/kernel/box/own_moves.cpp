#include "kernel/box/box_operation.hpp"

namespace pearlite::kernel {

namespace {

/// A step s r, r ~ N(0, 1), if the move has one, and uniform numbers. The proposal is the state, for the energy to
/// change.
template <bool has_step>
void draw_own(BoxDraft draft, const BoxOperationSettings&, const model::BlockStreams& streams) {
    constexpr auto uniforms = static_cast<Index>(model::LocalDraws{}.uniforms.size());
    const auto& noise = draft.draw_normals(1, streams);
    draft.draw_uniforms(uniforms, random::Purpose::site, streams);
    draft.proposed() = draft.points();
    draft.set_normal_draws(has_step ? 1 : 0);
    for (Index i = 0; i < draft.size(); ++i) {
        const double step = draft.scales()[i] * static_cast<double>(noise(0, i));
        draft.square_step()[i] = step * step;
    }
}

} // namespace

const BoxOperationEntry& draws_of_own(const model::LocalMove& move) {
    static const BoxOperationEntry with_step{.operation = {.name = {}, .has_scale = true, .is_local = true},
                                             .mutate = draw_own<true>};
    static const BoxOperationEntry without_step{.operation = {.name = {}, .is_local = true}, .mutate = draw_own<false>};
    return move.has_scale ? with_step : without_step;
}

} // namespace pearlite::kernel
