#pragma once
/// Densities with known evidence for paths from a fitted reference.

#include "core/linear_algebra/linear_algebra.hpp"
#include "core/log_space.hpp"
#include "core/moments.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

namespace pearlite::path::testing {

inline double log_normal(double x, double mean, double sd) {
    const double z = (x - mean) / sd;
    return -0.5 * z * z - std::log(sd) - 0.5 * std::log(2 * std::numbers::pi);
}

/// y ~ N(X beta, I), beta ~ N(0, 3^2 I), 3 d + 5 simulated responses.
class KnownRegression {
  public:
    explicit KnownRegression(Index d) : design_(3 * d + 5, d), response_(3 * d + 5) {
        random::Stream stream({7, random::Purpose::test, static_cast<std::uint64_t>(d), 0});
        for (Index k = 0; k < d; ++k)
            for (Index i = 0; i < response_.size(); ++i) // neighbours correlated
                design_(i, k) = stream.normal() + (k > 0 ? 0.5 * design_(i, k - 1) : 0);
        for (Index i = 0; i < response_.size(); ++i)
            response_(i) = stream.normal() + design_.row(i).mean();
        gram_ = column_products(design_);
        image_ = design_.transpose() * response_;
    }
    std::vector<std::string> parameter_names() const {
        std::vector<std::string> names;
        for (Index k = 0; k < design_.cols(); ++k)
            names.push_back("beta" + std::to_string(k + 1));
        return names;
    }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = prior_sd * stream.normal();
    }
    double log_prior(std::span<const double> x) const {
        double sum = 0;
        for (const double value : x)
            sum += log_normal(value, 0, prior_sd);
        return sum;
    }
    double log_likelihood(std::span<const double> x) const {
        const Vector beta = Eigen::Map<const Vector>(x.data(), design_.cols());
        const double squares = response_.squaredNorm() - 2 * beta.dot(image_) + beta.dot(gram_ * beta);
        return -0.5 * squares - 0.5 * static_cast<double>(response_.size()) * std::log(2 * std::numbers::pi);
    }
    /// log N(y; 0, 3^2 X X' + I).
    double exact_log_ratio() const {
        const Index n = response_.size();
        const Matrix covariance = prior_sd * prior_sd * row_products(design_) + Matrix::Identity(n, n);
        const Matrix factor = cholesky_factor(covariance).value();
        return -0.5 * response_.dot(cholesky_solution(factor, response_)) - factor.diagonal().array().log().sum() -
               0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
    }
    /// The precision of the posterior.
    Matrix precision() const { return gram_ + Matrix::Identity(gram_.rows(), gram_.rows()) / (prior_sd * prior_sd); }

    /// The gradient of log prior + b log likelihood.
    Vector tempered_gradient(const Vector& beta, double b) const {
        return -beta / (prior_sd * prior_sd) + b * (image_ - gram_ * beta);
    }

  private:
    static constexpr double prior_sd = 3;
    Matrix design_, gram_;
    Vector response_, image_;
};

/// The same with its gradient.
struct SlopedRegression : KnownRegression {
    using KnownRegression::KnownRegression;
    void gradient(std::span<const double> x, double b, std::span<double> gradient) const {
        Eigen::Map<Vector>(gradient.data(), static_cast<Index>(x.size())) =
            tempered_gradient(Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size())), b);
    }
};

/// Prior uniform on (-20, 20) in each dimension, the likelihood a mixture of two normal densities of masses 1 and 3
/// around -8 and 8 in the first coordinate, of standard deviation 1 and 0.5. The prior leaves its constant out.
struct TwoPeaks {
    Index d = 2;
    std::vector<std::string> parameter_names() const {
        std::vector<std::string> names;
        for (Index k = 0; k < d; ++k)
            names.push_back("x" + std::to_string(k + 1));
        return names;
    }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.uniform(-20, 20);
    }
    double log_prior(std::span<const double> x) const {
        for (const double value : x)
            if (!(std::fabs(value) < 20))
                return log_zero;
        return 0;
    }
    double log_likelihood(std::span<const double> x) const {
        double wide = 0, narrow = std::log(3);
        for (std::size_t k = 0; k < x.size(); ++k) {
            wide += log_normal(x[k], k == 0 ? -8 : 0, 1);
            narrow += log_normal(x[k], k == 0 ? 8 : 0, 0.5);
        }
        return log_add(wide, narrow);
    }
    double log_prior_normaliser() const { return static_cast<double>(d) * std::log(40); }
    double exact_log_ratio() const { return std::log(4) - log_prior_normaliser(); }
};

} // namespace pearlite::path::testing
