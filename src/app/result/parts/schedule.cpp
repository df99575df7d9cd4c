/// Predicted and measured cost of a run's schedule: Var[log w] of independent trajectories, and twice their excess
/// work, log Z/Z_0 - E[log w], which equals it near equilibrium. Populations that interact and replicas that swap have
/// no such weights; their schedules get the prediction alone.

#include "algorithm/pilot/survey_record.hpp"
#include "app/result/parts/kinds.hpp"
#include "estimator/evidence/genealogy.hpp"
#include "estimator/evidence/mobility.hpp"
#include "path/optimal/optimal_schedule.hpp"

namespace pearlite::app {

namespace {

using algorithm::SurveyRecord;
using algorithm::Trace;

/// Width of the window that smooths a survey's numbers, as a share of the path's length.
constexpr double smoothing = 0.02;
/// Limits of the lag and of 2 W_ex over Var[log w], above which predictions are rough.
constexpr double largest_lag = 0.3, largest_ratio = 2;

struct WithError {
    double value = 0, standard_error = 0;
};

struct ScheduleReport {
    Index steps = 0;
    std::string source; ///< of the predictions
    std::optional<path::ScheduleCost> predicted, predicted_linear;
    bool tau_is_lower_bound = false;
    std::optional<WithError> variance, twice_excess_work; ///< of log w

    bool is_empty() const { return !predicted && !variance; }
};

/// tau from the mobility m of u over a step: autocorrelations (1 - m)^t.
path::PathProfile profile_of(const Trace& trace) {
    path::PathProfile profile{trace.inverse_temperature, trace.mean_u, trace.variance_u, {}, {}};
    path::repair(profile.variance_u);
    for (std::size_t k = 0; k < trace.inverse_temperature.size(); ++k) {
        const double m = estimator::usable_mobility(k < trace.mobility_energy.size() ? trace.mobility_energy[k] : 1);
        profile.tau.push_back((2 - m) / m);
    }
    if (profile.tau.size() > 1)
        profile.tau.front() = profile.tau[1]; // the first particles are independent draws
    return profile;
}

path::PathProfile profile_of(const SurveyRecord& survey) {
    auto profile = survey.profile;
    profile.variance_u = path::smoothed_in_length(profile.inverse_temperature, profile.variance_u, smoothing);
    return profile;
}

bool has_variance(const Trace& trace) {
    return trace.inverse_temperature.size() >= 2 &&
           std::ranges::any_of(trace.variance_u, [](double g) { return std::isfinite(g) && g > 0; });
}

/// Over several replicates, the error comes from their spread; for a single one, log weights are taken to be normal.
WithError variance_of(const std::vector<algorithm::LogWeightMoments>& log_weights) {
    std::vector<double> of_replicates;
    of_replicates.reserve(log_weights.size());
    for (const auto& moments : log_weights)
        of_replicates.push_back(moments.variance);
    if (of_replicates.size() == 1)
        return {of_replicates[0], of_replicates[0] * std::sqrt(2 / (log_weights[0].n - 1))};
    const auto mean = estimator::batch_mean("", of_replicates);
    return {mean.value, mean.standard_error.value_or(0)};
}

std::optional<WithError> twice_excess_work(const algorithm::Outcome& outcome) {
    if (outcome.log_ratio.empty() || !outcome.log_ratio.front().standard_error)
        return {};
    double mean = 0, variance_of_mean = 0;
    const auto n = static_cast<double>(outcome.log_weights.size());
    for (const auto& moments : outcome.log_weights) {
        mean += moments.mean / n;
        variance_of_mean += moments.variance / moments.n / (n * n);
    }
    const auto& log_ratio = outcome.log_ratio.front();
    return WithError{2 * (log_ratio.value - mean),
                     2 * std::hypot(*log_ratio.standard_error, std::sqrt(variance_of_mean))};
}

class SchedulePart final : public ResultPart {
  public:
    /// On rank 0; elsewhere an empty report.
    SchedulePart(ScheduleReport report, SurveyRecord survey) : report_(std::move(report)), survey_(std::move(survey)) {}

    void write_fields(io::Writer& writer) override {
        if (survey_.is_empty())
            return;
        const auto& profile = survey_.profile;
        writer.enter("survey");
        writer.enter("path");
        writer("inverse_temperature", profile.inverse_temperature);
        writer("mean_u", profile.mean_u);
        writer("variance_u", profile.variance_u);
        writer("rejection_rate", profile.rejection_rate);
        writer("friction", survey_.friction);
        writer("tau", profile.tau);
        writer.leave();
        writer.enter("knots");
        writer("inverse_temperature", survey_.knots.inverse_temperature);
        writer("mean_u", survey_.knots.mean_u);
        writer("tau", survey_.knots.tau);
        writer("tau_is_lower_bound", survey_.knots.is_lower_bound);
        writer("sweeps", survey_.knots.sweeps);
        writer.leave();
        writer.leave();
    }

    void write_summary(SummaryParts& summary) const override {
        if (report_.is_empty())
            return;
        Json entry{{"steps", report_.steps}};
        if (report_.predicted) {
            entry["predicted_from"] = report_.source;
            entry["predicted_variance"] = {{"perfect_mixing", report_.predicted->perfect_mixing},
                                           {"measured_mixing", report_.predicted->measured_mixing},
                                           {"finite_steps", report_.predicted->finite_steps}};
            entry["lag"] = report_.predicted->lag;
            entry["tau_is_lower_bound"] = report_.tau_is_lower_bound;
            entry["predicted_gain_over_linear"] =
                report_.predicted_linear->finite_steps / report_.predicted->finite_steps;
        }
        if (report_.variance) {
            entry["log_weight_variance"] = json_number(report_.variance->value);
            entry["log_weight_variance_standard_error"] = json_number(report_.variance->standard_error);
        }
        if (report_.twice_excess_work) {
            entry["twice_excess_work"] = json_number(report_.twice_excess_work->value);
            entry["twice_excess_work_standard_error"] = json_number(report_.twice_excess_work->standard_error);
            if (report_.predicted)
                entry["achieved_gain_over_linear"] =
                    json_number(report_.predicted_linear->finite_steps / report_.twice_excess_work->value);
        }
        summary.entries["schedule"] = std::move(entry);
        if (survey_.repaired > 0)
            summary.warnings.push_back(
                fmt::format("u = d log f_b/db has no finite variance at {} temperature(s) of the survey, so that "
                            "Var[log w] may not exist; the schedule takes the nearest finite numbers",
                            survey_.repaired));
    }

  private:
    ScheduleReport report_;
    SurveyRecord survey_;
};

ScheduleReport report_of(const Trace& trace, const algorithm::Outcome& outcome, const SurveyRecord& survey) {
    ScheduleReport report;
    report.steps = std::ssize(trace.inverse_temperature) - 1;
    if (!outcome.log_weights.empty()) {
        report.variance = variance_of(outcome.log_weights);
        report.twice_excess_work = twice_excess_work(outcome);
    }
    if (!survey.has_tau && !has_variance(trace))
        return report;
    const auto profile = survey.has_tau ? profile_of(survey) : profile_of(trace);
    const path::Schedule schedule(trace.inverse_temperature);
    report.source = survey.has_tau ? "survey" : "run";
    report.tau_is_lower_bound = profile.tau_is_lower_bound;
    report.predicted = path::cost_of(schedule, profile);
    report.predicted_linear = path::cost_of(path::linear_schedule(report.steps, schedule.end()), profile);
    return report;
}

std::unique_ptr<ResultPart> schedule_part(RunView& run) {
    if (!run.found.has_path)
        return nullptr;
    const auto* survey = run.found.survey;
    const auto traces = traces_of(run.ranks, run.found);
    auto record = survey ? *survey : SurveyRecord();
    const bool has_trace = !traces.empty() && traces.front().inverse_temperature.size() >= 2;
    auto report = has_trace ? report_of(traces.front(), run.outcome, record) : ScheduleReport();
    return std::make_unique<SchedulePart>(std::move(report), std::move(record));
}

std::string describe_schedule(const Json& summary) {
    const auto entry = summary.value("schedule", Json::object());
    const auto with_error = [&](const std::string& key) {
        return fmt::format("{:.3g} +- {:.2g}", number_at(entry, key.c_str()),
                           number_at(entry, (key + "_standard_error").c_str()));
    };
    const bool has_log_weights = entry.contains("log_weight_variance"),
               is_predicted = entry.contains("predicted_variance");
    // Where nothing is wrong, a reader has no use for them.
    if ((!has_log_weights && !is_predicted) || has_supported_result(summary))
        return {};
    std::string text = "  schedule: ";
    if (has_log_weights)
        text += "Var[log w] " + with_error("log_weight_variance");
    if (entry.contains("twice_excess_work"))
        text += ", 2 W_ex " + with_error("twice_excess_work");
    if (!is_predicted)
        return text + "\n";
    const auto predicted = entry.value("predicted_variance", Json::object());
    // One step's mobility does not see what is slow and small: a survey's holds do.
    const bool is_surveyed = entry.value("predicted_from", "") == "survey";
    const auto least = entry.value("tau_is_lower_bound", false) ? " at least" : "";
    const auto variance = fmt::format("{:.3g} (perfect mixing {:.2g})", number_at(predicted, "finite_steps"),
                                      number_at(predicted, "perfect_mixing"));
    if (has_log_weights)
        text += fmt::format("; predicted{} {}", is_surveyed ? least : " from the mobility of its steps", variance);
    else
        text += fmt::format("independent trajectories would have Var[log w]{} {}{}", is_surveyed ? least : "", variance,
                            is_surveyed ? "" : ", by the mobility of its steps");
    const double lag = number_at(entry, "lag");
    if (is_surveyed)
        text += fmt::format(", gain over linear {:.2g}, lag {:.2g} sd", number_at(entry, "predicted_gain_over_linear"),
                            lag);
    text += "\n";
    if (!has_log_weights)
        return text;
    const double ratio = number_at(entry, "twice_excess_work") / number_at(entry, "log_weight_variance");
    if (lag > largest_lag)
        text += "  the kernel lags behind this schedule, whose predictions are rough: more steps, or more moves\n";
    else if (ratio > largest_ratio || ratio < 1 / largest_ratio)
        text += "  2 W_ex is far from Var[log w]: the trajectories are far from equilibrium, and predictions rough\n";
    return text;
}

} // namespace

PartKind schedule_kind() {
    return {schedule_part, describe_schedule};
}

} // namespace pearlite::app
