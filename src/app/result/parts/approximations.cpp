#include "app/result/parts/kinds.hpp"
#include "parallel/agreement.hpp"

#include <sstream>

namespace pearlite::app {

namespace {

/// Deterministic approximations of the evidence, beside the run's estimate.
class ApproximationsPart final : public ResultPart {
  public:
    /// On rank 0; elsewhere empty.
    ApproximationsPart(std::vector<model::Approximation> approximations, std::string failure)
        : approximations_(std::move(approximations)), failure_(std::move(failure)) {}

    void write_summary(SummaryParts& summary) const override;

  private:
    std::vector<model::Approximation> approximations_;
    std::string failure_;
};

void ApproximationsPart::write_summary(SummaryParts& summary) const {
    if (!failure_.empty())
        summary.warnings.push_back("no approximation to compare with: " + failure_);
    Json entries = Json::array();
    for (const auto& approximation : approximations_) {
        Json entry{{"name", approximation.name}, {"log_evidence", json_number(approximation.log_evidence)}};
        if (approximation.correction) {
            entry["correction"] = json_number(*approximation.correction);
            entry["corrected"] = json_number(approximation.log_evidence + *approximation.correction);
        }
        entry["note"] = "an approximation, whose error is unknown";
        entries.push_back(std::move(entry));
    }
    if (!entries.empty())
        summary.entries["approximations"] = std::move(entries);
}

std::string describe_approximations(const Json& summary) {
    std::string text;
    for (const auto& entry : summary.value("approximations", Json::array())) {
        text += fmt::format("  log p(y)  ~ {:.4f}", number_at(entry, "log_evidence"));
        if (entry.contains("corrected"))
            text += fmt::format(", corrected {:.4f}", number_at(entry, "corrected"));
        text += fmt::format("   ({}: an approximation, which has no error bar)\n", entry.value("name", ""));
    }
    return text;
}

std::unique_ptr<ResultPart> approximations_part(RunView& run) {
    const auto* approximated = run.target->offers<model::Approximated>();
    if (approximated == nullptr || run.inverse_temperature_end != 1)
        return nullptr;
    std::string failure;
    parallel::on_root(run.ranks, [&] {
        try {
            run.approximations = approximated->approximations();
        } catch (const NumericalError& error) {
            failure = error.what();
        }
    });
    // Results files need the names of fields on all ranks.
    std::string names;
    for (const auto& approximation : run.approximations)
        names += approximation.name + "\n";
    std::istringstream lines(run.ranks.broadcast(names));
    if (!run.ranks.is_root())
        for (std::string name; std::getline(lines, name);)
            run.approximations.push_back({name, 0, {}, Vector()});
    return std::make_unique<ApproximationsPart>(run.approximations, std::move(failure));
}

} // namespace

PartKind approximations_kind() {
    return {approximations_part, describe_approximations, model::Task::annealing, true,
            "approximations of the posterior"};
}

} // namespace pearlite::app
