#include "models/gaussian_process/orthant/orthant.hpp"

#include "models/gaussian_process/orthant/orthant_block.hpp"
#include "models/gaussian_process/orthant/truncated_normal.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

namespace pearlite::models {

namespace {

using model::BlockStreams;

template <class Real>
class OrthantStage final : public model::GrowingStage {
  public:
    explicit OrthantStage(const OrthantSettings& settings) : precision_(settings.covariance, settings.order) {
        const Index n = settings.signs.size();
        for (const Index i : settings.order) {
            signs_.push_back(static_cast<Real>(settings.signs(i)));
            first_sd_ = first_sd_ > 0 ? first_sd_ : std::sqrt(settings.covariance(i, i));
        }
        stride_ = (n + 15) / 16 * 16;
        rows_.assign(at(n * stride_), Real{0});
        copy_precision();
    }

    Index n() const override { return precision_.n(); }
    void grow() override {
        precision_.grow();
        copy_precision();
    }
    std::unique_ptr<Block> make_block(Index size) const override {
        return std::make_unique<PanelBlock<Real>>(n(), size);
    }
    void draw_first(Block& block, const BlockStreams& streams) const override {
        auto& own = own_block<PanelBlock<Real>>(block);
        for (Index i = 0; i < own.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::start, i));
            own.row(i / panel_width, 0)[i % panel_width] =
                signs_.front() * static_cast<Real>(std::abs(first_sd_ * stream.normal()));
        }
    }
    void sweep(Block& block, const BlockStreams& streams) const override {
        auto& own = own_block<PanelBlock<Real>>(block);
        sweep_orthant<Real>(own, {rows_.data(), stride_, signs_.data()}, scan_order(n(), streams), streams);
    }
    void smooth(Block& block, const BlockStreams&, std::span<double> out) const override {
        const auto& own = own_block<PanelBlock<Real>>(block);
        const double scale = static_cast<double>(signs_[at(n())]) / std::sqrt(precision_.next_variance());
        by_panels(own, [&](Index first, std::span<const double> means) {
            for (std::size_t i = 0; i < means.size(); ++i)
                out[at(first) + i] = log_normal_cdf(scale * means[i]);
        });
    }
    void augment(Block& block, const BlockStreams& streams) const override {
        auto& own = own_block<PanelBlock<Real>>(block);
        const auto sign = static_cast<double>(signs_[at(n())]);
        const double sd = std::sqrt(precision_.next_variance());
        std::vector<double> next(at(own.size()));
        by_panels(own, [&](Index first, std::span<const double> means) {
            for (std::size_t i = 0; i < means.size(); ++i) {
                random::Stream stream(streams.at(random::Purpose::start, first + static_cast<Index>(i)));
                next[at(first) + i] = truncated_normal(means[i], sd, sign, stream);
            }
        });
        own.add_variable();
        for (Index i = 0; i < own.size(); ++i)
            own.row(i / panel_width, own.n() - 1)[i % panel_width] = static_cast<Real>(next[at(i)]);
    }
    void log_density(const Block& block, std::span<double> out) const override {
        const auto& own = own_block<PanelBlock<Real>>(block);
        Vector z(n());
        for (Index i = 0; i < own.size(); ++i) {
            for (Index k = 0; k < n(); ++k)
                z(k) = own.state(k, i);
            out[at(i)] = -0.5 * z.dot(precision_.matrix() * z);
        }
    }

  private:
    /// use(first slot, means of the next variable) for the particles of each panel.
    template <class Use>
    void by_panels(const PanelBlock<Real>& block, const Use& use) const {
        std::array<double, at(panel_width)> means;
        for (Index p = 0; p < block.n_panels(); ++p) {
            simd::on_this_cpu([&](auto cpu) {
                OrthantKernels<decltype(cpu)>::project(block.panel(p), precision_.coefficients().data(), n(),
                                                       means.data());
            });
            const Index first = p * panel_width;
            use(first, std::span(means).first(at(std::min(panel_width, block.size() - first))));
        }
    }
    void copy_precision() {
        for (Index i = 0; i < n(); ++i)
            for (Index k = 0; k < n(); ++k)
                rows_[at(i * stride_ + k)] = static_cast<Real>(precision_.matrix()(k, i));
    }

    GrowingPrecision precision_;
    std::vector<Real> signs_; ///< in the order of the variables
    double first_sd_ = 0;
    Index stride_ = 0;
    std::vector<Real> rows_; ///< of S, for sweeps
};

} // namespace

Orthant::Orthant(OrthantSettings settings) : settings_(std::move(settings)) {
    const Index n = settings_.signs.size();
    PEARLITE_EXPECTS(n >= 1 && settings_.covariance.rows() == n && settings_.covariance.cols() == n);
    PEARLITE_EXPECTS(std::ssize(settings_.order) == n);
}

std::unique_ptr<model::GrowingStage> Orthant::first_stage() const {
    if (settings_.is_double)
        return std::make_unique<OrthantStage<double>>(settings_);
    return std::make_unique<OrthantStage<float>>(settings_);
}

double Orthant::log_normaliser_first() const {
    return -std::numbers::ln2;
}

std::optional<double> Orthant::exact_log_normaliser() const {
    if (settings_.exact_log_probability)
        return settings_.exact_log_probability;
    const auto& sigma = settings_.covariance;
    const Index n = n_variables();
    if (sigma.isDiagonal(0))
        return -static_cast<double>(n) * std::numbers::ln2;
    const auto angle = [&](Index i, Index j) {
        return std::asin(settings_.signs(i) * settings_.signs(j) * sigma(i, j) / std::sqrt(sigma(i, i) * sigma(j, j)));
    };
    if (n == 2)
        return std::log(0.25 + angle(0, 1) / (2 * std::numbers::pi));
    if (n == 3)
        return std::log(0.125 + (angle(0, 1) + angle(0, 2) + angle(1, 2)) / (4 * std::numbers::pi));
    return {};
}

void Orthant::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("orthant");
    fingerprint.add(std::span<const double>(settings_.covariance.data(), at(settings_.covariance.size())));
    fingerprint.add(std::span<const double>(settings_.signs.data(), at(settings_.signs.size())));
    for (const Index i : settings_.order)
        fingerprint.add(static_cast<double>(i));
    fingerprint.add(settings_.is_double ? 1.0 : 0.0);
}

Matrix orthant_states(const Block& block) {
    const auto& own = dynamic_cast<const OrthantBlock&>(block);
    Matrix states(own.n(), own.size());
    for (Index i = 0; i < own.size(); ++i)
        for (Index k = 0; k < own.n(); ++k)
            states(k, i) = own.state(k, i);
    return states;
}

double log_equicorrelated_orthant(Index n_positive, Index n_negative, double rho) {
    PEARLITE_EXPECTS(n_positive >= 0 && n_negative >= 0 && rho >= 0 && rho < 1);
    // z = sqrt(rho) t + sqrt(1 - rho) e: the integral of phi(t) Phi(s t)^n_positive Phi(-s t)^n_negative, s =
    // sqrt(rho/(1
    // - rho)), by the trapezoidal rule, which is exact for such functions once the step is small.
    constexpr double end = 40, step = 1.0 / 256;
    const double slope = std::sqrt(rho / (1 - rho));
    const auto log_term = [&](double t) {
        return -0.5 * t * t + static_cast<double>(n_positive) * log_normal_cdf(slope * t) +
               static_cast<double>(n_negative) * log_normal_cdf(-slope * t);
    };
    double largest = log_zero, sum = 0;
    for (double t = -end; t <= end; t += step)
        largest = std::max(largest, log_term(t));
    for (double t = -end; t <= end; t += step)
        sum += std::exp(log_term(t) - largest);
    return largest + std::log(sum * step) - 0.5 * std::log(2 * std::numbers::pi);
}

GrowingPrecision::GrowingPrecision(const Matrix& covariance, std::vector<Index> order)
    : covariance_(covariance),
      order_(std::move(order)),
      precision_(Matrix::Zero(covariance.rows(), covariance.cols())) {
    PEARLITE_EXPECTS(covariance.rows() == covariance.cols() && std::ssize(order_) == covariance.rows());
    precision_(0, 0) = 1 / covariance(order_[0], order_[0]);
    find_next();
}

void GrowingPrecision::find_next() {
    if (n_ == covariance_.rows())
        return;
    const Index next = order_[at(n_)];
    Vector s(n_);
    for (Index i = 0; i < n_; ++i)
        s(i) = covariance_(order_[at(i)], next);
    coefficients_.noalias() = matrix().selfadjointView<Eigen::Lower>() * s;
    next_variance_ = covariance_(next, next) - s.dot(coefficients_);
    if (!(next_variance_ > 0))
        throw NumericalError(fmt::format("the covariance of {} variables is not positive definite", n_ + 1));
}

void GrowingPrecision::grow() {
    PEARLITE_EXPECTS(n_ < covariance_.rows());
    const double c = 1 / next_variance_;
    for (Index j = 0; j < n_; ++j)
        precision_.col(j).head(n_) += c * coefficients_(j) * coefficients_;
    precision_.col(n_).head(n_) = -c * coefficients_;
    precision_.row(n_).head(n_) = -c * coefficients_.transpose();
    precision_(n_, n_) = c;
    ++n_;
    find_next();
}

} // namespace pearlite::models
