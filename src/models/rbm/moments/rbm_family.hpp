#pragma once
/// The RBMs of given sizes as an exponential family (model/detail/moment_family.hpp): eta = (W, a, d), s = (v h', v,
/// h), in the order of MutableRbm::place.

#include "models/rbm/moments/rbm_spline.hpp"
#include "models/rbm/mutable_rbm.hpp"

#include <memory>
#include <span>
#include <vector>

namespace pearlite::models {

class RbmFamily final : public model::MomentFamily {
  public:
    explicit RbmFamily(std::shared_ptr<const Rbm> end) : end_(std::move(end)) {}

    Index n_statistics() const override { return (end_->n_visible() + 1) * stride(); }
    /// W = 0, d = 0, a = a0.
    std::vector<double> start_parameters() const override;
    std::vector<double> end_parameters() const override;
    std::vector<double> start_moments() const override;
    std::unique_ptr<model::MomentChains> make_chains() const override;
    std::shared_ptr<const model::Target> through(std::span<const std::vector<double>> knots,
                                                 std::span<const double> at) const override;

  private:
    Index stride() const { return padded(end_->n_hidden() + 1); }
    std::vector<double> list(const Matrix& weights, const Vector& visible_bias, const Vector& hidden_bias) const;

    std::shared_ptr<const Rbm> end_;
};

} // namespace pearlite::models
