#include "packets.hpp"

#include <algorithm>

namespace pearlite::kernel::detail {

namespace {

/// From four packets at most, by shuffles of two; `is_two` if there are no more.
template <bool is_two>
void merge_few(const model::LaneMatrix& from, std::span<const Index> source, model::LaneMatrix& to) {
    const ConstRows old(from);
    const Rows rows(to);
    // Of packets that are not there the last one again.
    const Index last = old.stride - lane_padding, second = std::min(lane_padding, last);
    const Index third = std::min(2 * lane_padding, last), fourth = last;
    const Index n = to.rows();
    for (Index first = 0; first < rows.stride; first += lane_padding) {
        Mask place{}, taken{}, is_high{};
        for (Index l = 0; l < lane_padding; ++l) {
            const Index i = source[static_cast<std::size_t>(first + l)];
            place[l] = std::max<Index>(i, 0);
            taken[l] = i >= 0 ? -1 : 0;
            is_high[l] = i >= 2 * lane_padding ? -1 : 0;
        }
        for (Index k = 0; k < n; ++k) {
            // A shuffle looks at a place among the two packets alone.
            Packet found = __builtin_shuffle(old.at(k, 0), old.at(k, second), place);
            if constexpr (!is_two) {
                const Packet high = __builtin_shuffle(old.at(k, third), old.at(k, fourth), place);
                found = is_high ? high : found;
            }
            rows.at(k, first) = taken ? found : rows.at(k, first);
        }
    }
}

} // namespace

void merge_columns(const model::LaneMatrix& from, std::span<const Index> source, model::LaneMatrix& to) {
    if (from.cols() == 0)
        return;
    if (from.cols() <= 2 * lane_padding)
        return merge_few<true>(from, source, to);
    if (from.cols() <= 4 * lane_padding)
        return merge_few<false>(from, source, to);
    for (Index k = 0; k < to.rows(); ++k) {
        const double* const row = from.row(k).data();
        double* const out = to.row(k).data();
        for (std::size_t i = 0; i < source.size(); ++i)
            if (source[i] >= 0)
                out[i] = row[source[i]];
    }
}

} // namespace pearlite::kernel::detail
