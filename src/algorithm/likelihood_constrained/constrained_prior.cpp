#include "algorithm/likelihood_constrained/constrained_prior.hpp"

#include <cmath>

namespace pearlite::algorithm {

ConstrainedPrior::ConstrainedPrior(std::shared_ptr<const path::DensityPath> whole) : whole_(std::move(whole)) {
    PEARLITE_EXPECTS(whole_->path_is_linear());
    offer<path::DensityPath>(
        std::shared_ptr<const path::DensityPath>(std::shared_ptr<const path::DensityPath>(), this));
}

void ConstrainedPrior::evaluate(const model::DensityBlock& block, const Matrix& points, double b, Vector& log_prior,
                                Vector& log_likelihood, const model::BlockStreams& streams) const {
    whole_->evaluate(block, points, b, log_prior, log_likelihood, streams);
    for (Index i = 0; i < block.size(); ++i)
        log_prior(i) += std::log(level_.share_of(log_likelihood(i)));
}

void ConstrainedPrior::constrain(model::DensityBlock& block) const {
    for (Index i = 0; i < block.size(); ++i)
        block.log_prior(i) += std::log(level_.share_of(block.log_likelihood(i)));
}

void ConstrainedPrior::release(model::DensityBlock& block, const model::BlockStreams& streams) const {
    if (!divides(block))
        return;
    whole_->evaluate(block, block.points, 0, block.proposed_log_prior, block.proposed_log_likelihood, streams);
    for (Index i = 0; i < block.size(); ++i)
        if (block.log_likelihood(i) == level_.log_likelihood)
            block.log_prior(i) = block.proposed_log_prior(i); // log p + log s - log s need not be log p
}

bool ConstrainedPrior::divides(const model::DensityBlock& block) const {
    return (block.log_likelihood.head(block.size()).array() == level_.log_likelihood).any();
}

} // namespace pearlite::algorithm
