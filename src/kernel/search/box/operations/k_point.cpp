#include "kernel/search/box/box_operation.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>

namespace pearlite::kernel {

namespace {

/// One r ~ N(0, 1) for k coordinates, distinct and uniform (Floyd's sampling): x'_c = x_c + s r.
void k_point(BoxDraft draft, const BoxOperationSettings& settings, const model::BlockStreams& streams) {
    const Index d = draft.dimension(), n = settings.mutation_points;
    const auto& noise = draft.draw_normals(1, streams);
    const auto& uniforms = draft.draw_uniforms(n, random::Purpose::site, streams);
    auto& proposed = draft.proposed();
    proposed = draft.points();
    draft.set_normal_draws(1);
    std::vector<Index>& chosen = draft.coordinates();
    for (Index i = 0; i < draft.size(); ++i) {
        const double step = draft.scales()[i] * static_cast<double>(noise(0, i));
        draft.square_step()[i] = step * step;
        if (n == 1) {
            const auto c = static_cast<Index>(uniforms(0, i) * static_cast<double>(d));
            proposed(c, i) += step;
            draft.set_coordinate(i, c);
            continue;
        }
        chosen.clear();
        for (Index k = 0; k < n; ++k) {
            const Index last = d - n + k;
            const auto c = static_cast<Index>(uniforms(k, i) * static_cast<double>(last + 1));
            chosen.push_back(std::find(chosen.begin(), chosen.end(), c) == chosen.end() ? c : last);
            proposed(chosen.back(), i) += step;
        }
        draft.set_coordinate(i, chosen.back());
    }
}

void check_points(const BoxOperationSettings& settings, Index dimension) {
    if (settings.mutation_points < 1 || settings.mutation_points > dimension)
        throw InputError("the k-point mutation changes 1 to " + std::to_string(dimension) + " coordinates, not " +
                         std::to_string(settings.mutation_points));
}

} // namespace

BoxOperationEntry k_point_operation() {
    return {
        .operation = {.name = "k-point", .has_scale = true},
        .about = "mutation_points coordinates, by the same normal step",
        .is_default = true,
        .mutate = k_point,
        .check = check_points,
        .changes_one_coordinate = [](const BoxOperationSettings& settings) { return settings.mutation_points == 1; }};
}

} // namespace pearlite::kernel
