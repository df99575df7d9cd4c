#pragma once
/// Mixed logistic regression: binary responses, several of each subject, with random effects that can only be
/// integrated out numerically. The likelihood is estimated by importance sampling, or computed by quadrature.

#include "models/common/constant_variance.hpp"
#include "models/common/table.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/parameters.hpp"
#include "pearlite/model/predictive.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

namespace detail {
enum class Quadrature : int;
}

/// Response j of subject i: y_ij ~ Bernoulli(logistic(x_ij' beta + z_ij' b_i)), b_i ~ N(0, diag(tau)^2), independent
/// between subjects; for two effects with a correlation if that has a prior.
struct MixedLogisticSettings {
    std::vector<Index> subject;            ///< n, a label per row; rows of a subject may stand anywhere
    Matrix design;                         ///< x, n x p, with its intercept column
    std::vector<std::string> names;        ///< p coefficients
    Matrix effects_design;                 ///< z, n x q, 1 <= q <= 4; a random intercept is a column of ones
    std::vector<std::string> effect_names; ///< q; the parameter tau_k is called sd_<name>
    Vector response;                       ///< n, each 0 or 1
    Observed observed = {};

    std::vector<model::Prior> coefficient_priors{model::Prior::parse("normal(0, 10)")};  ///< p, or one for all
    std::vector<model::Prior> deviation_priors{model::Prior::parse("half-cauchy(2.5)")}; ///< q or one; on tau > 0
    std::optional<model::Prior> correlation_prior; ///< q = 2: its parameter is called correlation, in [-1, 1]
    Index samples = 32;                            ///< of each subject's effects; rounded up to a multiple of 4
    std::optional<ConstantVarianceOfSubjects> constant_variance = {}; ///< in place of samples
};

/// Throws InputError, naming what was expected: sizes that disagree, responses other than 0 and 1, numbers that are not
/// finite, priors whose support is too wide.
void check(const MixedLogisticSettings& settings);

/// The rows of all subjects as vector code wants them: eight subjects side by side, sorted by falling numbers of rows
/// (ties as they first appear), each row with the sign that makes its response 1. Rows that a subject lacks are
/// harmless: z = 0 and a predictor so large that they are certain.
struct SubjectGroups {
    static constexpr Index width = 8;
    Index n_subjects = 0;
    std::vector<Index> first_row; ///< of each group; one more at the end
    Matrix design;                ///< 8 x (rows p): column r p + k
    Matrix effects;               ///< 8 x (rows q): column r q + k
    Matrix missing;               ///< 8 x rows: the predictor of a missing row, else 0

    Index n_groups() const { return static_cast<Index>(first_row.size()) - 1; }
    Index most_rows() const;
};

/// HasEstimatedLikelihood, HasExactLikelihood, HasEstimatorSize. Parameters: coefficients, deviations, correlation.
///
/// With b = T v, v ~ N(0, I), a subject's likelihood is the integral of f(v) = N(v; 0, I) prod_j logistic(+-eta_j).
/// Samples come from the multivariate t distribution with 4 degrees of freedom around the maximum of f, shaped by the
/// curvature there and as wide along each of its axes as f is on its flatter side. Its weights are bounded. A normal
/// proposal of that curvature would not do: the curvature is that of the prior, 1, plus what the data add there, but
/// data add none to the tails, where log f falls like |v|^2 / 2; once the curvature reaches 2 in any direction, the
/// square of a weight has no expectation.
///
/// Samples come in fours: two opposite points, and two at right angles to them in the planes (v_1, v_2), (v_3, v_4) (a
/// plane is completed if q is odd), long where the others are short. Each has the proposal's distribution and fours are
/// independent, so that the relative variance of a subject's estimate is a constant over N. All subjects have the same
/// N. With constant_variance it depends on the point: a pilot of a few fours per subject estimates that constant, and
/// the estimate's own fours are independent of it. Coefficients and deviations beyond 1e100 count as 1e100.
///
/// Draws: four number a of the subject in lane l of group g takes, of the stream at the point's address, the words
/// 16 w (A g + a) + 16 k + 2 l and the next for its uniforms k = 0 .. w - 1; A = N/4, w = 2 for q <= 2, else 6. A pilot
/// takes them from the same address with the seed derived by part 2^63.
class MixedLogistic {
  public:
    explicit MixedLogistic(MixedLogisticSettings settings);

    std::vector<std::string> parameter_names() const { return parameters_.names(); }
    model::DataDescription describe_data() const { return data_; }
    /// Predicts y of other subjects with the same rows.
    model::Prediction predict(std::span<const double> u, Index samples, const random::Address& address) const;
    const model::Parameters& parameters() const { return parameters_; }
    void draw_prior(random::Stream& stream, std::span<double> u) const { parameters_.draw(stream, u); }
    double log_prior(std::span<const double> u) const { return parameters_.log_prior(u); }
    double log_prior(std::span<const double> u, std::span<double> gradient) const {
        return parameters_.log_prior(u, gradient);
    }

    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const;
    /// One for each subject, in the order of their first appearance, from the draws at an address.
    Vector log_estimates(std::span<const double> u, const random::Address& address) const;

    /// By the trapezoidal rule about the maximum, in the principal scale there, with steps halved until nothing
    /// changes: it converges exponentially for analytic integrands (Trefethen & Weideman 2014), and faster than
    /// Gauss-Hermite's, whose error falls only with exp(-sqrt(nodes)) when deviations are large. To 1e-10 for one
    /// effect of deviation up to 100 or two up to 20 (times the covariate), less where the number of nodes is capped
    /// beyond; cost some hundred evaluations of each subject to the power q.
    double exact_log_likelihood(std::span<const double> u) const;
    /// With the gradient, at three times the cost or so.
    double exact_log_likelihood(std::span<const double> u, std::span<double> gradient) const;
    /// The gradient by a rough quadrature, at a third of the cost.
    void exact_force(std::span<const double> u, std::span<double> force) const;
    /// One for each subject, in the order of their first appearance.
    Vector exact_log_likelihoods(std::span<const double> u) const;

    /// N at every point, unless the variance is to be constant.
    Index particles() const { return 4 * n_fours_; }
    /// The same N at every point; ends constant_variance.
    void set_particles(Index n);
    /// The number of samples that estimate() uses at a point: particles(), or N(theta).
    Index particles_at(std::span<const double> u, const random::Address& address) const;
    Index n_subjects() const { return groups_.n_subjects; }
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    /// Coefficients and the matrix T (q x q, lower triangular) of b = T v.
    struct Point {
        Vector coefficients;
        Matrix factor;
    };
    Point natural(std::span<const double> u) const;
    double integrate(std::span<const double> u, std::span<double> gradient, detail::Quadrature quadrature) const;
    /// Derivatives by u from those by coefficients and factor.
    void chain(std::span<const double> u, const Point& slopes, std::span<double> gradient) const;
    template <class Work>
    Vector of_subjects(const Point& point, const Work& work) const;
    struct Sized;
    Sized sized(const Point& point, const random::Address& address) const;

    Index n_coefficients_, n_effects_;
    bool correlated_;
    Index n_fours_ = 0;
    std::optional<ConstantVarianceOfSubjects> constant_variance_;
    model::Parameters parameters_;
    model::DataDescription data_;
    SubjectGroups groups_;
    std::vector<Index> place_; ///< of subject s, in order of first appearance, among the lanes
};

} // namespace pearlite::models
