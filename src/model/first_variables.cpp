#include "model/first_variables.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/target.hpp"

#include <utility>

namespace pearlite::model {

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

} // namespace pearlite::model
