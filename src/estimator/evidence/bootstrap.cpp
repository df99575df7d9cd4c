#include "estimator/evidence/bootstrap.hpp"

#include "random/fill.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

/// Among 2^16 equally likely numbers, those below limit k give at most k copies: 24103, 24124, 12046, 4018, 1005, 201,
/// 33, 5 and 1 of them give 0, 1, 2, ..., 8. The first three are chosen such that mean and variance are 1.
constexpr std::array<std::uint16_t, most_copies> limits{24103, 48227, 60273, 64291, 65296, 65497, 65530, 65535};

constexpr std::size_t piece = 1024; ///< random words at a time
using Bits = std::array<std::uint16_t, 2 * piece>;

/// Arithmetic of 16 bits throughout, so that 32 are done at a time.
void count_limits(const Bits& bits, Bits& counts, std::size_t n) {
    std::fill_n(counts.begin(), n, std::uint16_t{0});
    for (const std::uint16_t limit : limits)
        for (std::size_t r = 0; r < n; ++r)
            counts[r] = static_cast<std::uint16_t>(counts[r] + (bits[r] >= limit ? 1 : 0));
}

} // namespace

void draw_copies(const random::Address& item, std::span<std::uint16_t> copies) {
    std::vector<std::uint32_t> words((copies.size() + 1) / 2);
    random::fill_bits(item, words);
    Bits bits{}, counts{};
    for (std::size_t first = 0; first < words.size(); first += piece) {
        const std::size_t n = std::min(piece, words.size() - first);
        for (std::size_t w = 0; w < n; ++w) {
            bits[2 * w] = static_cast<std::uint16_t>(words[first + w]);
            bits[2 * w + 1] = static_cast<std::uint16_t>(words[first + w] >> 16);
        }
        count_limits(bits, counts, 2 * n);
        std::copy_n(counts.begin(), std::min(2 * n, copies.size() - 2 * first),
                    copies.begin() + static_cast<std::ptrdiff_t>(2 * first));
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
    const auto percentile = [&](double p) { return replicates[static_cast<std::size_t>(std::lround(p * (n - 1)))]; };
    estimate.standard_error = std::sqrt(square / (n - 1));
    estimate.interval95 = Interval{percentile(0.025), percentile(0.975)};
}

double normal_quantile(double p) {
    return boost::math::quantile(boost::math::normal(), p);
}

double student_quantile(double degrees, double p) {
    return boost::math::quantile(boost::math::students_t(degrees), p);
}

Interval student_interval(double value, double standard_error, double degrees) {
    if (!std::isfinite(degrees))
        return normal_interval(value, standard_error);
    const double half = student_quantile(degrees, 0.975) * standard_error;
    return {value - half, value + half};
}

} // namespace pearlite::estimator
