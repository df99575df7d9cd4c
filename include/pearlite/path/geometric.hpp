#pragma once
/// The geometric path between a prior and a posterior: log f_b = log prior + b log likelihood, the power posterior
/// (with f_0 = prior and f_1 = prior x likelihood: log f_b = (1-b) log f_0 + b log f_1).

#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "pearlite/model/density.hpp"
#include "pearlite/model/density_block.hpp"

#include <cmath>
#include <string>

namespace pearlite::path {

/// Makes a Density an AnnealedModel. A log likelihood of -inf is legal (weight zero from b > 0 on); NaN and +inf are
/// NumericalErrors that name the particle and its parameters.
///
/// Of a likelihood that can only be estimated (model/estimated_likelihood.hpp) the block holds the estimate with which
/// a point was accepted, and keeps it as long as the point stays: the state is (x, z), z the error of the log
/// likelihood, and f_b(x, z) = prior(x) (likelihood(x) e^z)^b g(z | x) has prior x likelihood as its margin at b = 1
/// (Tran et al., section 3.1).
template <class D>
class GeometricPath {
  public:
    using Density = D;
    using Block = model::DensityBlock;
    static constexpr bool path_is_linear = true;

    explicit GeometricPath(D density) : density_(std::move(density)), names_(parameter_names_of(density_)) {}

    const D& density() const { return density_; }
    Index dimension() const { return static_cast<Index>(names_.size()); }
    const std::vector<std::string>& parameter_names() const { return names_; }

    /// The value of parameter k that people read.
    double natural(Index k, double u) const {
        if constexpr (model::HasNaturalScale<D>)
            return density_.natural(k, u);
        else if constexpr (requires { density_.parameters().natural(k, u); })
            return density_.parameters().natural(k, u);
        else
            return u;
    }

    Block make_block(Index size) const { return Block(dimension(), size); }

    void draw_start(Block& block, const model::BlockStreams& streams) const {
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::start, i));
            density_.draw_prior(stream, column(block.points, i));
        }
        evaluate(block, block.points, block.log_prior, block.log_likelihood, streams);
    }

    double cost(const Block& block) const requires model::HasCost<D> {
        double sum = 0;
        for (Index i = 0; i < block.size(); ++i)
            sum += density_.cost({block.points.col(i).data(), static_cast<std::size_t>(dimension())});
        return sum;
    }

    void prepare(Block&) const {} // log densities travel with their points

    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        if (from == to)
            return; // 0 x -inf would be NaN
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] += (to - from) * block.log_likelihood(i);
    }

    void path_derivative(const Block& block, double, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] = block.log_likelihood(i);
    }

    std::optional<double> log_normaliser_start() const {
        if constexpr (model::HasPriorNormaliser<D>)
            return density_.log_prior_normaliser();
        else
            return 0.0;
    }

    std::optional<double> exact_log_ratio(double inverse_temperature_end) const {
        if constexpr (model::HasExactLogRatio<D>)
            if (inverse_temperature_end == 1)
                return density_.exact_log_ratio();
        return {};
    }

    void fingerprint(model::Fingerprint& fingerprint) const {
        for (const auto& name : names_)
            fingerprint.add(name);
        if constexpr (model::HasFingerprint<D>)
            density_.fingerprint(fingerprint);
    }

    /// Log densities of the block's particles at `points` (d x padded) into the vectors (padded).
    void evaluate(const Block& block, const Matrix& points, Vector& log_prior, Vector& log_likelihood,
                  const model::BlockStreams& streams) const {
        // Outside the prior's support a likelihood need not be defined.
        if constexpr (model::HasEstimatedLikelihood<D>) {
            const auto n = static_cast<std::size_t>(block.size());
            density_.estimate(points, streams, {log_prior.data(), n}, {log_likelihood.data(), n});
            for (Index i = 0; i < block.size(); ++i)
                if (log_prior(i) == log_zero_)
                    log_likelihood(i) = log_zero_;
        } else if constexpr (model::HasBlockDensity<D>) {
            const auto n = static_cast<std::size_t>(points.cols());
            density_.evaluate(points, {log_prior.data(), n}, {log_likelihood.data(), n});
            for (Index i = 0; i < block.size(); ++i)
                if (log_prior(i) == log_zero_)
                    log_likelihood(i) = log_zero_;
        } else {
            for (Index i = 0; i < block.size(); ++i) {
                const std::span<const double> x(points.col(i).data(), static_cast<std::size_t>(dimension()));
                log_prior(i) = density_.log_prior(x);
                log_likelihood(i) = log_prior(i) == log_zero_ ? log_zero_ : density_.log_likelihood(x);
            }
        }
        for (Index i = 0; i < block.size(); ++i)
            if (!(log_likelihood(i) < infinity_) || !(log_prior(i) < infinity_))
                throw NumericalError(complaint(points, log_prior(i), log_likelihood(i), i, streams));
    }

  private:
    static constexpr double infinity_ = std::numeric_limits<double>::infinity();
    static constexpr double log_zero_ = -infinity_;

    static std::vector<std::string> parameter_names_of(const D& density) {
        model::require_density<D>();
        return density.parameter_names();
    }
    static std::span<double> column(Matrix& points, Index i) {
        return {points.col(i).data(), static_cast<std::size_t>(points.rows())};
    }
    std::string complaint(const Matrix& points, double log_prior, double log_likelihood, Index i,
                          const model::BlockStreams& streams) const {
        std::string text = "log prior " + std::to_string(log_prior) + ", log likelihood " +
                           std::to_string(log_likelihood) + " at step " + std::to_string(streams.step) + ", particle " +
                           std::to_string(streams.first_slot + i) + ":";
        for (Index k = 0; k < dimension(); ++k)
            text += " " + names_[static_cast<std::size_t>(k)] + " = " + std::to_string(points(k, i));
        return text;
    }

    D density_;
    std::vector<std::string> names_;
};

} // namespace pearlite::path
