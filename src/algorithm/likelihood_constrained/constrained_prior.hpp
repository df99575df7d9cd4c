#pragma once
/// The prior where the likelihood is above a level, as a density whose points kernels move.

#include "pearlite/path/detail/density_path.hpp"

namespace pearlite::algorithm {

/// A level of the likelihood. Where many points have the same likelihood, a plateau, a level may divide these: a share
/// of them belongs to the region above it, which one is not decided.
struct Level {
    double log_likelihood = -infinity;
    double share = 0; ///< of the points at the level itself, 0 to below 1

    /// The share of a point that is above the level, 0 to 1.
    double share_of(double log_likelihood_of_x) const {
        return log_likelihood_of_x > log_likelihood ? 1 : log_likelihood_of_x == log_likelihood ? share : 0;
    }
};

/// eta(x) = p(x) s(x), s the share of x above the level: at b = 0 kernels move points of this density by the logs that
/// evaluate() gives, log p + log s and log L, and reject every proposal below the level. Between moves the blocks' logs
/// are those of the model.
class ConstrainedPrior final : public path::DensityPath {
  public:
    /// ContractViolation unless log f_b is linear in b along `whole`.
    explicit ConstrainedPrior(std::shared_ptr<const path::DensityPath> whole);

    void set_level(const Level& level) { level_ = level; }
    /// Before a kernel's moves of a block whose points are above the level, and after them.
    void constrain(model::DensityBlock& block) const;
    void release(model::DensityBlock& block, const model::BlockStreams& streams) const;

    std::unique_ptr<Block> make_block(Index size) const override { return whole_->make_block(size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const override {
        whole_->draw_start(block, streams);
    }
    void prepare(Block& block) const override { whole_->prepare(block); }
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const override {
        whole_->add_log_ratio(block, from, to, out);
    }
    void path_derivative(const Block& block, double b, std::span<double> out) const override {
        whole_->path_derivative(block, b, out);
    }
    std::optional<double> log_normaliser_start() const override { return whole_->log_normaliser_start(); }
    std::optional<double> exact_log_ratio(double b_end) const override { return whole_->exact_log_ratio(b_end); }
    void fingerprint(model::Fingerprint& fingerprint) const override { whole_->fingerprint(fingerprint); }
    bool path_is_linear() const override { return true; }

    Index dimension() const override { return whole_->dimension(); }
    void evaluate(const model::DensityBlock& block, const Matrix& points, double b, Vector& log_prior,
                  Vector& log_likelihood, const model::BlockStreams& streams) const override;
    void draw_prior(random::Stream& stream, std::span<double> x) const override { whole_->draw_prior(stream, x); }
    bool is_estimated() const override { return whole_->is_estimated(); }
    const std::vector<std::string>& coordinate_names() const override { return whole_->coordinate_names(); }
    const std::vector<std::string>& quantity_names() const override { return whole_->quantity_names(); }
    Matrix quantities(const Eigen::Ref<const Matrix>& points) const override { return whole_->quantities(points); }

  private:
    bool divides(const model::DensityBlock& block) const;

    std::shared_ptr<const path::DensityPath> whole_;
    Level level_; ///< below all points at first
};

} // namespace pearlite::algorithm
