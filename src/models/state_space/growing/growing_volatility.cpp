#include "models/state_space/growing/growing_volatility.hpp"

#include "random/fill.hpp"

#include <fmt/format.h>

#include <numbers>

namespace pearlite::models {

using model::BlockStreams;

GrowingVolatility::GrowingVolatility(const VolatilityParameters& parameters, std::vector<double> returns, bool adapted)
    : parameters_(parameters), returns_(std::move(returns)), adapted_(adapted) {
    PEARLITE_EXPECTS(parameters_.valid() && !returns_.empty());
}

double GrowingVolatility::log_first() const {
    return quadrature_log_likelihood(parameters_, std::span<const double>(returns_).first(1));
}

std::optional<double> GrowingVolatility::log_likelihood() const {
    try {
        return quadrature_log_likelihood(parameters_, returns_);
    } catch (const NumericalError&) {
        return {};
    }
}

double GrowingVolatility::shock(Index t, double h, double g) const {
    return returns_[at(t)] * std::exp(-h / 2) * std::sqrt(g);
}

double GrowingVolatility::next_mean(Index t, double h, double g) const {
    const double mean = parameters_.mu + parameters_.phi * (h - parameters_.mu);
    return parameters_.rho == 0 || misses(t) ? mean : mean + parameters_.sigma * parameters_.rho * shock(t, h, g);
}

double GrowingVolatility::draw_mixing(Index t, double h, random::Stream& stream) const {
    if (misses(t))
        return 1;
    const double error = shock(t, h, 1), nu = parameters_.nu;
    return 2 * stream.gamma((nu + 1) / 2) / (nu + error * error);
}

void GrowingVolatility::draw_first(StateBlock& block, const BlockStreams& streams) const {
    const auto y = observation(0);
    const double mean = parameters_.mu, sd = parameters_.stationary_sd();
    const double point = y.tangent_point(mean, sd), slope = y.slope(point), bound = y.log_density(point);
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        double h = 0;
        do // The tangent lies above the log density.
            h = mean + sd * sd * slope + sd * stream.normal();
        while (-stream.exponential() >= y.log_density(h) - bound - slope * (h - point));
        block.row(0)[i] = h;
        if (has_mixing())
            block.row(0, 1)[i] = draw_mixing(0, h, stream);
    }
}

void GrowingVolatility::propose(StateBlock& block, Index t, const BlockStreams& streams,
                                std::span<double> log_weights) const {
    const auto y = observation(t);
    const double sd = this->sd(t);
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        const double mean = next_mean(block, t - 1, i), slope = adapted_ ? y.slope(y.tangent_point(mean, sd)) : 0;
        const double h = mean + sd * sd * slope + sd * stream.normal();
        // The ratio of the two normal densities is exp(slope (mean - h) + sd^2 slope^2/2).
        log_weights[at(i)] = y.log_density(h) + slope * (mean - h) + 0.5 * sd * sd * slope * slope;
        block.row(t)[i] = h;
        if (has_mixing())
            block.row(t, 1)[i] = draw_mixing(t, h, stream);
    }
}

void GrowingVolatility::sweep(StateBlock& block, Index from, Index n, const BlockStreams& streams) const {
    const double mu = parameters_.mu, phi = parameters_.phi, sigma = parameters_.sigma, rho = parameters_.rho,
                 nu = parameters_.nu;
    const Index width = block.padded_size();
    std::vector<double> normals(at((n - from) * width)), exponentials(normals.size());
    random::fill_normal(streams.shared(random::Purpose::move), normals);
    random::fill_exponential(streams.shared(random::Purpose::accept), exponentials);
    std::vector<random::Stream> of_mixing;
    for (Index i = 0; has_mixing() && i < block.size(); ++i)
        of_mixing.emplace_back(streams.at(random::Purpose::likelihood, i));

    for (Index t = from; t < n; ++t) {
        const bool is_first = t == 0, is_last = t + 1 == n;
        const double before = 1 / (sd(t) * sd(t)), innovation = is_last ? 0 : 1 / (sd(t + 1) * sd(t + 1)),
                     variance = 1 / (before + (is_last ? 0 : phi * phi * innovation)), own_sd = std::sqrt(variance);
        const auto y = observation(t);
        for (Index i = 0; i < block.size(); ++i) {
            const auto k = at((t - from) * width + i);
            const double past_mean = is_first ? mu : next_mean(block, t - 1, i);
            double leverage = 0; // sigma rho z_t, as the proposal has it
            const bool has_leverage = rho != 0 && !is_last && !misses(t);
            if (has_leverage) {
                const double z = shock(t, past_mean, 1);
                leverage = sigma * rho * (has_mixing() ? z * std::sqrt((nu + 1) / (nu + z * z)) : z);
            }
            const double next = is_last ? 0 : block.row(t + 1)[i] - mu - leverage;
            double deviation = before * (past_mean - mu);
            if (!is_last)
                deviation += phi * innovation * next;
            const double mean = mu + variance * deviation;
            const double slope = y.slope(y.tangent_point(mean, own_sd));
            // log of target over proposal, up to a constant
            const auto excess = [&](double h, double g) {
                double sum = y.log_density(h) - slope * h;
                if (has_leverage) {
                    const double proposed = next - phi * (h - mu), target = block.row(t + 1)[i] - next_mean(t, h, g);
                    sum += 0.5 * innovation * (proposed * proposed - target * target);
                }
                return sum;
            };
            double& h = block.row(t)[i];
            double one = 1;
            double& g = has_mixing() ? block.row(t, 1)[i] : one;
            const double to = mean + variance * slope + own_sd * normals[k];
            const double to_g = has_mixing() ? draw_mixing(t, to, of_mixing[at(i)]) : 1;
            if (-exponentials[k] < excess(to, to_g) - excess(h, g)) {
                h = to;
                g = to_g;
            }
        }
    }
}

void GrowingVolatility::log_density(const StateBlock& block, Index n, std::span<double> out) const {
    const auto log_normal = [](double difference, double sd) {
        return -0.5 * (std::log(2 * std::numbers::pi) + difference * difference / (sd * sd)) - std::log(sd);
    };
    for (Index i = 0; i < block.size(); ++i) {
        double sum = 0;
        for (Index t = 0; t < n; ++t) {
            const double h = block.row(t)[i];
            sum += observation(t).log_density(h) +
                   log_normal(h - (t == 0 ? parameters_.mu : next_mean(block, t - 1, i)), sd(t));
            if (has_mixing() && !misses(t)) { // gamma, given the error
                const double error = shock(t, h, 1), shape = (parameters_.nu + 1) / 2,
                             rate = (parameters_.nu + error * error) / 2, g = block.row(t, 1)[i];
                sum += shape * std::log(rate) - std::lgamma(shape) + (shape - 1) * std::log(g) - rate * g;
            }
        }
        out[at(i)] = sum;
    }
}

std::string GrowingVolatility::description() const {
    const auto& [mu, phi, sigma, rho, nu] = parameters_;
    auto text = fmt::format("mu {:.6g}, phi {:.6g}, sigma {:.6g}", mu, phi, sigma);
    if (rho != 0)
        text += fmt::format(", rho {:.6g}", rho);
    if (parameters_.student())
        text += fmt::format(", nu {:.6g}", nu);
    return text;
}

void GrowingVolatility::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("stochastic-volatility");
    fingerprint.add(std::span<const double>(returns_));
    for (const double value :
         {parameters_.mu, parameters_.phi, parameters_.sigma, parameters_.rho, parameters_.nu, adapted_ ? 1.0 : 0.0})
        fingerprint.add(value);
}

} // namespace pearlite::models
