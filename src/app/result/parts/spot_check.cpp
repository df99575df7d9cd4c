#include "app/result/parts/spot_check.hpp"

#include "parallel/agreement.hpp"

namespace pearlite::app {

namespace {

using estimator::SpotComparison;

const char* word_of(SpotComparison::Says says) {
    switch (says) {
    case SpotComparison::Says::nothing:
        return "says nothing";
    case SpotComparison::Says::agreement:
        return "agrees";
    case SpotComparison::Says::contradiction:
        return "contradicts";
    }
    return "";
}

Json numbers_of(const SpotComparison& comparison) {
    return {{"result", word_of(comparison.says)},
            {"share", json_number(comparison.share)},
            {"share_error", json_number(comparison.share_error)},
            {"wanted", json_number(comparison.wanted)},
            {"wanted_error", json_number(comparison.wanted_error)},
            {"deviations", json_number(comparison.deviations)}};
}

/// Maxima of the density beside the run.
class SpotCheckPart final : public ResultPart {
  public:
    explicit SpotCheckPart(algorithm::SpotCheck check) : check_(std::move(check)) {}

    void write_summary(SummaryParts& summary) const override;

  private:
    const char* word() const {
        return check_.contradicts()     ? word_of(SpotComparison::Says::contradiction)
               : check_.doubts()        ? "doubts"
               : check_.silence.empty() ? word_of(SpotComparison::Says::agreement)
                                        : word_of(SpotComparison::Says::nothing);
    }

    algorithm::SpotCheck check_;
};

void SpotCheckPart::write_summary(SummaryParts& summary) const {
    Json entry = Json::object();
    entry["result"] = word();
    if (!check_.silence.empty() && !check_.doubts())
        entry["reason"] = check_.silence;
    entry["densities"] = check_.densities;
    if (const auto worst = check_.worst(); worst.spot)
        entry["deviations"] = json_number(worst.comparison().deviations);
    Json spots = Json::array();
    for (const auto& spot : check_.spots) {
        Json its = numbers_of(spot.comparison);
        its["place"] = spot.place;
        its["families"] = json_number(spot.families);
        if (spot.beyond)
            its["beyond"] = numbers_of(*spot.beyond);
        spots.push_back(std::move(its));
    }
    if (!spots.empty())
        entry["spots"] = std::move(spots);
    if (check_.silence.empty() && !check_.doubts())
        entry["held"] = json_number(check_.held());
    summary.entries["spot_check"] = std::move(entry);
}

/// The difference, and a remedy.
std::string sentence_of(const algorithm::SpotCheck::Finding& finding) {
    const auto& found = finding.comparison();
    return fmt::format("{} the half-mass ellipsoid around {} the run has {:.2g} +- {:.1g} of its weight, where the "
                       "integral of the density is {:.2g} +- {:.1g} of the estimate of Z; {}",
                       finding.is_beyond ? "beyond" : "within", finding.spot->place, found.share, found.share_error,
                       found.wanted, found.wanted_error,
                       finding.is_beyond ? "use path.kind = \"tempered\", which begins with the whole prior"
                                         : "use path.kind = \"bridge\", whose reference is fitted to such maxima");
}

/// Takes the error bars away.
void withhold(const std::string& sentence, algorithm::Outcome& outcome) {
    for (auto& estimate : outcome.log_ratio)
        if (estimate.standard_error)
            estimate.withhold_error("no error bar: the spot check contradicts the run");
    outcome.has_no_error_bar = true;
    outcome.verdict = "the run has missed most of a peak: " + sentence;
    outcome.warnings.push_back("the spot check contradicts the run: " + sentence);
}

std::string describe_spot_check(const Json& summary) {
    const auto entry = summary.find("spot_check");
    if (entry == summary.end())
        return {};
    auto text = fmt::format("  spot check: {}", entry->value("result", ""));
    if (entry->contains("reason"))
        text += ": " + entry->value("reason", "");
    if (entry->contains("held"))
        text += fmt::format(": maxima that descents find hold {:.2f} of the mass, as in the run (no proof that it has "
                            "missed none)",
                            number_at(*entry, "held"));
    return text + fmt::format(" ({} densities)\n", whole_at(*entry, "densities"));
}

std::unique_ptr<ResultPart> spot_check_part(RunView& run) {
    return run.spot_check ? std::make_unique<SpotCheckPart>(*run.spot_check) : nullptr;
}

} // namespace

void check_spots(RunView& run) {
    constexpr Index least = 2000, divisor = 50;
    if (!run.checks_spots ||
        !algorithm::objection_to_spot_check(*run.target, run.found, run.inverse_temperature_end).empty())
        return;
    const auto progress = run.sampler.progress();
    const Index of_run = progress.likelihoods.value_or(progress.step * progress.updates_per_step);
    const auto densities = std::max(least, of_run / divisor);
    try {
        run.spot_check = algorithm::spot_check(run.ranks, *run.target, run.found, run.outcome, {densities, run.seed});
    } catch (const std::exception&) {
        const auto error = std::current_exception();
        if (run.ranks.size() > 1 && !is_agreed(error))
            throw;
        run.spot_check.emplace().silence = pearlite::describe(error).message;
        return;
    }
    const auto& check = *run.spot_check;
    if (check.contradicts())
        withhold(sentence_of(check.worst()), run.outcome);
    else if (check.doubts())
        run.outcome.warnings.push_back("the spot check doubts the run: " + sentence_of(check.worst()));
}

PartKind spot_check_kind() {
    return {spot_check_part, describe_spot_check};
}

} // namespace pearlite::app
