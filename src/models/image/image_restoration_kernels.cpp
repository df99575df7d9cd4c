// The changes of two images that exchange a run of pixels, a register of bits at a time.
#include "models/image/image_restoration.hpp"
#include "simd/bit_runs.hpp"
#include "simd/instructions.hpp"

namespace pearlite::models {
namespace {

using simd::count_unlike;

/// Unequal pairs of one direction with one or both ends in a run of bits, as `from` .. `to` - 1 are exchanged.
struct PairRun {
    const std::uint64_t* mask;
    Index shift, from, to;

    /// Pairs inside the run.
    Index inside(const std::uint64_t* x) const { return count_unlike(x, x, shift, mask, from, to - shift); }
    /// Pairs that enter or leave the run, with x outside and z in it.
    Index across(const std::uint64_t* x, const std::uint64_t* z) const {
        return count_unlike(x, z, shift, mask, from - shift, std::min(from, to - shift)) +
               count_unlike(z, x, shift, mask, std::max(from, to - shift), to);
    }
};

} // namespace

template <class>
std::pair<ImageCounts, ImageCounts> ImageRestoration::run_changes(const ImageState& first, const ImageState& second,
                                                                  Index from, Index to) const {
    std::pair<ImageCounts, ImageCounts> changes;
    const std::uint64_t *const a = first.words_.data(), *const b = second.words_.data();
    const Index p = run_position(from), q = run_position(to - 1) + 1;
    const Index agreements = count_unlike(a, observed_.data(), 0, inside_.data(), p, q) -
                             count_unlike(b, observed_.data(), 0, inside_.data(), p, q);
    changes.first.agreements = agreements;
    changes.second.agreements = -agreements;
    for (std::size_t d = 0; d < 4; ++d) {
        const PairRun run{both_inside_[d].data(), directions()[d], p, q};
        const Index inside = run.inside(a) - run.inside(b);
        changes.first.equal_pairs += run.across(a, a) - run.across(a, b) + inside;
        changes.second.equal_pairs += run.across(b, b) - run.across(b, a) - inside;
    }
    return changes;
}

template std::pair<ImageCounts, ImageCounts> ImageRestoration::run_changes<simd::Compiled>(const ImageState& first,
                                                                                           const ImageState& second,
                                                                                           Index from, Index to) const;

} // namespace pearlite::models
