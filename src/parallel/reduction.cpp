#include "parallel/reduction.hpp"

#include "parallel/compact_sum.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace pearlite::parallel {

namespace {

// Words of a fixed-point sum; MPI_SUM adds them one by one.
struct FixedPoint {
    std::int64_t high = 0;    // in units of 2^-bits
    std::int64_t low = 0;     // in units of 2^-(2 bits)
    std::int64_t outside = 0; // terms that are not in [0, 1]
    std::int64_t terms = 0;
};

// Bits of a word. 62 - ceil(log2 n) keep the sum of n terms within 62 bits; the rounding trick below allows 51.
int word_bits(Index n_terms) {
    const int bits_for_count =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<Index>(n_terms, 1) - 1)));
    return std::min(62 - bits_for_count, 51);
}

// Adding 1.5 x 2^52 rounds a number of at most 51 bits to an integer and leaves it in the low bits of the sum: the
// conversion that every vector unit has. Products with a power of two are exact, fused or not. Integers wrap around, so
// that terms that must not be here do no harm.
FixedPoint fixed_point(std::span<const double> terms, int bits) {
    const double scale = std::ldexp(1.0, bits);
    constexpr double rounder = 0x1.8p52;
    constexpr auto rounder_bits = std::bit_cast<std::uint64_t>(rounder);
    constexpr std::uint64_t one = 1;
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t inside = 0;
    for (const double term : terms) {
        const double high_rounded = std::fma(term, scale, rounder);
        const double low_rounded = std::fma(std::fma(term, scale, rounder - high_rounded), scale, rounder);
        high += std::bit_cast<std::uint64_t>(high_rounded);
        low += std::bit_cast<std::uint64_t>(low_rounded);
        inside += (term >= 0.0 ? one : 0) & (term <= 1.0 ? one : 0); // && would be a branch
    }
    high -= terms.size() * rounder_bits;
    low -= terms.size() * rounder_bits;
    return {static_cast<std::int64_t>(high), static_cast<std::int64_t>(low),
            static_cast<std::int64_t>(terms.size() - inside), static_cast<std::int64_t>(terms.size())};
}

// NaN if any is NaN. Eight at a time, which need not wait for one another.
double largest(std::span<const double> values) {
    constexpr std::size_t n_lanes = 8;
    std::array<double, n_lanes> highest;
    highest.fill(-infinity);
    std::array<std::uint64_t, n_lanes> nan{};
    const auto take = [&](double value, std::size_t lane) {
        highest[lane] = value > highest[lane] ? value : highest[lane];
        nan[lane] |= static_cast<std::uint64_t>(std::isnan(value));
    };
    const std::size_t in_lanes = values.size() / n_lanes * n_lanes;
    for (std::size_t i = 0; i < in_lanes; i += n_lanes)
        for (std::size_t lane = 0; lane < n_lanes; ++lane)
            take(values[i + lane], lane);
    for (std::size_t i = in_lanes; i < values.size(); ++i)
        take(values[i], 0);
    if (std::ranges::any_of(nan, [](std::uint64_t any) { return any != 0; }))
        return std::numeric_limits<double>::quiet_NaN();
    return std::ranges::max(highest);
}

/// Collective. Adds accumulators, each in place, word by word.
void add_all_words(const Communicator& ranks, const std::vector<ExactSum*>& sums) {
    constexpr std::size_t n_words = ExactSum::n_words;
    std::vector<std::int64_t> words;
    words.reserve(sums.size() * n_words);
    for (const auto* sum : sums) {
        const auto of_sum = sum->words();
        words.insert(words.end(), of_sum.begin(), of_sum.end());
    }
    ranks.sum(std::span(words));
    for (std::size_t i = 0; i < sums.size(); ++i) {
        std::ranges::copy(std::span(words).subspan(i * n_words, n_words), sums[i]->words().begin());
        sums[i]->normalise();
    }
}

} // namespace

double exact_sum(const Communicator& ranks, std::span<const double> terms) {
    ExactSum sum(terms);
    exact_sum(ranks, std::span(&sum, 1));
    return sum.value();
}

void exact_sum(const Communicator& ranks, std::span<ExactSum> sums, std::span<std::int64_t> counts) {
    for (auto& sum : sums)
        sum.normalise();
    std::vector<CompactSum> compact;
    if (ranks.size() == 1) {
        compact.resize(sums.size() + counts.size());
        return ranks.sum(std::span(compact)); // which counts them
    }
    compact.reserve(sums.size() + counts.size());
    for (const auto& sum : sums)
        compact.emplace_back(sum);
    for (const std::int64_t count : counts) {
        ExactSum sum;
        sum.add(static_cast<double>(count));
        sum.normalise();
        compact.emplace_back(sum);
    }
    ranks.sum(std::span(compact));
    std::vector<ExactSum*> wide; // the same on all ranks: MPI gives all of them identical results
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (compact[i].has_value())
            sums[i] = compact[i].expand();
        else
            wide.push_back(&sums[i]);
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] = static_cast<std::int64_t>(compact[sums.size() + i].expand().value());
    if (!wide.empty())
        add_all_words(ranks, wide);
}

double fixed_point_sum(const Communicator& ranks, std::span<const double> terms, Index n_terms) {
    const int bits = word_bits(n_terms);
    auto words = std::bit_cast<std::array<std::int64_t, 4>>(fixed_point(terms, bits));
    ranks.sum(words);
    const auto sum = std::bit_cast<FixedPoint>(words);
    // Checked after the reduction, so that all ranks fail together.
    if (sum.outside != 0)
        throw NumericalError("fixed-point sum: " + std::to_string(sum.outside) + " terms are not in [0, 1]");
    PEARLITE_EXPECTS(sum.terms <= n_terms);
    __extension__ typedef __int128 Wide; // NOLINT(modernize-use-using): __extension__ begins no alias
    const Wide total = static_cast<Wide>(sum.high) * (Wide{1} << bits) + sum.low;
    return std::ldexp(static_cast<double>(total), -2 * bits);
}

double log_sum_exp(const Communicator& ranks, std::span<const double> log_terms) {
    const double maximum = ranks.max(largest(log_terms));
    if (!std::isfinite(maximum))
        return maximum;

    ExactSum sum;
    std::array<double, 256> terms;
    for (std::size_t first = 0; first < log_terms.size(); first += terms.size()) {
        const auto part = log_terms.subspan(first, std::min(terms.size(), log_terms.size() - first));
        std::ranges::transform(part, terms.begin(), [&](double log_term) { return std::exp(log_term - maximum); });
        sum.add(std::span<const double>(terms).first(part.size()));
    }
    exact_sum(ranks, std::span(&sum, 1));
    sum.add(-1.0); // the maximum's own term, so that log1p keeps small terms beside it
    return maximum + std::log1p(sum.value());
}

Scan exclusive_scan(const Communicator& ranks, WideCount local) {
    using Halves = std::array<std::uint64_t, 2>;
    const Halves mine{static_cast<std::uint64_t>(local), static_cast<std::uint64_t>(local >> 64)};
    Scan scan;
    int rank = 0;
    for (const Halves& halves : ranks.all_gather(mine)) {
        if (rank++ == ranks.rank())
            scan.before = scan.total;
        scan.total += static_cast<WideCount>(halves[1]) << 64 | halves[0];
    }
    return scan;
}

} // namespace pearlite::parallel
