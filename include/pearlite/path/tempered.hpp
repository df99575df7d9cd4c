#pragma once
/// The geometric path between a prior and a posterior: log f_b = log prior + b log likelihood, the power posterior
/// (with f_0 = prior and f_1 = prior x likelihood: log f_b = (1-b) log f_0 + b log f_1).

#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/model/detail/density_of.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <memory>
#include <utility>

namespace pearlite::path {

/// A log likelihood of -inf is legal (weight zero from b > 0 on); NaN and +inf are NumericalErrors that name the
/// particle and its parameters.
///
/// If a likelihood can only be estimated (model/estimated_likelihood.hpp), the block holds the estimate with which a
/// point was accepted, and keeps it as long as the point stays: the state is (x, z), z the error of the log likelihood,
/// and f_b(x, z) = prior(x) (likelihood(x) e^z)^b g(z | x) has prior x likelihood as its margin at b = 1 (Tran et al.,
/// section 3.1).
class Tempered final : public DensityPath {
  public:
    explicit Tempered(std::shared_ptr<const model::DensityFunctions> density);

    const model::DensityFunctions& density() const { return *density_; }

    std::unique_ptr<Block> make_block(Index size) const override;
    void draw_start(Block& block, const model::BlockStreams& streams) const override;
    void prepare(Block&) const override {} // log densities travel with their points
    void recompute(Block& block) const override;
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const override;
    void path_derivative(const Block& block, double b, std::span<double> out) const override;
    std::optional<double> log_normaliser_start() const override { return density_->log_prior_normaliser(); }
    std::optional<double> exact_log_ratio(double b_end) const override;
    void fingerprint(model::Fingerprint& fingerprint) const override;
    bool path_is_linear() const override { return true; }

    Index dimension() const override { return density_->dimension(); }
    /// The same at every b.
    void evaluate(const model::DensityBlock& block, const Matrix& points, double b, Vector& log_prior,
                  Vector& log_likelihood, const model::BlockStreams& streams) const override;
    void draw_prior(random::Stream& stream, std::span<double> x) const override { density_->draw_prior(stream, x); }
    bool is_estimated() const override { return density_->is_estimated(); }
    const std::vector<std::string>& coordinate_names() const override { return density_->parameter_names(); }
    const std::vector<std::string>& quantity_names() const override;
    Matrix quantities(const Eigen::Ref<const Matrix>& points) const override;

  private:
    std::shared_ptr<const model::DensityFunctions> density_;
    const model::ReportedQuantities* quantities_; ///< null: the coordinates are reported
};

/// The tempered path of a density D (model/density.hpp).
template <class D>
std::shared_ptr<const Tempered> tempered(D density) {
    return std::make_shared<const Tempered>(std::make_shared<const model::DensityOf<D>>(std::move(density)));
}

} // namespace pearlite::path
