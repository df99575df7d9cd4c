#pragma once
/// The path from prior to posterior on which the points of the data are added one by one (data tempering, Chopin 2002).

#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <memory>

namespace pearlite::path {

/// With N data points of likelihoods L_l at x,
///
///     log f_b(x) = log prior(x) + sum_l a_l(b) log L_l(x),
///
/// a_l = 1 for the first floor(b N) points in the order of the data, the fractional part of b N for the next one, 0 for
/// the others: a schedule of N linear steps to b = 1 adds a point at each step. b N within 1e-9 of a whole number
/// counts as that number. A move at b computes the likelihoods of the points in use alone.
class DataPath final : public DensityPath {
  public:
    /// `whole` is the tempered path of a density that offers model::PointwiseLikelihood, and passes it on.
    explicit DataPath(std::shared_ptr<const DensityPath> whole);

    std::unique_ptr<Block> make_block(Index size) const override { return whole_->make_block(size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const override;
    void prepare(Block&) const override {} // log densities travel with their points
    /// Evaluates as at b = 1.
    void recompute(Block& block) const override;
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const override;
    /// N times the log likelihood of the point that b N has last reached, from below; of the first point at b = 0.
    void path_derivative(const Block& block, double b, std::span<double> out) const override;
    std::optional<double> log_normaliser_start() const override { return whole_->log_normaliser_start(); }
    std::optional<double> exact_log_ratio(double b_end) const override;
    void fingerprint(model::Fingerprint& fingerprint) const override;
    bool path_is_linear() const override { return false; }

    Index dimension() const override { return whole_->dimension(); }
    void evaluate(const model::DensityBlock& block, const Matrix& points, double b, Vector& log_prior,
                  Vector& log_likelihood, const model::BlockStreams& streams) const override;
    void draw_prior(random::Stream& stream, std::span<double> x) const override { whole_->draw_prior(stream, x); }
    bool is_estimated() const override { return false; }
    const std::vector<std::string>& coordinate_names() const override { return whole_->coordinate_names(); }
    const std::vector<std::string>& quantity_names() const override { return whole_->quantity_names(); }
    Matrix quantities(const Eigen::Ref<const Matrix>& points) const override { return whole_->quantities(points); }

  private:
    struct Place {
        Index whole = 0; ///< points with a_l = 1
        double part = 0; ///< a_l of the next one, in [0, 1)
    };
    Place place(double b) const;
    /// sum += weight x log likelihood of the data points from .. to - 1 at the block's points.
    void add(const model::DensityBlock& block, Index from, Index to, double weight, Vector& sum) const;

    std::shared_ptr<const DensityPath> whole_;
    const model::PointwiseLikelihood* likelihood_;
};

} // namespace pearlite::path
