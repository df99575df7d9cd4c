#include "models/mixture/gaussian_mixture.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "random/fill.hpp"

#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pearlite::models {

using random::Purpose;

static_assert(model::HasReversedMove<GaussianMixture> && model::HasStateSwap<GaussianMixture>);

namespace {

constexpr Index most_components = 64;
const double log_root_2_pi = 0.5 * std::log(2 * std::numbers::pi);

/// log N(y; mu, 1/tau).
double log_normal(double y, double mu, double tau) {
    return 0.5 * std::log(tau) - log_root_2_pi - 0.5 * tau * (y - mu) * (y - mu);
}

} // namespace

std::vector<double> simulate_mixture(std::span<const double> weights, std::span<const double> means,
                                     std::span<const double> sds, Index n, std::uint64_t seed) {
    PEARLITE_EXPECTS(!weights.empty() && weights.size() == means.size() && weights.size() == sds.size());
    random::Stream stream({seed, Purpose::synthetic_data, 0, 0});
    std::vector<double> values;
    for (Index l = 0; l < n; ++l) {
        const auto j = static_cast<std::size_t>(stream.categorical(weights));
        values.push_back(means[j] + sds[j] * stream.normal());
    }
    return values;
}

std::vector<double> shuffled(std::vector<double> values, std::uint64_t seed) {
    random::Stream stream({seed, Purpose::synthetic_data, 1, 0});
    for (std::size_t n = values.size(); n > 1; --n)
        std::swap(values[n - 1], values[stream.index(n)]);
    return values;
}

/// Statistics of the allocations to each component.
struct GaussianMixture::Statistics {
    std::array<double, most_components> count{};  ///< points allocated, for the weights
    std::array<double, most_components> weight{}; ///< sum of their exponents a
    std::array<double, most_components> sum{};    ///< a y
    std::array<double, most_components> square{}; ///< a y^2
};

GaussianMixture::GaussianMixture(std::vector<double> data, const GaussianMixtureSettings& settings)
    : data_(std::move(data)), settings_(settings) {
    const auto require = [](bool good, const std::string& what) {
        if (!good)
            throw InputError("Gaussian mixture: " + what);
    };
    require(settings.components >= 1 && settings.components <= most_components,
            "the number of components must be 1 to " + std::to_string(most_components) + ", not " +
                std::to_string(settings.components));
    require(!data_.empty(), "no data");
    require(std::all_of(data_.begin(), data_.end(), [](double y) { return std::isfinite(y); }),
            "the data must be finite");
    const auto& p = settings.prior;
    for (const double value : {p.concentration, p.mean_variance, p.precision_shape, p.precision_rate})
        require(std::isfinite(value) && value > 0, "the prior's numbers must be above 0");
    require(std::isfinite(p.mean), "the prior mean must be finite");
}

std::vector<std::string> GaussianMixture::parameter_names() const {
    std::vector<std::string> names;
    for (const char* kind : {"weight", "mean", "sd"})
        for (Index j = 1; j <= components(); ++j)
            names.push_back(kind + std::to_string(j));
    return names;
}

Matrix GaussianMixture::parameters(const Block& block) const {
    const Index J = components();
    Matrix values(3 * J, block.size());
    std::vector<Index> order(static_cast<std::size_t>(J));
    for (Index i = 0; i < block.size(); ++i) {
        const auto x = block.columns().col(i);
        std::iota(order.begin(), order.end(), Index{0});
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return x(J + a) < x(J + b); });
        for (Index j = 0; j < J; ++j) {
            const Index k = order[static_cast<std::size_t>(j)];
            values(j, i) = x(k);
            values(J + j, i) = x(J + k);
            values(2 * J + j, i) = 1 / std::sqrt(x(2 * J + k));
        }
    }
    return values;
}

Matrix GaussianMixture::log_likelihoods(const Block& block) const {
    const Index J = components();
    Matrix values(static_cast<Index>(data_.size()), block.size());
    std::array<double, most_components> terms;
    for (Index i = 0; i < block.size(); ++i) {
        const auto x = block.columns().col(i);
        for (Index l = 0; l < values.rows(); ++l) {
            const double y = data_[static_cast<std::size_t>(l)];
            for (Index j = 0; j < J; ++j)
                terms[static_cast<std::size_t>(j)] = std::log(x(j)) + log_normal(y, x(J + j), x(2 * J + j));
            values(l, i) = log_sum_exp(std::span(terms).first(static_cast<std::size_t>(J)));
        }
    }
    return values;
}

double GaussianMixture::exponent(Index point, double b) const {
    if (settings_.path == GaussianMixtureSettings::Path::tempered)
        return b;
    return std::clamp(b * static_cast<double>(data_.size()) - static_cast<double>(point), 0.0, 1.0);
}

Index GaussianMixture::points_in_use(double b) const {
    const auto n = static_cast<Index>(data_.size());
    if (settings_.path == GaussianMixtureSettings::Path::tempered)
        return b > 0 ? n : 0;
    return std::min(n, static_cast<Index>(std::ceil(b * static_cast<double>(n))));
}

void GaussianMixture::draw_start(Block& block, const model::BlockStreams& streams) const {
    const Index J = components();
    const auto& prior = settings_.prior;
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(Purpose::start, i));
        auto x = block.columns().col(i);
        for (Index j = 0; j < J; ++j) {
            x(j) = stream.gamma(prior.concentration);
            x(J + j) = prior.mean + std::sqrt(prior.mean_variance) * stream.normal();
            x(2 * J + j) = stream.gamma(prior.precision_shape) / prior.precision_rate;
        }
        x.head(J) = (x.head(J) / x.head(J).sum()).cwiseMax(1e-300);
    }
}

void GaussianMixture::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    if (from == to)
        return;
    const Index J = components(), used = std::max(points_in_use(from), points_in_use(to));
    std::array<double, most_components> terms;
    for (Index i = 0; i < block.size(); ++i) {
        const auto x = block.columns().col(i);
        double ratio = 0;
        for (Index l = 0; l < used; ++l) {
            const double a_from = exponent(l, from), a_to = exponent(l, to);
            if (a_from == a_to)
                continue;
            const double y = data_[static_cast<std::size_t>(l)];
            const auto log_mixture = [&](double a) {
                if (a == 0)
                    return 0.0;
                for (Index j = 0; j < J; ++j)
                    terms[static_cast<std::size_t>(j)] = std::log(x(j)) + a * log_normal(y, x(J + j), x(2 * J + j));
                return log_sum_exp(std::span(terms).first(static_cast<std::size_t>(J)));
            };
            ratio += log_mixture(a_to) - log_mixture(a_from);
        }
        out[static_cast<std::size_t>(i)] += ratio;
    }
}

void GaussianMixture::path_derivative(const Block& block, double b, std::span<double> out) const {
    const Index J = components(), n = static_cast<Index>(data_.size());
    const bool by_data = settings_.path == GaussianMixtureSettings::Path::data;
    // On the data path only one point is on its way: the one that b n is reaching (from the left), or the first.
    const Index first = by_data ? std::max<Index>(points_in_use(b) - 1, 0) : 0, end = by_data ? first + 1 : n;
    std::array<double, most_components> terms;
    for (Index i = 0; i < block.size(); ++i) {
        const auto x = block.columns().col(i);
        double sum = 0;
        for (Index l = first; l < end; ++l) {
            const double a = exponent(l, b), y = data_[static_cast<std::size_t>(l)];
            double largest = log_zero;
            for (Index j = 0; j < J; ++j) {
                terms[static_cast<std::size_t>(j)] = std::log(x(j)) + a * log_normal(y, x(J + j), x(2 * J + j));
                largest = std::max(largest, terms[static_cast<std::size_t>(j)]);
            }
            double total = 0, first_moment = 0;
            for (Index j = 0; j < J; ++j) {
                const double r = std::exp(terms[static_cast<std::size_t>(j)] - largest);
                total += r;
                first_moment += r * log_normal(y, x(J + j), x(2 * J + j));
            }
            sum += first_moment / total;
        }
        out[static_cast<std::size_t>(i)] = by_data ? static_cast<double>(n) * sum : sum;
    }
}

GaussianMixture::Statistics GaussianMixture::draw_allocations(const Block& block, Index i, double b,
                                                              const model::BlockStreams& streams) const {
    const Index J = components(), used = points_in_use(b);
    const auto x = block.columns().col(i);
    std::array<double, most_components> log_weight, mean, log_scale, half_tau, cumulated;
    for (Index j = 0; j < J; ++j) {
        const auto k = static_cast<std::size_t>(j);
        log_weight[k] = std::log(x(j));
        mean[k] = x(J + j);
        half_tau[k] = 0.5 * x(2 * J + j);
        log_scale[k] = 0.5 * std::log(x(2 * J + j));
    }
    Statistics statistics;
    std::vector<double> uniforms(static_cast<std::size_t>(used));
    random::fill_uniform(streams.at(Purpose::allocation, i), uniforms);
    for (Index l = 0; l < used; ++l) {
        const double a = exponent(l, b), y = data_[static_cast<std::size_t>(l)];
        double largest = log_zero;
        for (std::size_t k = 0; k < static_cast<std::size_t>(J); ++k) {
            const double d = y - mean[k];
            cumulated[k] = log_weight[k] + a * (log_scale[k] - half_tau[k] * d * d);
            largest = std::max(largest, cumulated[k]);
        }
        double total = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(J); ++k)
            cumulated[k] = total += std::exp(cumulated[k] - largest);
        const double u = uniforms[static_cast<std::size_t>(l)] * total;
        std::size_t z = 0;
        while (z + 1 < static_cast<std::size_t>(J) && cumulated[z] < u)
            ++z;
        statistics.count[z] += 1;
        statistics.weight[z] += a;
        statistics.sum[z] += a * y;
        statistics.square[z] += a * y * y;
    }
    return statistics;
}

void GaussianMixture::draw_weights(Block& block, Index i, const Statistics& statistics, random::Stream& stream) const {
    const Index J = components();
    auto x = block.columns().col(i);
    for (Index j = 0; j < J; ++j)
        x(j) = stream.gamma(settings_.prior.concentration + statistics.count[static_cast<std::size_t>(j)]);
    // A weight that underflows would never come back as a logarithm.
    x.head(J) = (x.head(J) / x.head(J).sum()).cwiseMax(1e-300);
}

void GaussianMixture::draw_means(Block& block, Index i, const Statistics& statistics, random::Stream& stream) const {
    const Index J = components();
    const auto& prior = settings_.prior;
    auto x = block.columns().col(i);
    for (Index j = 0; j < J; ++j) {
        const auto k = static_cast<std::size_t>(j);
        const double tau = x(2 * J + j), precision = 1 / prior.mean_variance + tau * statistics.weight[k];
        const double mean = (prior.mean / prior.mean_variance + tau * statistics.sum[k]) / precision;
        x(J + j) = mean + stream.normal() / std::sqrt(precision);
    }
}

void GaussianMixture::draw_precisions(Block& block, Index i, const Statistics& statistics,
                                      random::Stream& stream) const {
    const Index J = components();
    const auto& prior = settings_.prior;
    auto x = block.columns().col(i);
    for (Index j = 0; j < J; ++j) {
        const auto k = static_cast<std::size_t>(j);
        const double mu = x(J + j);
        const double squares =
            std::max(0.0, statistics.square[k] - 2 * mu * statistics.sum[k] + mu * mu * statistics.weight[k]);
        x(2 * J + j) =
            stream.gamma(prior.precision_shape + 0.5 * statistics.weight[k]) / (prior.precision_rate + 0.5 * squares);
    }
}

void GaussianMixture::move(Block& block, double b, const model::BlockStreams& streams) const {
    for (Index i = 0; i < block.size(); ++i) {
        const auto statistics = draw_allocations(block, i, b, streams);
        random::Stream stream(streams.at(Purpose::move, i));
        draw_weights(block, i, statistics, stream);
        draw_means(block, i, statistics, stream);
        draw_precisions(block, i, statistics, stream);
    }
}

void GaussianMixture::move_reversed(Block& block, double b, const model::BlockStreams& streams) const {
    for (Index i = 0; i < block.size(); ++i) {
        const auto statistics = draw_allocations(block, i, b, streams);
        random::Stream stream(streams.at(Purpose::move, i));
        draw_precisions(block, i, statistics, stream);
        draw_means(block, i, statistics, stream);
        draw_weights(block, i, statistics, stream);
    }
}

void GaussianMixture::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    for (std::size_t i = 0; i < which.size(); ++i)
        if (which[i] != 0)
            a.columns().col(static_cast<Index>(i)).swap(b.columns().col(static_cast<Index>(i)));
}

model::DataDescription GaussianMixture::describe_data() const {
    return {{{"y", {{"point", static_cast<Index>(data_.size())}}, data_}}, {}};
}

void GaussianMixture::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("gaussian-mixture");
    fingerprint.add(std::span<const double>(data_));
    const auto& p = settings_.prior;
    for (const double value : {static_cast<double>(settings_.components), p.concentration, p.mean, p.mean_variance,
                               p.precision_shape, p.precision_rate})
        fingerprint.add(value);
    fingerprint.add(settings_.path == GaussianMixtureSettings::Path::data ? "data" : "likelihood");
}

namespace {

// Exact evidence of small mixtures: a sum over allocations.

constexpr std::size_t most_points = 12;
constexpr double most_allocations = 65536;

/// log of the integral over mu and tau of prior times likelihood of the points in one component. tau is integrated in
/// closed form, mu by quadrature over ten prior standard deviations.
double log_component_evidence(const MixturePrior& prior, const std::vector<double>& points) {
    const auto n = static_cast<double>(points.size());
    if (points.empty())
        return 0;
    const double shape = prior.precision_shape + n / 2;
    const double constant = prior.precision_shape * std::log(prior.precision_rate) -
                            std::lgamma(prior.precision_shape) + std::lgamma(shape) -
                            0.5 * (n + 1) * std::log(2 * std::numbers::pi) - 0.5 * std::log(prior.mean_variance);
    const auto log_integrand = [&](double mu) {
        double squares = 0;
        for (const double y : points)
            squares += (y - mu) * (y - mu);
        const double d = mu - prior.mean;
        return -0.5 * d * d / prior.mean_variance - shape * std::log(prior.precision_rate + squares / 2);
    };
    const double width = std::sqrt(prior.mean_variance);
    double top = log_zero;
    for (int k = -100; k <= 100; ++k)
        top = std::max(top, log_integrand(prior.mean + 0.1 * k * width));
    const double integral = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
        [&](double mu) { return std::exp(log_integrand(mu) - top); }, prior.mean - 10 * width, prior.mean + 10 * width,
        15, 1e-12);
    return constant + top + std::log(integral);
}

} // namespace

std::optional<double> GaussianMixture::exact_log_ratio(double b_end) const {
    const auto J = static_cast<std::size_t>(components());
    const std::size_t n = data_.size();
    const double allocations = std::pow(static_cast<double>(J), static_cast<double>(n));
    const bool is_small = J == 1 || (n <= most_points && allocations <= most_allocations);
    if (b_end != 1 || !is_small)
        return {};
    if (J == 1)
        return log_component_evidence(settings_.prior, data_);

    // A component's evidence depends on the set of its points alone.
    std::vector<double> of_subset(std::size_t{1} << n);
    for (std::size_t subset = 0; subset < of_subset.size(); ++subset) {
        std::vector<double> points;
        for (std::size_t l = 0; l < n; ++l)
            if (subset >> l & 1)
                points.push_back(data_[l]);
        of_subset[subset] = log_component_evidence(settings_.prior, points);
    }
    const double c = settings_.prior.concentration, total = c * static_cast<double>(J);
    std::vector<double> terms;
    for (std::size_t allocation = 0; allocation < static_cast<std::size_t>(allocations); ++allocation) {
        std::vector<std::size_t> subsets(J, 0), counts(J, 0);
        std::size_t rest = allocation;
        for (std::size_t l = 0; l < n; ++l, rest /= J) {
            subsets[rest % J] |= std::size_t{1} << l;
            ++counts[rest % J];
        }
        // Dirichlet and categorical, the weights integrated out.
        double term = std::lgamma(total) - std::lgamma(total + static_cast<double>(n));
        for (std::size_t j = 0; j < J; ++j)
            term += std::lgamma(c + static_cast<double>(counts[j])) - std::lgamma(c) + of_subset[subsets[j]];
        terms.push_back(term);
    }
    return log_sum_exp(terms);
}

} // namespace pearlite::models
