#include "kernel/search/box/box_operation.hpp"
#include "kernel/search/box/operations/along_line.hpp"

namespace pearlite::kernel {

namespace {

/// x' = x + s r (y - z), r ~ N(0, 1), y and z two others: symmetric, because y and z are as likely as z and y.
void differential(BoxDraft draft, const BoxPartners& partners, const BoxOperationSettings&,
                  const model::BlockStreams& streams) {
    const model::LaneMatrix &x = draft.own(), &y = draft.first(partners.first), &z = draft.second(*partners.second);
    auto& steps = draft.step();
    draft.draw_steps(streams);
    draft.set_normal_draws(1);
    for (Index l = 0; l < draft.n_proposed(); ++l) {
        steps[l] *= draft.scales()[l];
        draft.square_step()[l] = steps[l] * steps[l];
    }
    add_multiple(x, steps, y, &z, draft.proposed());
}

} // namespace

BoxOperationEntry differential_operation() {
    return {
        .operation = {.name = "differential",
                      .kind = model::Operation::Kind::partner,
                      .partners = 2,
                      .has_scale = true},
        .about = "a normal step along the difference of two others (ter Braak 2006)",
        .cross = differential,
        .first_scale = [](double, Index dimension) { return 2.38 / std::sqrt(2 * static_cast<double>(dimension)); }};
}

} // namespace pearlite::kernel
