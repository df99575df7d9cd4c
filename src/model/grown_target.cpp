#include "model/grown_target.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/detail/class_predictions.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

} // namespace pearlite::model
