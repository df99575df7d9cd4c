#include "pearlite/models/volatility_summary.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "volatility_filter.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::models {

namespace {

/// Of the seed's independent parts, the one of summaries.
constexpr std::uint64_t summary_part = std::uint64_t{1} << 61;

std::vector<double> as_doubles(std::span<const float> values) {
    return {values.begin(), values.end()};
}

/// What the filters of all draws say.
class Collection {
  public:
    Collection(const StochasticVolatility& density, const VolatilitySummarySettings& settings, std::uint64_t seed)
        : density_(density),
          settings_(settings),
          seed_(random::derive_seed(seed, summary_part)),
          mean_(density.returns().size()),
          volatilities_(density.returns().size()) {}

    void add(std::span<const double> u, Index draw);
    VolatilitySummary summary() const;
    random::Address address(random::Purpose purpose, Index draw) const {
        return {.seed = seed_, .purpose = purpose, .id = static_cast<std::uint64_t>(draw), .step = 0};
    }

  private:
    void predict(const VolatilityParameters& theta, random::Stream& stream);
    std::vector<double> quantiles(const std::vector<double>& sample) const {
        return weighted_quantiles(sample, std::vector<double>(sample.size(), 1.0), settings_.probabilities);
    }

    const StochasticVolatility& density_;
    const VolatilitySummarySettings& settings_;
    std::uint64_t seed_;
    detail::VolatilityFilter filter_;
    Index n_draws_ = 0;
    std::vector<double> mean_;                      ///< sums over draws
    std::vector<std::vector<double>> volatilities_; ///< at each time, samples equally weighted
    double next_mean_ = 0;
    std::vector<double> next_volatilities_, next_returns_;
};

void Collection::add(std::span<const double> u, Index draw) {
    const VolatilityParameters theta = density_.natural(u);
    if (!theta.valid())
        return;
    random::Stream stream(address(random::Purpose::resample, draw));
    std::vector<Index> kept(static_cast<std::size_t>(settings_.samples));
    std::vector<double> means;
    std::vector<std::vector<double>> samples;
    const auto observe = [&](Index, std::span<const float> h, std::span<const float> weights) {
        double sum = 0, sum_of_weights = 0;
        for (std::size_t i = 0; i < h.size(); ++i) {
            sum += static_cast<double>(weights[i]) * std::exp(static_cast<double>(h[i]) / 2);
            sum_of_weights += static_cast<double>(weights[i]);
        }
        means.push_back(sum / sum_of_weights);
        systematic_ancestors(as_doubles(weights), stream.uniform(), kept);
        auto& sample = samples.emplace_back();
        for (const Index i : kept)
            sample.push_back(std::exp(static_cast<double>(h[static_cast<std::size_t>(i)]) / 2));
    };
    const FilterSettings filter{.particles = settings_.particles};
    if (filter_.run(theta, density_.returns(), filter, address(model::likelihood_draws, draw), observe)
            .log_likelihood == log_zero)
        return;
    ++n_draws_;
    for (std::size_t t = 0; t < mean_.size(); ++t) {
        mean_[t] += means[t];
        volatilities_[t].insert(volatilities_[t].end(), samples[t].begin(), samples[t].end());
    }
    predict(theta, stream);
}

void Collection::predict(const VolatilityParameters& theta, random::Stream& stream) {
    const double sd = theta.innovation_sd();
    const std::vector<double> means = as_doubles(filter_.next_means()), weights = as_doubles(filter_.weights());
    double sum = 0, sum_of_weights = 0;
    for (std::size_t i = 0; i < means.size(); ++i) {
        sum += weights[i] * std::exp(means[i] / 2 + sd * sd / 8); // the mean of a log-normal
        sum_of_weights += weights[i];
    }
    next_mean_ += sum / sum_of_weights;
    std::vector<Index> kept(static_cast<std::size_t>(10 * settings_.samples)); // tails of one time only: cheap
    systematic_ancestors(weights, stream.uniform(), kept);
    for (const Index i : kept) {
        const double volatility = std::exp((means[static_cast<std::size_t>(i)] + sd * stream.normal()) / 2);
        const double g = theta.student() ? 2 * stream.gamma(theta.nu / 2) / theta.nu : 1;
        next_volatilities_.push_back(volatility);
        next_returns_.push_back(volatility * stream.normal() / std::sqrt(g));
    }
}

VolatilitySummary Collection::summary() const {
    if (n_draws_ == 0)
        throw NumericalError("stochastic volatility: no draw of the parameters has a likelihood above 0");
    VolatilitySummary summary{
        .mean = mean_,
        .quantiles = Matrix(static_cast<Index>(settings_.probabilities.size()), static_cast<Index>(mean_.size())),
        .next_mean = next_mean_ / static_cast<double>(n_draws_),
        .next_quantiles = quantiles(next_volatilities_),
        .return_quantiles = quantiles(next_returns_)};
    for (std::size_t t = 0; t < mean_.size(); ++t) {
        summary.mean[t] /= static_cast<double>(n_draws_);
        const auto at = quantiles(volatilities_[t]);
        summary.quantiles.col(static_cast<Index>(t)) =
            Eigen::Map<const Vector>(at.data(), static_cast<Index>(at.size()));
    }
    return summary;
}

} // namespace

VolatilitySummary summarise_volatility(const StochasticVolatility& density, const Matrix& points,
                                       std::span<const double> weights, const VolatilitySummarySettings& settings,
                                       std::uint64_t seed) {
    PEARLITE_EXPECTS(static_cast<Index>(weights.size()) == points.cols() && settings.draws >= 1 &&
                     settings.particles >= 1 && settings.samples >= 1 &&
                     std::all_of(weights.begin(), weights.end(), [](double weight) { return weight >= 0; }));
    Collection collection(density, settings, seed);
    std::vector<Index> drawn(static_cast<std::size_t>(settings.draws));
    // The offset's address is that of a draw beyond the last.
    const double offset = random::Stream(collection.address(random::Purpose::resample, settings.draws)).uniform();
    systematic_ancestors(weights, offset, drawn);
    for (Index k = 0; k < settings.draws; ++k)
        collection.add({points.col(drawn[static_cast<std::size_t>(k)]).data(), static_cast<std::size_t>(points.rows())},
                       k);
    return collection.summary();
}

} // namespace pearlite::models
