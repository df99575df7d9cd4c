#include "models/gaussian_process/orthant/growing_precision.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace pearlite::models {

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
