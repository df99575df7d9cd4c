#include "pearlite/estimator/bootstrap.hpp"

#include "pearlite/random/fill.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pearlite::estimator {

namespace {

/// Of 2^16 equally likely numbers, those below limit k give at most k copies: 24103, 24124, 12046, 4018, 1005, 201, 33,
/// 5 and 1 of them give 0, 1, 2, ..., 8. The first three are chosen such that mean and variance are 1.
constexpr std::array<std::uint16_t, most_copies> limits{24103, 48227, 60273, 64291, 65296, 65497, 65530, 65535};

constexpr std::size_t piece = 1024; ///< random words at a time

} // namespace

void draw_copies(const random::Address& item, std::span<std::uint16_t> copies) {
    std::vector<std::uint32_t> words((copies.size() + 1) / 2);
    random::fill_bits(item, words);
    for (std::size_t first = 0; first < words.size(); first += piece) {
        const std::size_t end = std::min(first + piece, words.size());
        std::array<std::uint16_t, 2 * piece> bits;
        for (std::size_t w = first; w < end; ++w) {
            bits[2 * (w - first)] = static_cast<std::uint16_t>(words[w]);
            bits[2 * (w - first) + 1] = static_cast<std::uint16_t>(words[w] >> 16);
        }
        const std::size_t count = std::min(2 * (end - first), copies.size() - 2 * first);
        for (std::size_t r = 0; r < count; ++r) {
            unsigned n = 0;
            for (const std::uint16_t limit : limits)
                n += bits[r] >= limit ? 1u : 0u;
            copies[2 * first + r] = static_cast<std::uint16_t>(n);
        }
    }
}

void add_bootstrap_errors(Estimate& estimate, std::vector<double> replicates, const std::string& refusal) {
    std::sort(replicates.begin(), replicates.end());
    if (replicates.size() < 2 || !std::isfinite(replicates.front()) || !std::isfinite(replicates.back())) {
        estimate.note = refusal;
        return;
    }
    const auto n = static_cast<double>(replicates.size());
    double mean = 0, square = 0;
    for (const double x : replicates)
        mean += x / n;
    for (const double x : replicates)
        square += (x - mean) * (x - mean);
    const auto percentile = [&](double p) { return replicates[static_cast<std::size_t>(p * (n - 1) + 0.5)]; };
    estimate.standard_error = std::sqrt(square / (n - 1));
    estimate.interval95 = Interval{percentile(0.025), percentile(0.975)};
}

} // namespace pearlite::estimator
