#include "algorithm/pilot/piloted.hpp"

#include "estimator/evidence/mobility.hpp"
#include "parallel/states.hpp"

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
    constexpr const char* of_levels = "n_levels"; // none in files of older versions
    if (f.is_reading() ? !f.has_items(of_levels, 1) : levels.rows() == 0)
        return;
    std::vector<std::int64_t> n_levels{levels.rows()};
    f(of_levels, n_levels);
    f("levels", levels);
}

Tuning tuning_of(const parallel::Communicator& ranks, Sampler& pilot, PilotReference reference) {
    Tuning tuning;
    const auto found = pilot.found();
    if (found.has_replicate(0)) {
        const auto first = found.replicate(0);
        const auto& trace = *first.trace;
        tuning.inverse_temperatures = trace.inverse_temperature;
        tuning.variance_u = trace.variance_u;
        tuning.mobility = trace.mobility_energy;
        if (const auto stuck = estimator::stuck_particles(
                {trace.inverse_temperature, trace.acceptance, trace.moves, trace.unmoved, trace.unmoved_families}))
            tuning.warning = stuck->text();
        tuning.kernel = first.learnt();
        if (first.levels)
            tuning.levels = *first.levels;
        if (found.survey)
            tuning.survey = *found.survey;
    }
    if (found.n_replicates() > 1) // other groups of ranks have other replicates
        parallel::broadcast_state(ranks, tuning, 0);
    if (reference == PilotReference::wanted)
        tuning.reference = draws_of(ranks, shares_of(ranks, found, 0).front());
    return tuning;
}

Piloted::Piloted(const parallel::Communicator& ranks, std::unique_ptr<Sampler> pilot, MakeMain make_main,
                 PilotReference reference)
    : ranks_(ranks), pilot_(std::move(pilot)), make_main_(std::move(make_main)), reference_(reference) {
    if (const auto* staged = dynamic_cast<const Piloted*>(pilot_.get()))
        pilot_stages_ = staged->stages();
}

void Piloted::step() {
    if (main_)
        return main_->step();
    pilot_->step();
    if (!pilot_->finished())
        return;
    const auto made = pilot_->progress();
    pilot_estimates_ = made.likelihoods.value_or(0) + made.pilot_likelihoods.value_or(0);
    found_ = tuning_of(ranks_, *pilot_, reference_);
    make_main();
    main_->begin();
}

Progress Piloted::progress() const {
    auto progress = current().progress();
    progress.in_pilot = !main_;
    progress.stages_before += main_ ? pilot_stages_ : 0;
    progress.pilot_likelihoods = pilot_estimates_;
    return progress;
}

Found Piloted::found() {
    auto found = current().found();
    if (!found_.survey.is_empty())
        found.survey = &found_.survey;
    if (main_ && !found.kernel)
        found.learnt_by_pilot = &found_.kernel;
    return found;
}

Outcome Piloted::outcome() const {
    auto outcome = StagedSampler::outcome();
    if (main_ && !main_->found().kernel && !found_.warning.empty())
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

std::unique_ptr<Sampler> after_population(const PilotTask& task, Piloted::MakeMain make_main,
                                          PilotReference reference) {
    return std::make_unique<Piloted>(
        task.ranks,
        annealed_population(task.ranks, task.target, task.temperatures, *task.kernel(nullptr), task.population),
        std::move(make_main), reference);
}

random::Seed pilot_seed(const random::Seed& seed) {
    return random::derive_seed(seed, std::uint64_t{1} << 63);
}

} // namespace pearlite::algorithm
