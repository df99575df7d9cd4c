#include "population/families.hpp"

#include "parallel/agreement.hpp"
#include "parallel/exchange.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::population {

namespace {

/// Sums of integers of at most 87 bits: room for 2^40 of them, as many as there are slots.
__extension__ typedef __int128 Wide; // NOLINT(modernize-use-using): __extension__ begins no alias
constexpr int term_bits = 86;

/// A row's terms as integers: value * 2^(term_bits - exponent), where 2^exponent is above all of them.
struct Scale {
    double first = 0, second = 0; ///< two factors, because their product may overflow
    double unit = 0;              ///< the value of an integer's 1; NaN for a row that is not finite

    static Scale of(double largest) {
        if (!std::isfinite(largest))
            return {0, 0, std::numeric_limits<double>::quiet_NaN()};
        if (largest == 0)
            return {0, 0, 0};
        int exponent = 0;
        std::frexp(largest, &exponent);
        constexpr int least_unit = -1074; // the least double
        exponent = std::max(exponent, least_unit + term_bits);
        return {std::ldexp(1.0, -exponent / 2), std::ldexp(1.0, term_bits - exponent + exponent / 2),
                std::ldexp(1.0, exponent - term_bits)};
    }
    /// By 64-bit integers of 46 and of 40 bits, each of them exact: seven times as fast as a conversion to 128 bits.
    Wide integer(double value) const {
        const double whole = std::nearbyint(value * first * second), high = std::trunc(whole * 0x1p-40);
        const double low = whole - high * 0x1p40;
        return (static_cast<Wide>(static_cast<std::int64_t>(high)) << 40) + static_cast<std::int64_t>(low);
    }
    double value(Wide sum) const { return static_cast<double>(sum) * unit; }
};

} // namespace

Families::Families(const parallel::Communicator& ranks, Index n_slots, std::span<const std::int64_t> eves,
                   bool are_slots)
    : ranks_(ranks), slots_(n_slots, 1, ranks.size(), ranks.rank()) {
    if (are_slots)
        place_particles(eves);
    else
        parallel::together(ranks_, [&] { place_particles(eves); });
    meet();
}

void Families::place_particles(std::span<const std::int64_t> eves) {
    const Index first = slots_.first_local_item(), end = first + slots_.local_items();
    for (const std::int64_t eve : eves) {
        PEARLITE_EXPECTS(eve >= 0 && eve < slots_.size());
        if (eve < first || eve >= end)
            away_.push_back(eve);
    }
    std::sort(away_.begin(), away_.end());
    away_.erase(std::unique(away_.begin(), away_.end()), away_.end());
    away_.shrink_to_fit();
    const auto place_away = [&](std::int64_t eve) {
        return std::lower_bound(away_.begin(), away_.end(), eve) - away_.begin();
    };
    places_.reserve(eves.size());
    for (const std::int64_t eve : eves)
        places_.push_back(eve >= first && eve < end ? eve - first : -1 - place_away(eve));
    for (int rank = 0; rank <= ranks_.size(); ++rank)
        leaving_.push_back(place_away(slots_.first_item(rank)));
}

/// Ranks exchange the numbers of families to expect; the owners learn which Eves survive.
void Families::meet() {
    std::vector<std::vector<Index>> counts(leaving_.size() - 1); // empty for ranks that get none: no message
    for (std::size_t rank = 0; rank < counts.size(); ++rank)
        if (const Index count = leaving_[rank + 1] - leaving_[rank]; count > 0)
            counts[rank].push_back(count);
    for (const auto& count : ranks_.all_to_all(counts))
        arriving_.push_back(count.empty() ? 0 : count.front());

    std::vector<char> survives(static_cast<std::size_t>(slots_.local_items()), 0);
    for (const Index place : places_)
        if (place >= 0)
            survives[static_cast<std::size_t>(place)] = 1;
    send_to_owners(
        0, [](Index, std::span<std::byte>) {},
        [&](Index place, std::span<const std::byte>) { survives[static_cast<std::size_t>(place)] = 1; });
    surviving_here_ = std::ranges::count(survives, 1);
}

/// Collective. Sends `bytes` for each family in away_, which pack(its place there, out) fills; the owner of its Eve
/// calls unpack(the Eve's place there, in).
template <class Pack, class Unpack>
void Families::send_to_owners(std::size_t bytes, Pack&& pack, Unpack&& unpack) const {
    std::vector<parallel::Transfer> outgoing, incoming;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        if (leaving_[r + 1] > leaving_[r])
            outgoing.push_back({rank, leaving_[r + 1] - leaving_[r]});
        if (arriving_[r] > 0)
            incoming.push_back({rank, arriving_[r]});
    }
    parallel::exchange(
        ranks_, sizeof(std::int64_t) + bytes, outgoing, incoming,
        [&](int rank, Index item, std::span<std::byte> out) {
            const Index place = leaving_[static_cast<std::size_t>(rank)] + item;
            std::memcpy(out.data(), &away_[static_cast<std::size_t>(place)], sizeof(std::int64_t));
            pack(place, out.subspan(sizeof(std::int64_t)));
        },
        [&](int, Index, std::span<const std::byte> in) {
            std::int64_t eve = 0;
            std::memcpy(&eve, in.data(), sizeof(eve));
            unpack(eve - slots_.first_local_item(), in.subspan(sizeof(eve)));
        });
}

std::vector<double> Families::magnitudes(const Eigen::Ref<const Matrix>& values) {
    std::vector<double> largest(static_cast<std::size_t>(values.rows()), 0.0);
    for (Index i = 0; i < values.cols(); ++i)
        for (Index k = 0; k < values.rows(); ++k) {
            const double magnitude = std::abs(values(k, i));
            auto& row = largest[static_cast<std::size_t>(k)];
            row = magnitude <= std::numeric_limits<double>::max() ? std::max(row, magnitude) : infinity;
        }
    return largest;
}

Matrix Families::sums(const Eigen::Ref<const Matrix>& values) const {
    auto largest = magnitudes(values);
    ranks_.max(std::span(largest));
    return sums(values, largest);
}

Matrix Families::sums(const Eigen::Ref<const Matrix>& values, std::span<const double> magnitudes) const {
    const Index K = values.rows();
    PEARLITE_EXPECTS(values.cols() == static_cast<Index>(places_.size()) && std::ssize(magnitudes) == K);
    std::vector<Scale> scales;
    scales.reserve(magnitudes.size());
    for (const double magnitude : magnitudes)
        scales.push_back(Scale::of(magnitude));
    std::vector<Wide> here(static_cast<std::size_t>(K * slots_.local_items())),
        away(static_cast<std::size_t>(K) * away_.size());
    for (Index i = 0; i < values.cols(); ++i) {
        const Index place = places_[static_cast<std::size_t>(i)];
        Wide* const family = place >= 0 ? here.data() + K * place : away.data() + K * (-1 - place);
        for (Index k = 0; k < K; ++k)
            if (const auto& scale = scales[static_cast<std::size_t>(k)]; scale.unit > 0)
                family[k] += scale.integer(values(k, i));
    }

    const std::size_t bytes = static_cast<std::size_t>(K) * sizeof(Wide);
    send_to_owners(
        bytes, [&](Index place, std::span<std::byte> out) { std::memcpy(out.data(), away.data() + K * place, bytes); },
        [&](Index place, std::span<const std::byte> in) {
            for (Index k = 0; k < K; ++k) {
                Wide term = 0;
                std::memcpy(&term, in.data() + static_cast<std::size_t>(k) * sizeof(Wide), sizeof(Wide));
                here[static_cast<std::size_t>(K * place + k)] += term;
            }
        });

    Matrix sums(K, slots_.local_items());
    for (Index e = 0; e < sums.cols(); ++e)
        for (Index k = 0; k < K; ++k)
            sums(k, e) = scales[static_cast<std::size_t>(k)].value(here[static_cast<std::size_t>(K * e + k)]);
    return sums;
}

FamilyWeights family_weights(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                             std::span<const double> log_weights, const Families& families) {
    const auto summary = summarise(ranks, layout, log_weights);
    Matrix terms(2, static_cast<Index>(log_weights.size())); // the weight, and whether there is any
    for (Index i = 0; i < terms.cols(); ++i) {
        const double log_weight = log_weights[static_cast<std::size_t>(i)];
        const bool has_weight = log_weight > log_zero;
        terms.col(i) << (has_weight ? std::exp(log_weight - summary.log_sum) : 0.0), has_weight ? 1.0 : 0.0;
    }
    const Matrix sums = families.sums(terms);
    BlockSums powers(3);
    for (Index e = 0; e < sums.cols(); ++e) {
        const double square = sums(0, e) * sums(0, e);
        powers.add(0, square);
        powers.add(1, square * sums(0, e));
        powers.add(2, square * square);
    }
    const auto total = powers.total(ranks);
    return {ranks.sum((sums.row(1).array() > 0).count()), total[0], total[1], total[2]};
}

} // namespace pearlite::population
