#include "algorithm/common/piloted.hpp"

#include "algorithm/replicates/rank_groups.hpp"
#include "estimator/evidence/mobility.hpp"

#include <utility>

namespace pearlite::algorithm {

void Tuning::fields(Fields& f) {
    f("inverse_temperatures", inverse_temperatures);
    f("variance_u", variance_u);
    f("mobility", mobility);
    f("warning", warning);
    f("kernel", kernel);
    f("reference_points", reference.points);
    f("reference_log_weights", reference.log_weights);
    f("reference_log_priors", reference.log_priors);
    f("reference_log_likelihoods", reference.log_likelihoods);
    f("reference_families", reference.families);
    group(f, "survey", survey);
}

Tuning tuning_of(const parallel::Communicator& ranks, Sampler& pilot, PilotReference reference) {
    Tuning tuning;
    if (pilot.has_replicate(0)) {
        auto& first = pilot.replicate(0);
        tuning.inverse_temperatures = first.trace().inverse_temperature;
        tuning.variance_u = first.trace().variance_u;
        tuning.mobility = first.trace().mobility_energy;
        const auto& trace = first.trace();
        if (const auto stuck =
                estimator::stuck_particles({trace.inverse_temperature, trace.acceptance, trace.moves, trace.unmoved}))
            tuning.warning = stuck->text();
        tuning.kernel = pilot.n_replicates() > 1 ? first.learnt() : pilot.learnt();
        if (const auto* survey = pilot.survey())
            tuning.survey = *survey;
    }
    if (pilot.n_replicates() > 1) // other groups of ranks have other replicates
        broadcast_state(ranks, tuning, 0);
    if (reference == PilotReference::wanted)
        tuning.reference = draws_of(ranks, shares_of(ranks, pilot, 0).front());
    return tuning;
}

Piloted::Piloted(const parallel::Communicator& ranks, std::unique_ptr<Sampler> pilot, MakeMain make_main,
                 PilotReference reference)
    : ranks_(ranks),
      pilot_(std::move(pilot)),
      pilot_stages_(pilot_->stages()),
      make_main_(std::move(make_main)),
      reference_(reference) {}

void Piloted::step() {
    if (main_)
        return main_->step();
    pilot_->step();
    if (!pilot_->finished())
        return;
    pilot_estimates_ = pilot_->likelihood_estimates().value_or(0) + pilot_->pilot_likelihood_estimates().value_or(0);
    found_ = tuning_of(ranks_, *pilot_, reference_);
    make_main();
    main_->begin();
}

Outcome Piloted::outcome() const {
    auto outcome = StagedSampler::outcome();
    if (main_ && !main_->kernel() && !found_.warning.empty())
        outcome.warnings.push_back("in the pilot, " + found_.warning);
    return outcome;
}

void Piloted::fields(Fields& f) {
    bool began = main_ != nullptr;
    f("main_began", began);
    if (!began)
        return group(f, "pilot", *pilot_);
    f("pilot_likelihood_estimates", pilot_estimates_);
    group(f, "tuning", found_);
    if (!main_)
        make_main();
    group(f, "main", *main_);
}

void Piloted::make_main() {
    main_ = make_main_(found_);
    pilot_.reset();
}

} // namespace pearlite::algorithm
