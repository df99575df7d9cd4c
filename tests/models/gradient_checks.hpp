#pragma once
/// Checks for the gradient of every density.

#include "pearlite/model/detail/density_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace pearlite::testing {

/// A density behind the interface of kernels, at n points drawn from its prior.
class Differentiated {
  public:
    template <class D>
    Differentiated(D density, Index n)
        : density_(std::make_shared<const model::DensityOf<D>>(std::move(density))),
          gradient_(density_->template offers<model::DensityGradient>()),
          points(density_->dimension(), n) {
        for (Index i = 0; i < n; ++i) {
            random::Stream stream({2026, random::Purpose::test, static_cast<std::uint64_t>(i), 0});
            density_->draw_prior(stream, {points.col(i).data(), static_cast<std::size_t>(points.rows())});
        }
    }

    struct Logs {
        Vector prior, likelihood;
        double at(Index i, double b) const { return prior(i) + (b == 0 ? 0 : b * likelihood(i)); }
    };
    Logs logs(const Matrix& at) const {
        const Matrix all = padded_block(at);
        Logs logs{Vector(all.cols()), Vector(all.cols())};
        density_->evaluate(all, at.cols(), {}, logs.prior, logs.likelihood);
        return logs;
    }
    /// The logs with the gradient, d x n.
    std::pair<Logs, Matrix> gradients(const Matrix& at, double b) const {
        const Matrix all = padded_block(at);
        Logs logs{Vector(all.cols()), Vector(all.cols())};
        Matrix gradient(all.rows(), all.cols());
        gradient_->evaluate(all, at.cols(), b, logs.prior, logs.likelihood, gradient);
        return {std::move(logs), gradient.leftCols(at.cols())};
    }
    /// The forces, which trajectories follow, d x n.
    Matrix forces(const Matrix& at, double b) const {
        const Matrix all = padded_block(at);
        Vector log_prior(all.cols()), log_likelihood(all.cols());
        Matrix force(all.rows(), all.cols());
        gradient_->evaluate_force(all, at.cols(), b, false, log_prior, log_likelihood, force);
        return force.leftCols(at.cols());
    }
    /// The logs that come with the end of a trajectory.
    Logs logs_with_forces(const Matrix& at, double b) const {
        const Matrix all = padded_block(at);
        Logs logs{Vector(all.cols()), Vector(all.cols())};
        Matrix force(all.rows(), all.cols());
        gradient_->evaluate_force(all, at.cols(), b, true, logs.prior, logs.likelihood, force);
        return logs;
    }
    bool is_offered() const { return gradient_ != nullptr; }

  private:
    /// The points in a padded block. Columns beyond them are NaN, since no result may depend on them.
    static Matrix padded_block(const Matrix& at) {
        Matrix all = Matrix::Constant(at.rows(), padded(at.cols()), std::nan(""));
        all.leftCols(at.cols()) = at;
        return all;
    }

    std::shared_ptr<const model::DensityFunctions> density_;
    const model::DensityGradient* gradient_;

  public:
    Matrix points;
};

/// log prior + b log likelihood of one point differentiated by coordinate k: central differences of fourth order, whose
/// error is about step^4 and rounding/step.
inline double difference(const Differentiated& density, const Vector& x, Index k, double b, double step) {
    Matrix at = x.replicate(1, 4);
    at.row(k) += step * Eigen::RowVector4d{-2, -1, 1, 2};
    const auto logs = density.logs(at);
    return (8 * (logs.at(2, b) - logs.at(1, b)) - (logs.at(3, b) - logs.at(0, b))) / (12 * step);
}

/// The logs are those of evaluate(), the gradient that of differences. The errors allowed are relative, the gradient's
/// to its largest component.
inline void expect_gradient_of_density(const Differentiated& density, double step, double relative) {
    ASSERT_TRUE(density.is_offered());
    const Matrix& points = density.points;
    const auto expected = density.logs(points);
    for (const double b : {0.0, 0.3, 1.0}) {
        const auto [logs, gradient] = density.gradients(points, b);
        for (Index i = 0; i < points.cols(); ++i) {
            EXPECT_NEAR(logs.prior(i), expected.prior(i), 1e-13 * std::abs(expected.prior(i)));
            EXPECT_NEAR(logs.likelihood(i), expected.likelihood(i), 1e-12 * std::abs(expected.likelihood(i)));
            const double scale = std::max(1.0, gradient.col(i).cwiseAbs().maxCoeff());
            for (Index k = 0; k < points.rows(); ++k)
                ASSERT_NEAR(gradient(k, i), difference(density, points.col(i), k, b, step), relative * scale)
                    << "point " << i << ", coordinate " << k << ", b " << b;
        }
    }
}

/// A point alone, and in another lane, has the bits that it has among the others.
inline void expect_gradient_without_neighbours(const Differentiated& density) {
    const auto [logs, together] = density.gradients(density.points, 0.7);
    for (Index i = 0; i < density.points.cols(); ++i) {
        Matrix few = density.points.leftCols(std::min<Index>(density.points.cols(), 5));
        const Index lane = (3 * i + 1) % few.cols();
        few.col(lane) = density.points.col(i);
        const auto [own, gradient] = density.gradients(few, 0.7);
        const Vector alone = gradient.col(lane), among = together.col(i);
        ASSERT_EQ(std::memcmp(alone.data(), among.data(), sizeof(double) * static_cast<std::size_t>(alone.size())), 0);
        ASSERT_EQ(own.prior(lane), logs.prior(i));
        ASSERT_EQ(own.likelihood(lane), logs.likelihood(i));
    }
}

} // namespace pearlite::testing
