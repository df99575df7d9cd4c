#include "algorithm/fitted_path/bridged.hpp"

#include "algorithm/pilot/piloted.hpp"
#include "algorithm/replicates/replicates.hpp"
#include "core/log_space.hpp"
#include "parallel/states.hpp"
#include "path/bridge/bridged_density.hpp"
#include "pearlite/path/tempered.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

namespace {

constexpr double most_joint_errors = 4;

/// Collective. The final particles of all replicates, weighted by their share in the mean of Z.
FirstDraws draws_of_replicates(const parallel::Communicator& ranks, const Found& found) {
    std::vector<double> points;
    FirstDraws all;
    for (Index r = 0; r < found.n_replicates(); ++r) {
        const auto one = draws_of(ranks, shares_of(ranks, found, r).front());
        const double shift = found.log_ratios[at(r)] - log_sum_exp(one.log_weights);
        points.insert(points.end(), one.points.data(), one.points.data() + one.points.size());
        for (const double log_weight : one.log_weights)
            all.log_weights.push_back(log_weight + shift);
    }
    const auto n = static_cast<Index>(all.log_weights.size());
    all.points = Eigen::Map<const Matrix>(points.data(), static_cast<Index>(points.size()) / n, n);
    return all;
}

/// The numbers of a fit as they travel between ranks.
struct FitNumbers {
    std::vector<double> reference; ///< empty: no fit
    Index evaluations = 0;
    std::vector<double> spreads = {};
    std::vector<double> leg_start = {}; ///< empty: none
    void fields(Fields& f) {
        f("reference", reference);
        f("evaluations", evaluations);
        f("spreads", spreads);
        f("leg_start", leg_start);
    }
};

/// Collective. The fits by descents from the addresses of `seed`, rank 0's on all ranks: other processors may round
/// otherwise.
FitNumbers checked_fit(const parallel::Communicator& ranks, const BridgeSettings& settings,
                       const model::DensityFunctions& density, const random::Seed& seed) {
    FitNumbers numbers;
    parallel::together(ranks, [&] {
        auto found = settings.checked(density, seed);
        numbers.evaluations = found.evaluations;
        numbers.spreads = std::move(found.spreads);
        if (found.reference)
            numbers.reference = found.reference->mixture.values();
        if (found.leg_start)
            numbers.leg_start = found.leg_start->values();
    });
    parallel::broadcast_state(ranks, numbers, 0);
    return numbers;
}

} // namespace

void PriorLeg::fields(Fields& f) {
    f("has_value", has_value);
    f("has_error", has_error);
    f("log_normaliser", log_normaliser);
    f("standard_error", standard_error);
    f("error_method", error_method);
    f("note", note);
    f("failure", failure);
    f("likelihoods", likelihoods);
}

Bridged::Bridged(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> model,
                 const BridgeSettings& settings, MakeKernel make_kernel, Index block, const random::Seed& seed,
                 MakeMain make_main)
    : ranks_(ranks),
      model_(std::move(model)),
      density_(*model_->offers<model::DensityFunctions>()),
      settings_(settings),
      anchor_(settings_.anchored({model_, &density_})),
      seed_(seed),
      make_kernel_(std::move(make_kernel)),
      block_(block),
      make_main_(std::move(make_main)) {
    if (settings_.has_leg())
        make_leg_to_anchor();
}

void Bridged::make_leg_to_anchor() {
    make_leg(settings_.anchor == BridgeSettings::Anchor::prior ? std::make_shared<const path::Tempered>(anchor_)
                                                               : model_);
}

void Bridged::make_leg(const std::shared_ptr<const model::Target>& path) {
    const auto kernel = make_kernel_(path);
    const auto make = [&](const parallel::Communicator& team, const random::Seed& replicate_seed) {
        const PopulationSettings population{settings_.fit_particles / BridgeSettings::leg_replicates, block_,
                                            replicate_seed, settings_.most_prior_draws};
        return annealed_population(team, path, path::AdaptiveSchedule{1, settings_.conditional_ess_of_leg}, *kernel,
                                   population);
    };
    leg_ = std::make_unique<Replicates>(ranks_, BridgeSettings::leg_replicates, settings_.seed(seed_), make);
}

std::shared_ptr<const model::Target> Bridged::path_from(const std::vector<double>& numbers,
                                                        std::shared_ptr<const model::DensityFunctions> density) const {
    auto reference = std::make_shared<const random::StudentMixture>(
        random::StudentMixture::from_values(numbers, density_.dimension()));
    return std::make_shared<const path::Tempered>(
        std::make_shared<const path::BridgedDensity>(std::move(density), std::move(reference)));
}

void Bridged::begin_leg_at_modes() {
    if (spreads_.empty()) { // else an automatic fit has made its descents
        auto numbers = checked_fit(ranks_, settings_, *anchor_, seed_);
        leg_start_ = std::move(numbers.leg_start);
        evaluations_ = numbers.evaluations;
    }
    if (!leg_start_.empty())
        make_leg(path_from(leg_start_, anchor_));
}

void Bridged::begin() {
    if (leg_)
        begin_leg();
    if (!leg_)
        fit();
}

void Bridged::begin_leg() {
    if (!settings_.has_prior && !density_.is_estimated())
        begin_leg_at_modes();
    attempt([&] { leg_->begin(); });
}

void Bridged::step() {
    if (main_)
        return main_->step();
    attempt([&] {
        leg_->step();
        leg_->flush(); // the groups of ranks agree on its end, so that the next stage begins at the same step for any
    });
    if (leg_ && !leg_->finished())
        return;
    if (leg_)
        record_leg();
    fit();
}

void Bridged::attempt(const std::function<void()>& work) {
    try {
        if (leg_)
            work();
    } catch (const NumericalError& failure) {
        if (settings_.fit == BridgeSettings::Fit::smc)
            throw;
        found_by_leg_.failure = failure.what();
        leg_.reset();
    }
}

void Bridged::record_leg() {
    const auto outcome = leg_->outcome();
    if (!outcome.log_ratio.empty() && std::isfinite(outcome.log_ratio.front().value)) {
        const auto& headline = outcome.log_ratio.front();
        found_by_leg_.has_value = true;
        found_by_leg_.has_error = headline.standard_error.has_value();
        found_by_leg_.log_normaliser = headline.value + anchor_->log_prior_normaliser().value_or(0);
        found_by_leg_.standard_error = headline.standard_error.value_or(0);
        found_by_leg_.error_method = headline.error_method;
        found_by_leg_.note = headline.note;
    }
    found_by_leg_.likelihoods = leg_->progress().likelihoods.value_or(0);
    parallel::broadcast_state(ranks_, found_by_leg_, 0);
    if (settings_.fit == BridgeSettings::Fit::smc)
        draws_ = draws_of_replicates(ranks_, leg_->found());
}

void Bridged::fit_or_give_way() {
    auto numbers = checked_fit(ranks_, settings_, *anchor_, seed_);
    reference_ = std::move(numbers.reference);
    evaluations_ += numbers.evaluations;
    spreads_ = std::move(numbers.spreads);
    if (has_reference() || settings_.may_stay)
        return begin_main();
    if (!settings_.has_prior)
        leg_start_ = std::move(numbers.leg_start);
    settings_.give_way();
    make_leg_to_anchor();
    begin_leg();
}

void Bridged::fit() {
    if (settings_.fit == BridgeSettings::Fit::automatic)
        return fit_or_give_way();
    FitNumbers numbers;
    parallel::together(ranks_, [&] {
        const auto found = settings_.fitted(*anchor_, draws_, seed_);
        numbers = {found.mixture.values(), found.evaluations};
    });
    parallel::broadcast_state(ranks_, numbers, 0); // ranks on other processors may round otherwise
    reference_ = std::move(numbers.reference);
    evaluations_ += numbers.evaluations;
    draws_ = {};
    begin_main();
}

void Bridged::begin_main() {
    make_main();
    main_->begin();
}

void Bridged::make_main() {
    bridge_ = has_reference() ? path_from(reference_, {model_, &density_}) : model_;
    main_ = make_main_(bridge_);
    leg_.reset();
}

void Bridged::fields(Fields& f) {
    bool began = main_ != nullptr;
    f("main_began", began);
    if (!began) {
        f("leg_start", leg_start_);
        f("reference_evaluations", evaluations_);
        f("spreads", spreads_);
        if (f.is_reading() && !leg_) { // the automatic fit has given way
            settings_.give_way();
            make_leg_to_anchor();
        }
        if (f.is_reading() && !leg_start_.empty())
            make_leg(path_from(leg_start_, anchor_));
        return group(f, "prior_leg", *leg_);
    }
    f("reference", reference_);
    f("reference_evaluations", evaluations_);
    f("spreads", spreads_);
    group(f, "found_by_leg", found_by_leg_);
    if (!main_)
        make_main();
    group(f, "main", *main_);
}

Progress Bridged::progress() const {
    auto progress = current().progress();
    progress.in_pilot = !main_ || progress.in_pilot;
    progress.stages_before += main_ ? 1 : 0;
    progress.pilot_likelihoods =
        found_by_leg_.likelihoods + evaluations_ + (main_ ? progress.pilot_likelihoods.value_or(0) : 0);
    return progress;
}

Found Bridged::found() {
    auto found = current().found();
    found.target = bridge_.get();
    return found;
}

Outcome Bridged::outcome() const {
    auto outcome = main_->outcome();
    for (std::size_t k = 0; k < spreads_.size(); ++k)
        outcome.diagnostics.push_back({k == 0 ? "laplace_spread" : "pathfinder_spread", spreads_[k], {}});
    if (!spreads_.empty())
        outcome.diagnostics.push_back({"largest_passing_spread", path::largest_spread(density_.dimension()), {}});
    if (!spreads_.empty() && path::has_run_off(spreads_.front()))
        outcome.warnings.emplace_back(
            "descents run off to where the density grows without bound, as in the neck of a funnel: particles may "
            "never enter it, and its mass is then missing; use other coordinates, such as effects in units of their "
            "scale");
    if (!has_reference())
        return outcome;
    const auto reference = random::StudentMixture::from_values(reference_, density_.dimension());
    outcome.diagnostics.push_back({"reference_components", static_cast<double>(reference.components().size()), {}});
    outcome.diagnostics.push_back({"reference_evaluations", static_cast<double>(evaluations_), {}});
    NamedArray weights{"reference/weights", {}}, means{"reference/means", {}}, factors{"reference/factors", {}};
    for (const auto& [weight, mean, factor] : reference.components()) {
        weights.values.push_back(weight);
        means.values.insert(means.values.end(), mean.begin(), mean.end());
        factors.values.insert(factors.values.end(), factor.data(), factor.data() + factor.size());
    }
    outcome.arrays.insert(outcome.arrays.end(), {std::move(weights), std::move(means), std::move(factors)});
    outcome.arrays.push_back({"reference/degrees_of_freedom", {reference.df()}});
    compare(outcome);
    return outcome;
}

bool Bridged::has_long_leg_steps() const {
    return !spreads_.empty() && spreads_.back() > path::largest_spread(density_.dimension());
}

void Bridged::compare(Outcome& outcome) const {
    const auto& leg = found_by_leg_;
    const std::string name = settings_.anchor == BridgeSettings::Anchor::prior ? "leg to the prior"
                             : settings_.has_prior                             ? "leg from the prior"
                                                                               : "leg from the modes";
    if (!leg.failure.empty())
        outcome.warnings.push_back("the " + name +
                                   " failed, so that nothing looks for modes that the reference lacks: " + leg.failure);
    if (!leg.has_value || outcome.log_ratio.empty())
        return;
    const auto headline = outcome.log_ratio.front();
    const auto error = leg.has_error ? std::optional(leg.standard_error) : std::nullopt;
    if (settings_.anchor == BridgeSettings::Anchor::prior)
        return outcome.diagnostics.push_back({"prior_leg_log_normaliser", leg.log_normaliser, error});
    if (settings_.has_prior) {
        estimator::Estimate second{"prior-leg", leg.log_normaliser, error, {}, leg.error_method, leg.note};
        if (error)
            second.interval95 = estimator::normal_interval(leg.log_normaliser, *error);
        outcome.log_ratio.push_back(std::move(second));
    } else {
        outcome.diagnostics.push_back({"mode_leg_log_evidence", leg.log_normaliser, error});
    }
    if (!error || !headline.standard_error || !std::isfinite(headline.value))
        return;
    // The leg from the modes adapts its moves during the run, which biases its estimate a little: by -0.06 for eight
    // schools. In long steps it is no second estimate (-0.4 in 100 dimensions), but a mode that it has seen is there.
    const double least = has_long_leg_steps() ? infinity : settings_.has_prior ? 0 : 0.5;
    const double joint = std::hypot(*error, *headline.standard_error);
    const double difference = leg.log_normaliser - headline.value;
    if (difference <= most_joint_errors * joint && difference >= -std::max(most_joint_errors * joint, least))
        return;
    outcome.warnings.push_back(fmt::format(
        "the {} finds a log evidence of {:.6g} +- {:.2g}, the bridge {:.6g} +- {:.2g}: {}", name, leg.log_normaliser,
        *error, headline.value, *headline.standard_error,
        difference > 0 ? fmt::format("the reference may lack a mode; path.fit = \"{}\" fits it to all that the leg has "
                                     "seen",
                                     annealed_population_name())
                       : "the leg has lost a mode or has not mixed, or the bridge's error bar is too small"));
}

} // namespace pearlite::algorithm
