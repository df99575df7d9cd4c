#include "packets.hpp"

#include <algorithm>

namespace pearlite::kernel::detail {

namespace {

/// From two packets at most, by shuffles.
void merge_few(const model::LaneMatrix& from, std::span<const Index> source, model::LaneMatrix& to) {
    const ConstRows old(from);
    const Rows rows(to);
    const Index second = old.stride - lane_padding; // 0: the first again
    const Index n = to.rows();
    for (Index first = 0; first < rows.stride; first += lane_padding) {
        Mask place{};
        Mask taken{};
        for (Index l = 0; l < lane_padding; ++l) {
            const Index i = source[static_cast<std::size_t>(first + l)];
            place[l] = std::max<Index>(i, 0);
            taken[l] = i >= 0 ? -1 : 0;
        }
        for (Index k = 0; k < n; ++k) {
            const Packet found = __builtin_shuffle(old.at(k, 0), old.at(k, second), place);
            rows.at(k, first) = taken ? found : rows.at(k, first);
        }
    }
}

} // namespace

void merge_columns(const model::LaneMatrix& from, std::span<const Index> source, model::LaneMatrix& to) {
    if (from.cols() == 0)
        return;
    if (from.cols() <= 2 * lane_padding)
        return merge_few(from, source, to);
    for (Index k = 0; k < to.rows(); ++k) {
        const double* const row = from.row(k).data();
        double* const out = to.row(k).data();
        for (std::size_t i = 0; i < source.size(); ++i)
            if (source[i] >= 0)
                out[i] = row[source[i]];
    }
}

} // namespace pearlite::kernel::detail
