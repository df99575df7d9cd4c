// Works that depend on those before them: variances by the order of the works (work.hpp).
#include "estimator/evidence/bootstrap.hpp"
#include "estimator/work/sharded_works.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::estimator {

namespace {

using population::Shards;

/// Collective. The variance of a direction's series, whose numbers rank 0 collects in order.
SeriesVariance variance_of_series(const parallel::Communicator& ranks, std::span<const double> here) {
    const auto all = ranks.gather(here);
    SeriesVariance found;
    parallel::on_root(ranks, [&] { found = series_variance(all); });
    ranks.broadcast(std::span(&found, 1));
    return found;
}

/// The variance of a sum of n centred numbers of a series, and what it would be without correlation.
void add_variance(WorkSeries& series, PooledDegrees& degrees, const SeriesVariance& of) {
    if (!(of.length > 1))
        return;
    const double n = of.length * of.length / (of.length - 1);
    series.variance += n * of.long_run;
    series.independent += n * of.of_a_number;
    degrees.add(n * of.long_run, of.degrees);
}

/// Collective. The parts of the works here in BAR: q_j over the sum of q (1 - q).
WorkInfluence influence_on_bar(const Shards& forward, const Shards& reverse) {
    const auto works = detail::sharded_works(forward, reverse);
    const double value = detail::solve_bar(works);
    WorkInfluence influence;
    if (!std::isfinite(value))
        return influence;
    const double information = detail::posterior_sums(works, value).q_not_q;
    if (!(information > 0))
        return influence;
    const auto part = [&](double w) { return 1 / (1 + std::exp(works.log_odds() + value + w)) / information; };
    std::ranges::transform(forward.here, std::back_inserter(influence.forward), part);
    std::ranges::transform(reverse.here, std::back_inserter(influence.reverse), part);
    return influence;
}

} // namespace

WorkSeries work_series(const parallel::Communicator& ranks, const WorkInfluence& influence) {
    WorkSeries series;
    series.forward = variance_of_series(ranks, influence.forward);
    series.reverse = variance_of_series(ranks, influence.reverse);
    PooledDegrees degrees;
    add_variance(series, degrees, series.forward);
    add_variance(series, degrees, series.reverse);
    series.degrees = degrees.value();
    return series;
}

WorkSeries work_series(const Shards& forward, const Shards& reverse) {
    auto series = work_series(forward.ranks, influence_on_bar(forward, reverse));
    series.forward.length = static_cast<double>(forward.size());
    series.reverse.length = static_cast<double>(reverse.size());
    return series;
}

bool are_alike(const Shards& forward, const Shards& reverse) {
    constexpr double rounding = 1e-12;
    const auto works = detail::sharded_works(forward, reverse);
    const double largest = std::max(std::abs(works.smallest), std::abs(works.largest));
    return works.n_finite() == works.n_forward + works.n_reverse &&
           works.largest - works.smallest <= rounding * largest;
}

} // namespace pearlite::estimator

namespace pearlite::estimator::detail {

void use_series(Estimate& estimate, const WorkSeries& series) {
    if (!estimate.standard_error)
        return;
    estimate.standard_error = *estimate.standard_error * std::sqrt(series.ratio());
    estimate.interval95 = student_interval(estimate.value, *estimate.standard_error, series.degrees);
}

Estimate bar_of_series(Estimate bar, const WorkSeries& series) {
    if (!bar.standard_error)
        return bar;
    bar.error_method = "series";
    bar.standard_error = std::sqrt(series.variance);
    bar.interval95 = student_interval(bar.value, *bar.standard_error, series.degrees);
    return bar;
}

WorkBlocks blocks_of(const WorkSeries& series) {
    const auto length = [](const SeriesVariance& of) {
        constexpr double fewest_blocks = 4;
        const double g = of.inefficiency();
        return g > 1 ? static_cast<Index>(std::ceil(std::clamp(2 * g, 1.0, std::max(1.0, of.length / fewest_blocks))))
                     : Index{1};
    };
    return {length(series.forward), length(series.reverse)};
}

double spread_in_blocks(const Shards& forward, const Shards& reverse, const WorkBlocks& blocks) {
    const auto influence = influence_on_bar(forward, reverse);
    double variance = 0;
    for (const auto& [here, block] :
         {std::pair(&influence.forward, blocks.forward), std::pair(&influence.reverse, blocks.reverse)}) {
        const auto all = forward.ranks.gather(std::span<const double>(*here));
        parallel::on_root(forward.ranks, [&, length = block] {
            if (!all.empty())
                variance += static_cast<double>(all.size()) * variance_in_blocks(all, length);
        });
    }
    forward.ranks.broadcast(std::span(&variance, 1));
    return std::sqrt(variance);
}

void stretch(Estimate& estimate, std::vector<double>& draws, double factor) {
    if (!estimate.standard_error)
        return;
    estimate.standard_error = *estimate.standard_error * factor;
    const auto stretched = [&](double x) { return estimate.value + factor * (x - estimate.value); };
    if (estimate.interval95)
        estimate.interval95 = Interval{stretched(estimate.interval95->low), stretched(estimate.interval95->high)};
    std::ranges::transform(draws, draws.begin(), stretched);
}

} // namespace pearlite::estimator::detail
