#pragma once
/// Mixtures of multivariate Student t distributions as proposals, fitted to weighted points by expectation-maximisation
/// steps (Cappé, Douc, Guillin, Marin & Robert 2008, "Adaptive importance sampling in general mixture classes").

#include "pearlite/random/stream.hpp"
#include "simd/triangular_factor.hpp"

#include <span>
#include <vector>

namespace pearlite::random {

/// sum_k weight_k t_df(mean_k, L_k L_k'); df = infinity: a mixture of normal distributions.
class StudentMixture {
  public:
    struct Component {
        double weight = 1;
        Vector mean;   ///< d
        Matrix factor; ///< L, d x d, lower triangular
    };
    /// Whether a fit gives each component its own scale, or all the same scale, which takes fewer points.
    enum class Scales { own, common };
    /// Weights are normalised; df > 2. ContractViolation for no components or sizes that differ.
    StudentMixture(std::vector<Component> components, double df);

    /// Fits points (d x n) with weights that need not be normalised: `components` at the clusters of the points
    /// (weighted_clusters.hpp), which have their share of the weight and all one covariance, then `iterations` steps.
    /// Deterministic. Fewer components if the points support no more.
    static StudentMixture fit(const Matrix& points, std::span<const double> weights, Index components, double df,
                              int iterations, Scales scales = Scales::own);

    Index dimension() const { return components_.front().mean.size(); }
    double df() const { return df_; }
    const std::vector<Component>& components() const { return components_; }

    void draw(Stream& stream, std::span<double> x) const;
    /// log of weight times density of every component at x.
    std::vector<double> log_terms(std::span<const double> x) const;
    double log_density(std::span<const double> x) const;
    /// Log densities of the points (d x n), and their gradients (d x n) if asked for. The bits of a point do not depend
    /// on the others.
    void log_densities(const Eigen::Ref<const Matrix>& points, std::span<double> out) const;
    void log_densities(const Eigen::Ref<const Matrix>& points, std::span<double> out,
                       Eigen::Ref<Matrix> gradients) const;

    Vector mean() const;       ///< d
    Matrix covariance() const; ///< d x d

    /// One component with the mean and the covariance of the mixture.
    StudentMixture merged() const;
    /// All covariances times a factor above 0.
    StudentMixture inflated(double factor) const;

    /// Sufficient statistics of one step, which are sums over points: size() numbers to which add() contributes.
    /// updated() makes the next mixture of their totals; components that explain less than 0.5 % are dropped.
    std::size_t statistics_size() const;
    void add_statistics(std::span<const double> x, double weight, std::span<double> sums) const;
    StudentMixture updated(std::span<const double> sums) const;

    /// All numbers, one after another; and back.
    std::vector<double> values() const;
    static StudentMixture from_values(std::span<const double> values, Index dimension);

  private:
    /// All components with the mean scale matrix.
    StudentMixture with_common_scale() const;
    /// The component's factor as block products read it, and what does not depend on a point.
    struct Prepared {
        simd::TriangularFactor factor;
        Vector inverse_diagonal; ///< of a diagonal factor, else empty
        double log_constant = 0; ///< log weight plus the density's normaliser

        explicit Prepared(const Component& component, double log_peak);
        /// x -> L^-1 x and x -> L'^-1 x.
        void solve(Eigen::Ref<Matrix> x) const;
        void solve_transposed(Eigen::Ref<Matrix> x) const;
    };
    /// A component at points: logs of weight times density, squared Mahalanobis distances, L^-1 (x - mean).
    struct Terms {
        Matrix standardised;
        Vector logs, distances;
    };
    void prepare();
    Terms terms(std::size_t component, const Eigen::Ref<const Matrix>& points) const;
    /// The same of all components; `out` are their sums' logs.
    std::vector<Terms> all_terms(const Eigen::Ref<const Matrix>& points, std::span<double> out) const;

    std::vector<Component> components_;
    std::vector<Prepared> prepared_; ///< by components
    double df_;
};

} // namespace pearlite::random
