#pragma once
/// The shape of a population of points at one temperature, from which kernels of densities make their proposals.

#include "population/generation.hpp"
#include "population/weights.hpp"
#include "simd/triangular_factor.hpp"

#include <span>

namespace pearlite::kernel {

/// Which covariances a shape holds: all, or variances alone; `automatic` takes all of them where they can be estimated.
enum class Covariance { automatic, full, diagonal };

/// A mean and a factor L with L L' = covariance: lower triangular (d x d), or the standard deviations (d x 1).
class Shape {
  public:
    Shape() = default;
    Shape(Vector mean, Matrix factor);

    const Vector& mean() const { return mean_; }
    const Matrix& factor() const { return factor_; }
    Index dimension() const { return mean_.size(); }
    bool is_diagonal() const { return factor_.cols() == 1; }

    /// x -> L x for the columns of x; `out` must not be x.
    void scale(const Matrix& x, Matrix& out) const;
    /// x -> L' x for the columns of x; `out` must not be x.
    void scale_transposed(const Matrix& x, Matrix& out) const;
    /// x -> L^-1 x, in place.
    void whiten(Eigen::Ref<Matrix> x) const;

    /// Mean, then factor column by column: numbers(d, is_diagonal) of them.
    void write(std::span<double> out) const;
    static Shape read(std::span<const double> numbers, Index dimension, bool is_diagonal);
    static Index numbers(Index dimension, bool is_diagonal) {
        return is_diagonal ? 2 * dimension : dimension * (dimension + 1);
    }

    /// Mean 0 and covariance I.
    static Shape standard(Index dimension, bool is_diagonal);

  private:
    Vector mean_;
    Matrix factor_;
    simd::TriangularFactor products_; ///< of a factor that is not diagonal
};

/// Collective. The weighted mean and shrunk covariance of a population of points. Coordinates without a usable variance
/// take the rows of `fallback`. `known`: the summary of the log weights, if there is one already. `scale`: lower
/// triangular, d x d, of a distribution that is nearer to the population than independent coordinates are; null: there
/// is none. The covariance is then shrunk in coordinates in which that distribution is standard, since shrinking
/// correlations that are there leaves proposals thousands of times too wide where coordinates are nearly dependent.
Shape shape_of(const parallel::Communicator& ranks, const population::Generation& generation, const Shape& fallback,
               const population::WeightSummary* known = nullptr, const Matrix* scale = nullptr);

/// The covariance (d x d) of n points with its correlations r multiplied by 1 - sum Var[r]/sum r^2, at least 0, over
/// all pairs, Var[r] = (1 - r^2)^2/n for normal points (Schaefer & Strimmer 2005, section 2.3). This removes the noise
/// of correlations. Without it trajectories are tuned on particles whose noise is in the shape, and fail on other
/// particles. `scale`: as above.
Matrix shrunk_covariance(const Matrix& covariance, double n, const Matrix* scale = nullptr);

/// A factor of the covariance; of its diagonal, if it is not positive definite (few distinct particles). Variances of
/// zero (or not finite) take the rows of `fallback` (d x d).
Matrix covariance_factor(const Matrix& covariance, const Matrix& fallback);

/// Whether shapes in d dimensions, estimated from n particles, hold variances alone. `automatic` is full for d <= 200
/// and n > 5 d, beyond which a covariance is too noisy, and its products cost more than most densities.
bool is_diagonal(Covariance wanted, Index dimension, Index particles);

} // namespace pearlite::kernel
