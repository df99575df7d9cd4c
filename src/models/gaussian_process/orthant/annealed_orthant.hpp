#pragma once
/// The probability of an orthant by annealing with Gibbs sweeps, from independent variables to those of Sigma:
///
///     log f_b(z) = -z' S_b z/2 + sum_i log 1(y_i z_i > 0),  S_b = (1 - b) diag(1/Sigma_ii) + b Sigma^-1
///
/// a geometric path. Z_0 = 2^-N (2 pi)^(N/2) prod_i Sigma_ii^(1/2), and the probability is Z_1/((2 pi)^(N/2)
/// |Sigma|^(1/2)). With constants left out log Z_0 = -N log 2, and log f_b has the term b c, c = -(1/2) log |R|, R the
/// correlations: log Z_1 is the log probability. A sweep is that of orthant.hpp.

#include "models/gaussian_process/orthant/orthant.hpp"
#include "models/gaussian_process/orthant/orthant_block.hpp"
#include "pearlite/model/target.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::models {

/// Real: of states and sweeps; log f_b is double in either case. Fulfils AnnealedModel, HasReversedMove and
/// HasLinearPath.
template <class Real>
class AnnealedOrthant {
  public:
    using Block = PanelBlock<Real>;
    static constexpr bool path_is_linear = true;

    /// The order does not matter. NumericalError if Sigma is not positive definite.
    explicit AnnealedOrthant(const OrthantSettings& settings);

    Block make_block(Index size) const { return {n_, size}; }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block&) const {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const;
    std::optional<double> log_normaliser_start() const;
    std::optional<double> exact_log_ratio(double b_end) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    /// S_b in rows, kept until it is asked for at another b.
    TruncatedNormal<Real> at_temperature(double b) const;

    Index n_, stride_;
    std::optional<double> exact_; ///< log probability
    Vector sd_;                   ///< Sigma_ii^(1/2)
    Matrix difference_;           ///< stride x n: Sigma^-1 - diag(1/Sigma_ii), a row in each column
    double log_constant_ = 0;     ///< c
    std::vector<Real> signs_;
    mutable AlignedNumbers<Real> rows_; ///< S at `rows_b_`
    mutable double rows_b_ = -1;
};

/// In the arithmetic that the settings say.
std::shared_ptr<const model::Target> annealed_orthant(const OrthantSettings& settings);

extern template class AnnealedOrthant<float>;
extern template class AnnealedOrthant<double>;

} // namespace pearlite::models
