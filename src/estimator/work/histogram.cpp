// The histogram estimator (Habeck 2017, eqs. 15, 16 and supplement) and the posterior of log Z.
//
//   p_j: weights of the works W_j under p_f;  prior prod 1/p_j;  scales s, t of the reverse and forward samples
//   x = log(s/t) has log density  n_r x - sum_j log(1 + e^{x - W_j});  p_j | x ~ Exponential(rate 1 + e^{x - W_j})
//   log Z = log(sum p_j e^{-W_j} / sum p_j)
#include "core/log_space.hpp"
#include "estimator/work/scale_distribution.hpp"
#include "estimator/work/sharded_works.hpp"
#include "random/fill.hpp"

namespace pearlite::estimator {

namespace {

using detail::ShardedWorks;
using population::Shards;

constexpr std::uint32_t of_exponentials = 2; ///< the draws of a work's address that are the exponentials of its weight

/// Collective. n_r x - sum_j log(1 + e^{x - W_j}) at several x.
std::vector<double> log_densities(const ShardedWorks& works, std::span<const double> x) {
    population::BlockSums sums(x.size());
    std::vector<double> partial(x.size());
    for (const auto* shards : {&works.forward, &works.reverse})
        for (std::size_t first = 0; first < shards->here.size();) {
            const auto block = static_cast<std::size_t>(shards->layout.block());
            const std::size_t end = std::min(first + block, shards->here.size());
            std::fill(partial.begin(), partial.end(), 0.0);
            for (; first < end; ++first)
                if (const double w = shards->here[first]; std::isfinite(w))
                    for (std::size_t k = 0; k < x.size(); ++k)
                        partial[k] += softplus(x[k] - w);
            for (std::size_t k = 0; k < x.size(); ++k)
                sums.add(k, partial[k]);
        }
    auto densities = sums.total(works.forward.ranks);
    for (std::size_t k = 0; k < x.size(); ++k)
        densities[k] = works.target() * x[k] - densities[k];
    return densities;
}

/// Collective. log Z for each x: of unit exponentials e_j, the log of sum e_j/(1 + e^{W_j - x}) over sum e_j/(1 + e^{x
/// - W_j}), less x; infinite works stand for terms at their limits.
std::vector<double> log_ratios_given(const ShardedWorks& works, std::span<const double> x, double centre,
                                     const random::Seed& seed) {
    constexpr double largest = 700; // exp stays finite
    constexpr double largest_exponential = 64;
    const std::size_t n = x.size();
    std::vector<double> factors(n), exponentials(n), is_forward(n);
    for (std::size_t d = 0; d < n; ++d)
        factors[d] = std::exp(std::clamp(x[d] - centre, -largest, largest));
    const double n_works = works.n_forward + works.n_reverse;
    detail::IntegerSums forward(n, n_works, largest_exponential), reverse(n, n_works, largest_exponential);
    works.for_each([&](double w, std::uint64_t id) {
        random::fill_exponential({seed, random::Purpose::work_posterior, id, of_exponentials}, exponentials);
        const double e = std::exp(std::clamp(centre - w, -largest, largest));
        if (std::isfinite(w))
            for (std::size_t d = 0; d < n; ++d)
                is_forward[d] = 1 / (1 + e * factors[d]);
        else
            std::fill(is_forward.begin(), is_forward.end(), w > 0 ? 1.0 : 0.0);
        forward.add([&](std::size_t d) { return exponentials[d] * is_forward[d]; });
        reverse.add([&](std::size_t d) { return exponentials[d] * (1 - is_forward[d]); });
    });
    const auto denominators = forward.total(works.forward.ranks), numerators = reverse.total(works.forward.ranks);
    std::vector<double> values;
    for (std::size_t d = 0; d < n; ++d)
        values.push_back(std::log(numerators[d]) - std::log(denominators[d]) - x[d]);
    return values;
}

} // namespace

HistogramEstimate histogram(const Shards& forward, const Shards& reverse, const random::Seed& seed, int draws) {
    const auto works = detail::sharded_works(forward, reverse);
    HistogramEstimate result;
    auto& estimate = result.estimate;
    estimate = {"histogram", detail::solve_bar(works), {}, {}, "posterior", ""};
    if (!std::isfinite(estimate.value)) {
        estimate.note = estimate.value < 0 ? "every forward work is infinite" : "every reverse work is infinite";
        return result;
    }
    if (draws < 2)
        return result;
    const double curvature = detail::posterior_sums(works, estimate.value).q_not_q;
    if (!(curvature > 1e-12)) {
        estimate.note = "no error bar: the works do not meet";
        return result;
    }
    const double mode = -works.log_odds() - estimate.value;
    const detail::ScaleDistribution scale([&](std::span<const double> x) { return log_densities(works, x); }, mode,
                                          1 / std::sqrt(curvature));
    std::vector<double> x(static_cast<std::size_t>(detail::posterior_draws(forward.size() + reverse.size(), draws)));
    for (std::size_t d = 0; d < x.size(); ++d) {
        random::Stream stream({seed, random::Purpose::work_posterior, d, 1});
        x[d] = scale.draw(stream);
    }
    for (const double value : log_ratios_given(works, x, mode, seed))
        if (std::isfinite(value))
            result.posterior.push_back(value);
    detail::add_posterior_errors(result);
    return result;
}

} // namespace pearlite::estimator
