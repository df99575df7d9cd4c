#include "algorithm/fitted_path/moment_fit.hpp"

#include "algorithm/common/streams.hpp"
#include "parallel/agreement.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

namespace {

/// Variances that divide an update are those of a statistic of 0 and 1, never below this.
constexpr double least_variance = 0.01;
/// Change of the logarithm of the rate per cosine of the angle between two successive gradients.
constexpr double learning_of_rate = 0.1;

double variance_of(double moment) {
    return std::max(moment * (1 - moment), least_variance);
}

} // namespace

void MomentPath::fields(Fields& f) {
    auto n = static_cast<std::int64_t>(knots.size());
    f("n_knots", n);
    knots.resize(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < knots.size(); ++k)
        f(fmt::format("knot{}", k + 1), knots[k]);
    f("at", at);
    f("cost", cost);
    f("rate", rate);
    f("rms_residual", rms_residual);
    f("largest_residual", largest_residual);
}

MomentFit::MomentFit(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                     const MomentSettings& settings, const random::Seed& seed)
    : ranks_(ranks),
      target_(std::move(target)),
      family_(*target_->offers<model::MomentFamily>()),
      settings_(settings),
      seed_(seed),
      layout_(settings.chains, piece, ranks.size(), ranks.rank()),
      population_(population_of(ranks_, target_)),
      rate_(settings.rate) {
    parallel::together(ranks_, [&] {
        chains_ = family_.make_chains();
        block_ = chains_->make_block(layout_.local_items());
        start_moments_ = family_.start_moments();
        counts_.resize(start_moments_.size());
        own_counts_.resize(start_moments_.size());
    });
}

void MomentFit::begin() {
    begin_stage();
}

void MomentFit::begin_stage() {
    sweep_ = 0;
    sum_of_counts_.assign(counts_.size(), 0);
    std::fill(own_counts_.begin(), own_counts_.end(), 0);
    if (knot_ == 0) {
        set_parameters(family_.end_parameters());
    } else {
        if (knot_ == 1)
            eta_ = family_.start_parameters();
        sum_of_eta_.assign(eta_.size(), 0.0);
        gradient_.assign(eta_.size(), 0.0);
        gradient_squares_ = 0;
        wanted_.resize(eta_.size());
        for (std::size_t i = 0; i < wanted_.size(); ++i)
            wanted_[i] = (1 - fraction()) * start_moments_[i] + fraction() * end_moments_[i];
        set_parameters(eta_);
    }
    if (knot_ > 1) // the chains go on
        return;
    const auto generation = static_cast<Index>(knot_);
    parallel::together(ranks_, [&] {
        chains_->draw_start(*block_, {seed_, 0, generation, layout_.first_local_item(), 0});
    });
}

void MomentFit::set_parameters(const std::vector<double>& eta) {
    if (!chains_->set_parameters(eta)) // on all ranks alike
        parallel::agree(ranks_,
                        std::make_exception_ptr(NumericalError(fmt::format(
                            "knot {} of the path: a parameter is no longer finite; lower path.fit_rate", knot_))));
}

bool MomentFit::counts() const {
    return sweep_ > (knot_ == 0 ? settings_.end_sweeps / 4 : settings_.updates / 2);
}

void MomentFit::step() {
    PEARLITE_EXPECTS(!finished());
    ++sweep_;
    ++all_sweeps_;
    const bool is_update = knot_ > 0;
    parallel::together(ranks_, [&] {
        chains_->sweep(*block_, {seed_, static_cast<std::uint32_t>(all_sweeps_), is_update ? 1 : 0,
                                 layout_.first_local_item(), 0});
        if (is_update || counts())
            chains_->count(*block_, counts_);
    });
    if (is_update)
        update();
    else if (counts())
        for (std::size_t i = 0; i < counts_.size(); ++i)
            own_counts_[i] += counts_[i];
    if (sweep_ == sweeps_of_stage())
        end_stage();
}

void MomentFit::update() {
    if (ranks_.size() > 1)
        ranks_.sum(std::span(counts_));
    const double per_count = 1 / static_cast<double>(settings_.chains);
    double product = 0, squares = 0;
    for (std::size_t i = 0; i < eta_.size(); ++i) {
        const double variance = variance_of(wanted_[i]), gradient = wanted_[i] - per_count * counts_[i];
        product += gradient * gradient_[i] / variance;
        squares += gradient * gradient / variance;
        gradient_[i] = gradient;
    }
    // Too long a step reverses the gradient.
    if (squares > 0 && gradient_squares_ > 0)
        rate_ *= std::exp(learning_of_rate * product / std::sqrt(squares * gradient_squares_));
    gradient_squares_ = squares;
    for (std::size_t i = 0; i < eta_.size(); ++i)
        eta_[i] += rate_ * gradient_[i] / variance_of(wanted_[i]);
    if (counts())
        for (std::size_t i = 0; i < eta_.size(); ++i) {
            sum_of_eta_[i] += eta_[i];
            sum_of_counts_[i] += counts_[i];
        }
    set_parameters(eta_);
}

void MomentFit::flush() {
    if (knot_ > 0 || finished())
        return;
    ranks_.sum(std::span(own_counts_));
    for (std::size_t i = 0; i < own_counts_.size(); ++i)
        sum_of_counts_[i] += std::exchange(own_counts_[i], 0);
}

void MomentFit::end_stage() {
    const bool is_end = knot_ == 0;
    flush();
    const Index counted = sweep_ - (is_end ? settings_.end_sweeps / 4 : settings_.updates / 2);
    const double n = static_cast<double>(counted) * static_cast<double>(settings_.chains);
    std::vector<double> means(sum_of_counts_.size());
    std::transform(sum_of_counts_.begin(), sum_of_counts_.end(), means.begin(),
                   [n](std::int64_t count) { return static_cast<double>(count) / n; });
    if (is_end) {
        end_moments_ = std::move(means);
    } else {
        double squares = 0, largest = 0, used = 0;
        for (std::size_t i = 0; i < means.size(); ++i) {
            const double residual = wanted_[i] - means[i];
            squares += residual * residual / variance_of(wanted_[i]);
            largest = std::max(largest, std::abs(residual));
            used += wanted_[i] == 0 && means[i] == 0 ? 0 : 1; // not padding
            eta_[i] = sum_of_eta_[i] / static_cast<double>(counted);
        }
        path_.knots.push_back(eta_);
        path_.rate.push_back(rate_);
        path_.rms_residual.push_back(std::sqrt(squares / std::max(used, 1.0)));
        path_.largest_residual.push_back(largest);
    }
    ++knot_;
    if (finished())
        make_path();
    else
        begin_stage();
}

void MomentFit::make_path() {
    const auto n = settings_.knots;
    auto low = family_.start_parameters();
    for (Index k = 0; k <= n; ++k) {
        auto high = k < n ? path_.knots[static_cast<std::size_t>(k)] : family_.end_parameters();
        double cost = 0;
        for (std::size_t i = 0; i < low.size(); ++i)
            cost += (high[i] - low[i]) * (end_moments_[i] - start_moments_[i]) / static_cast<double>(n + 1);
        path_.cost.push_back(cost);
        low = std::move(high);
    }
    // In a fit that has not converged a segment may seem to cost nothing; it keeps a tenth of an even share.
    std::vector<double> lengths(path_.cost.size(), 1.0);
    if (settings_.spacing == MomentSettings::Spacing::length) {
        double mean = 0;
        for (std::size_t k = 0; k < lengths.size(); ++k)
            mean += (lengths[k] = std::sqrt(std::max(path_.cost[k], 0.0))) / static_cast<double>(lengths.size());
        for (double& length : lengths)
            length = mean > 0 ? std::max(length, 0.1 * mean) : 1;
    }
    double all = 0, sum = 0;
    for (const double length : lengths)
        all += length;
    path_.at = {0};
    for (const double length : lengths)
        path_.at.push_back((sum += length) / all);
    path_.at.back() = 1;
}

Progress MomentFit::progress() const {
    Progress now;
    now.step = all_sweeps_;
    now.steps = settings_.end_sweeps + settings_.knots * settings_.updates;
    now.inverse_temperature = fraction();
    now.stage =
        knot_ == 0 ? "moments of the path's end" : fmt::format("knot {}/{} of the path", knot_, settings_.knots);
    now.updates_per_step = settings_.chains;
    return now;
}

Found MomentFit::found() {
    return {.trace = &trace_, .population = &population_};
}

void MomentFit::fields(Fields& f) {
    f("knot", knot_);
    f("sweep", sweep_);
    f("all_sweeps", all_sweeps_);
    f("end_moments", end_moments_);
    f("sum_of_counts", sum_of_counts_);
    f("eta", eta_);
    f("sum_of_eta", sum_of_eta_);
    f("wanted", wanted_);
    f("gradient", gradient_);
    f("gradient_squares", gradient_squares_);
    f("rate", rate_);
    group(f, "path", path_);
    population::list_block(f, "chains", *block_, layout_);
    if (!f.is_reading())
        return;
    if (knot_ < 0 || knot_ > settings_.knots || sum_of_counts_.size() != counts_.size() ||
        (knot_ > 0 && eta_.size() != counts_.size()))
        throw FileError("the checkpoint has another fit of the path");
    set_parameters(knot_ == 0 ? family_.end_parameters() : eta_);
}

void MomentSettings::keys(Keys& k) {
    k("knots", knots, within(1, 1000), "members of the family between the ends, whose moments are evenly spaced");
    k("spacing", spacing,
      {{"length", Spacing::length, "as far apart as the path between them is long in joint states, for even steps"},
       {"even", Spacing::even, "evenly, as Grosse, Maddison & Salakhutdinov (2013) have them"}},
      "how the knots lie between inverse temperatures 0 and 1");
    k("fit_chains", chains, within(16, 1'000'000), "Markov chains by which moments are estimated and knots fitted");
    k("end_sweeps", end_sweeps, within(16, 1'000'000'000),
      "sweeps of these chains at the end of the path, the last three quarters of which estimate its moments");
    k("fit_updates", updates, within(16, 1'000'000'000),
      "updates of a knot's parameters, a sweep each; the knot is their mean over the last half");
    k("fit_rate", rate, above(0),
      "first rate of these updates, which are divided by the variance of each statistic; it adapts");
    k("fit_seed", fit_seed, "seed of the fit; else derived from run.seed");
}

random::Seed MomentSettings::seed(const random::Seed& of_run) const {
    return fit_seed ? random::Seed(*fit_seed, of_run.generator)
                    : random::derive_seed(of_run, (std::uint64_t{1} << 63) + 2);
}

std::string MomentSettings::cost() const {
    return fmt::format("# and, before, the path's fit: {} chains x ({} sweeps at its end + {} at each of {} knots)\n",
                       chains, end_sweeps, updates, knots);
}

} // namespace pearlite::algorithm
