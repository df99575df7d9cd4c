#include "kernel/search/box/box_operation.hpp"
#include "kernel/search/box/operations/along_line.hpp"

namespace pearlite::kernel {

namespace {

/// x' = x + r y, r ~ U(-1, 1).
void linear(BoxDraft draft, const BoxPartners& partners, const BoxOperationSettings&,
            const model::BlockStreams& streams) {
    const model::LaneMatrix &x = draft.own(), &y = draft.first(partners.first);
    const auto& uniforms = draft.draw_uniforms(1, random::Purpose::move, streams);
    for (Index l = 0; l < draft.n_proposed(); ++l)
        draft.step()[l] = 2 * uniforms(0, draft.slot(l)) - 1;
    add_multiple(x, draft.step(), y, nullptr, draft.proposed());
}

} // namespace

BoxOperationEntry linear_operation() {
    return {.operation = {.name = "linear", .kind = model::Operation::Kind::partner, .partners = 1, .by_energy = true},
            .about = "a uniform multiple of a partner is added",
            .is_default = true,
            .cross = linear};
}

} // namespace pearlite::kernel
