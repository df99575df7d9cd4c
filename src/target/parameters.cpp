#include "pearlite/model/parameters.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <cmath>

namespace pearlite::model {

SupportMap::SupportMap(double lower, double upper) : lower_(lower), width_(upper - lower) {
    PEARLITE_EXPECTS(lower < upper && (std::isfinite(lower) || !std::isfinite(upper)));
    kind_ = std::isfinite(upper) ? Kind::interval : std::isfinite(lower) ? Kind::half_line : Kind::line;
}

double SupportMap::natural(double u) const {
    switch (kind_) {
    case Kind::line:
        return u;
    case Kind::half_line:
        return lower_ + std::exp(u);
    default:
        return lower_ + width_ * logistic(u);
    }
}

double SupportMap::unconstrained(double x) const {
    switch (kind_) {
    case Kind::line:
        return x;
    case Kind::half_line:
        return std::log(x - lower_);
    default:
        return logit((x - lower_) / width_);
    }
}

double SupportMap::slope(double u) const {
    switch (kind_) {
    case Kind::line:
        return 1;
    case Kind::half_line:
        return std::exp(u);
    default:
        return width_ * logistic(u) * logistic(-u);
    }
}

double SupportMap::log_jacobian(double u) const {
    switch (kind_) {
    case Kind::line:
        return 0;
    case Kind::half_line:
        return u;
    default: // log width + log p + log(1 - p)
        return std::log(width_) - softplus(-u) - softplus(u);
    }
}

double SupportMap::log_jacobian_slope(double u) const {
    switch (kind_) {
    case Kind::line:
        return 0;
    case Kind::half_line:
        return 1;
    default: // 1 - 2 p
        return -std::tanh(u / 2);
    }
}

void Parameters::add(std::string name, const Prior& prior) {
    names_.push_back(std::move(name));
    priors_.push_back(prior);
    maps_.emplace_back(prior.lower(), prior.upper());
}

void Parameters::draw(random::Stream& stream, std::span<double> u) const {
    PEARLITE_EXPECTS(static_cast<Index>(u.size()) == size());
    for (std::size_t k = 0; k < u.size(); ++k)
        do // a draw may round to an end of its support
            u[k] = maps_[k].unconstrained(priors_[k].draw(stream));
        while (!std::isfinite(u[k]));
}

double Parameters::log_prior(std::span<const double> u) const {
    PEARLITE_EXPECTS(static_cast<Index>(u.size()) == size());
    double sum = 0;
    for (std::size_t k = 0; k < u.size(); ++k)
        sum += priors_[k].log_density(maps_[k].natural(u[k])) + maps_[k].log_jacobian(u[k]);
    return std::isnan(sum) ? log_zero : sum;
}

double Parameters::log_prior(std::span<const double> u, std::span<double> gradient) const {
    PEARLITE_EXPECTS(gradient.size() == u.size());
    for (std::size_t k = 0; k < u.size(); ++k)
        gradient[k] = priors_[k].log_density_slope(maps_[k].natural(u[k])) * maps_[k].slope(u[k]) +
                      maps_[k].log_jacobian_slope(u[k]);
    return log_prior(u);
}

void Parameters::fingerprint(Fingerprint& fingerprint) const {
    for (std::size_t k = 0; k < names_.size(); ++k) {
        fingerprint.add(names_[k]);
        fingerprint.add(priors_[k].text());
    }
}

} // namespace pearlite::model
