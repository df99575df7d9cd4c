#include "target/grown_target.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/class_predictions.hpp"

namespace pearlite::model {

GrownTarget::GrownTarget(std::shared_ptr<const GrowingTarget> growing)
    : growing_(std::move(growing)), stage_(growing_->first_stage()) {
    pass_on<ReportedParameters>(*growing_);
    pass_on<ParticleImages>(*growing_);
    pass_on<HeldOutClasses>(*growing_);
    pass_on<Approximated>(*growing_);
}

void GrownTarget::go_to(Index n) {
    PEARLITE_EXPECTS(n >= 1 && n <= growing_->n_variables());
    if (stage_->n() > n)
        stage_ = growing_->first_stage();
    while (stage_->n() < n)
        stage_->grow();
}

void GrownTarget::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    std::vector<double> density(out.size());
    stage_->log_density(block, density);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += (to - from) * density[i];
}

void GrownTarget::path_derivative(const Block& block, double, std::span<double> out) const {
    stage_->log_density(block, out);
}

std::optional<double> GrownTarget::exact_log_ratio(double) const {
    auto exact = growing_->exact_log_normaliser();
    if (exact)
        *exact -= growing_->log_normaliser_empty();
    return exact;
}

namespace {

class FirstVariables final : public GrowingTarget {
  public:
    FirstVariables(std::shared_ptr<const GrowingTarget> all, Index n) : all_(std::move(all)), n_(n) {
        pass_on<ParticleImages>(*all_);
    }

    Index n_variables() const override { return n_; }
    std::unique_ptr<GrowingStage> first_stage() const override { return all_->first_stage(); }
    double log_normaliser_empty() const override { return all_->log_normaliser_empty(); }
    double log_normaliser_first() const override { return all_->log_normaliser_first(); }
    Index default_sweeps() const override { return all_->default_sweeps(); }
    bool can_reseed() const override { return all_->can_reseed(); }
    void fingerprint(Fingerprint& fingerprint) const override { all_->fingerprint(fingerprint); }

  private:
    std::shared_ptr<const GrowingTarget> all_;
    Index n_;
};

} // namespace

std::shared_ptr<const GrowingTarget> first_variables(std::shared_ptr<const GrowingTarget> all, Index n) {
    PEARLITE_EXPECTS(n >= 1 && n <= all->n_variables());
    if (n == all->n_variables())
        return all;
    return std::make_shared<const FirstVariables>(std::move(all), n);
}

void GrowingStage::draw_seeds(Block&, const BlockStreams&) const {
    throw ContractViolation("this target has no seeds");
}

} // namespace pearlite::model
