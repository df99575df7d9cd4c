#include "kernel/search/box/box_operation.hpp"
#include "kernel/search/box/operations/along_line.hpp"

namespace pearlite::kernel {

namespace {

/// x' = x + s r (y - x)/|y - x|, r ~ N(0, 1). Points along a line through y are seen from y in polar coordinates: the
/// Jacobian is (|x' - y| / |x - y|)^(d-1), which the paper leaves out.
void step_towards_partner(BoxDraft draft, const BoxPartners& partners, const model::BlockStreams& streams,
                          bool has_jacobian) {
    const model::LaneMatrix &x = draft.own(), &y = draft.first(partners.first);
    auto &steps = draft.step(), &squares = draft.square_step(), &log_jacobian = draft.log_jacobian();
    draft.draw_steps(streams);
    draft.set_normal_draws(1);
    simd::on_this_cpu([&](auto cpu) {
        lane_loops::square_distances<decltype(cpu)>(simd::ConstRows(x), simd::ConstRows(y), x.rows(), squares.data());
    });
    for (Index l = 0; l < draft.n_proposed(); ++l) {
        const double distance = std::sqrt(squares[l]), step = draft.scales()[l] * steps[l];
        // A chain on top of its partner has no direction: it stays.
        steps[l] = distance > 0 ? step / distance : 0;
        log_jacobian[l] = has_jacobian && distance > 0 ? static_cast<double>(draft.dimension() - 1) *
                                                             std::log(std::abs(distance - step) / distance)
                                                       : 0;
        squares[l] = distance > 0 ? step * step : 0;
    }
    add_multiple(x, steps, y, &x, draft.proposed());
}

void snooker(BoxDraft draft, const BoxPartners& partners, const BoxOperationSettings&,
             const model::BlockStreams& streams) {
    step_towards_partner(draft, partners, streams, true);
}

/// As Karagiannis et al. (2017) print it, and as their program has it. Along a line the target has the wrong factor
/// |x - y|^-(d-1): chains are drawn together, as if it were colder the more coordinates there are.
void snooker_as_printed(BoxDraft draft, const BoxPartners& partners, const BoxOperationSettings&,
                        const model::BlockStreams& streams) {
    step_towards_partner(draft, partners, streams, false);
}

constexpr auto with_partner = [](const char* name) {
    return model::Operation{
        .name = name, .kind = model::Operation::Kind::partner, .partners = 1, .has_scale = true, .by_energy = true};
};

} // namespace

BoxOperationEntry snooker_operation() {
    return {.operation = with_partner("snooker"),
            .about = "a normal step along the line to a partner",
            .is_default = true,
            .cross = snooker};
}

BoxOperationEntry snooker_as_printed_operation() {
    auto operation = with_partner("snooker-as-printed");
    operation.keeps_target = false;
    return {.operation = operation,
            .about = "the same without its factor, which does not leave the target invariant: as published, to compare",
            .cross = snooker_as_printed};
}

} // namespace pearlite::kernel
