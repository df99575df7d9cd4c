#include "estimator/series.hpp"

#include "core/exact_sum.hpp"

#include <algorithm>
#include <vector>

namespace pearlite::estimator {

namespace {

constexpr Index most_lags = 512; ///< of one sum; longer correlations are those of means of neighbours

std::vector<double> centred(std::span<const double> numbers) {
    const Index n = std::ssize(numbers);
    const double mean = ordered_sum(n, [&](Index i) { return numbers[at(i)]; }) / static_cast<double>(n);
    std::vector<double> x(numbers.begin(), numbers.end());
    for (double& value : x)
        value -= mean;
    return x;
}

double autocovariance_of(const std::vector<double>& x, Index lag) {
    const Index n = std::ssize(x);
    return ordered_sum(n - lag, [&](Index i) { return x[at(i)] * x[at(i + lag)]; }) / static_cast<double>(n);
}

/// Geyer's sum, and the lags that it took; it is not whole where these are too many.
struct MonotoneSum {
    double value = 0;
    Index lags = 0;
    bool is_whole = true;
};
MonotoneSum monotone_sum(const std::vector<double>& x) {
    const Index n = std::ssize(x);
    MonotoneSum sum;
    double last_pair = infinity;
    sum.value = -autocovariance_of(x, 0);
    for (Index lag = 0; lag + 1 < n; lag += 2) {
        const double pair = autocovariance_of(x, lag) + autocovariance_of(x, lag + 1);
        if (!(pair > 0))
            return sum;
        if (lag >= most_lags) {
            sum.is_whole = false;
            return sum;
        }
        last_pair = std::min(last_pair, pair);
        sum.value += 2 * last_pair;
        sum.lags = lag + 1;
    }
    return sum;
}

std::vector<double> means_of_pairs(const std::vector<double>& x) {
    std::vector<double> means(x.size() / 2);
    for (std::size_t i = 0; i < means.size(); ++i)
        means[i] = 0.5 * (x[2 * i] + x[2 * i + 1]);
    return means;
}

} // namespace

SeriesVariance series_variance(std::span<const double> numbers) {
    constexpr std::size_t shortest = 4;
    SeriesVariance found;
    found.length = static_cast<double>(numbers.size());
    if (numbers.empty())
        return found;
    auto x = centred(numbers);
    found.of_a_number = found.long_run = autocovariance_of(x, 0);
    if (numbers.size() < shortest || !(found.of_a_number > 0))
        return found;
    double merged = 1; // numbers in a mean
    auto sum = monotone_sum(x);
    while (!sum.is_whole) {
        x = means_of_pairs(x);
        merged *= 2;
        sum = monotone_sum(x);
    }
    const double window = 2 * merged * static_cast<double>(sum.lags) + 1;
    const double long_run = merged * sum.value * (1 + window / found.length);
    if (long_run > found.of_a_number) {
        found.long_run = long_run;
        found.degrees = std::max(1.0, found.length / window);
    }
    return found;
}

SeriesVariance variance_between_steps(std::span<const double> numbers) {
    constexpr Index n_blocks = 30;
    constexpr double median_of_square = 0.454936423119573; // of a normal number
    constexpr double degrees_of_median = 15;
    auto found = series_variance(numbers);
    const Index block = std::ssize(numbers) / n_blocks;
    if (!(found.inefficiency() > clear_inefficiency) || block < 2)
        return found;
    std::vector<double> means, squares;
    for (Index b = 0; b < n_blocks; ++b)
        means.push_back(ordered_sum(block, [&](Index i) { return numbers[at(b * block + i)]; }) /
                        static_cast<double>(block));
    for (Index b = 0; b + 1 < n_blocks; ++b)
        squares.push_back((means[at(b + 1)] - means[at(b)]) * (means[at(b + 1)] - means[at(b)]));
    const auto middle = squares.begin() + std::ssize(squares) / 2;
    std::nth_element(squares.begin(), middle, squares.end());
    const double long_run = static_cast<double>(block) * *middle / (2 * median_of_square);
    if (long_run < found.long_run) {
        found.long_run = std::max(found.of_a_number, long_run);
        found.degrees = std::min(found.degrees, degrees_of_median);
    }
    return found;
}

double variance_in_blocks(std::span<const double> numbers, Index block) {
    const auto x = centred(numbers);
    const Index n = std::ssize(x);
    double squares = 0;
    for (Index first = 0; first < n; first += block) {
        const double sum = ordered_sum(std::min(block, n - first), [&](Index i) { return x[at(first + i)]; });
        squares += sum * sum;
    }
    return squares / static_cast<double>(n);
}

} // namespace pearlite::estimator
