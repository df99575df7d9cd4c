#include "kernel/search/box/box_operation.hpp"
#include "kernel/search/box/lane_loops.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>

namespace pearlite::kernel {

namespace {

/// n distinct cuts: a cut c lies before coordinate c, 1 <= c < d. `uniform(k)` is the k-th number.
template <class Uniform>
void choose_cuts(Index d, Index n, std::vector<Index>& cuts, Uniform uniform) {
    cuts.clear();
    for (Index k = 0; k < n; ++k) {
        const Index last = d - 1 - n + k;
        const auto c = static_cast<Index>(uniform(k) * static_cast<double>(last + 1)) + 1;
        cuts.push_back(std::find(cuts.begin(), cuts.end(), c) == cuts.end() ? c : last + 1);
    }
}

/// Both children of a pair: coordinates are swapped between every other pair of neighbouring crossover points. Each
/// chain makes its own child; the pair shares the points.
void k_point_crossover(BoxDraft draft, const BoxPartners& partners, const BoxOperationSettings& settings,
                       const model::BlockStreams& streams) {
    const Index d = draft.dimension(), n = std::min(settings.crossover_points, d - 1);
    const model::LaneMatrix &x = draft.own(), &y = draft.first(partners.first);
    const auto& uniforms = draft.draw_uniforms(n, random::Purpose::partner, streams);
    auto& marks = draft.cuts();
    auto& chosen = draft.coordinates();
    marks.setZero(d, draft.lanes());
    for (Index l = 0; l < draft.n_proposed(); ++l) {
        const Index slot = draft.slot(l);
        if (partners.meetings.active[at(slot)] == 0)
            continue;
        // The numbers of the pair are those of its first member, which may live on another rank.
        const Index first = partners.meetings.meeting[at(slot)], local = first - streams.first_slot;
        if (local >= 0 && local < draft.size()) {
            choose_cuts(d, n, chosen, [&](Index k) { return uniforms(k, local); });
        } else {
            random::Stream stream(
                {streams.seed, random::Purpose::partner, random::slot_id(streams.generation, first), streams.step});
            choose_cuts(d, n, chosen, [&](Index) { return stream.uniform(); });
        }
        for (const Index c : chosen)
            marks(c, l) = -1;
    }
    simd::on_this_cpu([&](auto cpu) {
        lane_loops::swap_between_cuts<decltype(cpu)>(simd::ConstRows(x), simd::ConstRows(y), marks.data(), d,
                                                     simd::Rows(draft.proposed()));
    });
}

void check_crossover_points(const BoxOperationSettings& settings, Index dimension) {
    if (dimension < 2)
        throw InputError("a k-point crossover needs two coordinates at least");
    if (settings.crossover_points < 1)
        throw InputError("the k-point crossover needs one crossover point at least");
}

} // namespace

BoxOperationEntry k_point_crossover_operation() {
    return {.operation = {.name = "k-point-crossover",
                          .kind = model::Operation::Kind::pair,
                          .partners = 1,
                          .by_energy = true},
            .about = "two chains exchange the coordinates between crossover_points cuts",
            .is_default = true,
            .cross = k_point_crossover,
            .check = check_crossover_points};
}

} // namespace pearlite::kernel
