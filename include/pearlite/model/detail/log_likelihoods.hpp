#pragma once
/// Log likelihoods of each data point, by which models are compared (WAIC, leave-one-out).

#include "pearlite/core/detail/block.hpp"
#include "pearlite/model/density.hpp"
#include "pearlite/model/detail/density_functions.hpp"

#include <memory>
#include <span>

namespace pearlite::model {

/// The data points are independent given the parameters.
class PointLogLikelihoods {
  public:
    virtual ~PointLogLikelihoods() = default;
    /// The log likelihoods of the N data points at the first n columns of `points` (d x padded): N x n. Points of a
    /// density of zero may get any number.
    virtual Matrix log_likelihoods(const Matrix& points, Index n) const = 0;
};

/// The same of a target's particles, at the end of its path: N x block size.
class BlockLogLikelihoods {
  public:
    virtual ~BlockLogLikelihoods() = default;
    virtual Matrix log_likelihoods(const Block& block) const = 0;
};

namespace detail {

template <HasLogLikelihoods D>
struct PointLogLikelihoodsOf final : PointLogLikelihoods {
    explicit PointLogLikelihoodsOf(std::shared_ptr<const D> d) : density(std::move(d)) {}
    Matrix log_likelihoods(const Matrix& points, Index n) const override {
        Matrix values;
        for (Index i = 0; i < n; ++i) {
            const Vector of_point =
                density->log_likelihoods({points.col(i).data(), static_cast<std::size_t>(points.rows())});
            if (i == 0)
                values.resize(of_point.size(), n);
            values.col(i) = of_point;
        }
        return values;
    }
    std::shared_ptr<const D> density;
};

/// Log likelihoods of single points, by a likelihood that can be evaluated for any run of the data points.
struct LogLikelihoodsOfRuns final : PointLogLikelihoods {
    explicit LogLikelihoodsOfRuns(std::shared_ptr<const PointwiseLikelihood> l) : likelihood(std::move(l)) {}
    Matrix log_likelihoods(const Matrix& points, Index n) const override {
        Matrix values(likelihood->data_points(), n);
        Vector log_prior(points.cols()), log_likelihood(points.cols());
        for (Index k = 0; k < values.rows(); ++k) {
            likelihood->evaluate(points, n, k, k + 1, log_prior, log_likelihood);
            values.row(k) = log_likelihood.head(n).transpose();
        }
        return values;
    }
    std::shared_ptr<const PointwiseLikelihood> likelihood;
};

} // namespace detail

} // namespace pearlite::model
