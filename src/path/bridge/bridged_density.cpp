#include "path/bridge/bridged_density.hpp"

#include "core/log_space.hpp"
#include "path/registry.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/target.hpp"

#include <utility>

namespace pearlite::path {

namespace {

/// Estimates of another size, bridged from the same reference.
class BridgedSize final : public model::EstimatorSize {
  public:
    BridgedSize(const model::EstimatorSize& own, std::shared_ptr<const random::StudentMixture> reference)
        : own_(own), reference_(std::move(reference)) {}
    Index particles() const override { return own_.particles(); }
    Index particles_abreast() const override { return own_.particles_abreast(); }
    std::shared_ptr<const model::DensityFunctions> with_particles(Index n) const override {
        return std::make_shared<const BridgedDensity>(own_.with_particles(n), reference_);
    }

  private:
    const model::EstimatorSize& own_;
    std::shared_ptr<const random::StudentMixture> reference_;
};

} // namespace

BridgedDensity::BridgedDensity(std::shared_ptr<const model::DensityFunctions> density,
                               std::shared_ptr<const random::StudentMixture> reference)
    : density_(std::move(density)), reference_(std::move(reference)) {
    PEARLITE_EXPECTS(reference_->dimension() == density_->dimension());
    if (const auto* size = density_->offers<model::EstimatorSize>())
        offer<model::EstimatorSize>(std::make_shared<BridgedSize>(*size, reference_));
    pass_on<model::PointCost>(*density_);
    pass_on<model::ReportedQuantities>(*density_);
    pass_on<model::DescribedData>(*density_);
    pass_on<model::Predictive>(*density_);
}

void BridgedDensity::evaluate(const Matrix& points, Index n, const model::BlockStreams& streams, Vector& log_prior,
                              Vector& log_likelihood) const {
    density_->evaluate(points, n, streams, log_prior, log_likelihood);
    for (Index i = 0; i < n; ++i) {
        const double log_q = reference_->log_density({points.col(i).data(), at(points.rows())});
        const bool is_possible = log_prior(i) != log_zero && log_likelihood(i) != log_zero;
        log_likelihood(i) = is_possible ? log_prior(i) + log_likelihood(i) - log_q : log_zero;
        log_prior(i) = log_q;
    }
}

std::optional<double> BridgedDensity::exact_log_ratio() const {
    const auto ratio = density_->exact_log_ratio(), start = density_->log_prior_normaliser();
    return ratio && start ? std::optional(*ratio + *start) : std::nullopt;
}

void BridgedDensity::fingerprint(model::Fingerprint& fingerprint) const {
    density_->fingerprint(fingerprint);
    fingerprint.add("bridge");
    fingerprint.add(reference_->values());
}

PathEntry bridge_entry() {
    return {"bridge", "from a reference distribution that is fitted to the posterior or given",
            [](const model::Target& model) { return model.offers<model::DensityFunctions>() != nullptr; },
            [](std::shared_ptr<const model::Target> model) { return model; }};
}

} // namespace pearlite::path
