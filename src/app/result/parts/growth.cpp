#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

namespace {

using algorithm::GrowthRecord;

/// The table of a population that grew variable by variable.
class GrowthPart final : public ResultPart {
  public:
    /// `records`: of the replicates, on rank 0; elsewhere none. `steps`: replicated.
    GrowthPart(std::vector<GrowthRecord> records, Index steps) : records_(std::move(records)), steps_(steps) {}

    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;

  private:
    /// Steps x replicates.
    template <class Of>
    Matrix table(const Of& of) const {
        Matrix values(steps_, std::ssize(records_));
        for (Index r = 0; r < values.cols(); ++r) {
            const auto& column = of(records_[at(r)]);
            for (Index n = 0; n < steps_; ++n)
                values(n, r) = static_cast<double>(column[at(n)]);
        }
        return values;
    }
    /// Mean of a number over the replicates.
    template <class Of>
    double mean(const Of& of) const {
        double sum = 0;
        for (const auto& record : records_)
            sum += of(record);
        return sum / static_cast<double>(records_.size());
    }

    std::vector<GrowthRecord> records_;
    Index steps_;
};

void GrowthPart::write_fields(io::Writer& writer) {
    writer.enter("growth");
    writer("particles", table([](const auto& record) -> auto& { return record.particles; }));
    writer("moved", table([](const auto& record) -> auto& { return record.moved; }));
    writer("gamma", table([](const auto& record) -> auto& { return record.gamma; }));
    writer("first_gamma", table([](const auto& record) -> auto& { return record.first_gamma; }));
    writer("mobility", table([](const auto& record) -> auto& { return record.mobility; }));
    writer("ess", table([](const auto& record) -> auto& { return record.ess; }));
    writer("relative_variance", table([](const auto& record) -> auto& { return record.relative_variance; }));
    writer("log_ratio", table([](const auto& record) -> auto& { return record.log_ratio; }));
    writer("passes", table([](const auto& record) -> auto& { return record.passes; }));
    writer("resampled", table([](const auto& record) -> auto& { return record.resampled; }));
    writer("optimal_particles",
           table([](const auto& record) { return algorithm::variance_of(record).optimal_particles; }));
    writer.leave();
}

void GrowthPart::write_summary(SummaryParts& summary) const {
    const auto variance = [](const auto& record) { return algorithm::variance_of(record); };
    double least = 1;
    Index unreached = 0, enlarged = 0;
    for (const auto& record : records_) {
        least = std::min(least, *std::ranges::min_element(record.gamma));
        unreached += std::ranges::count_if(record.gamma, [&](double gamma) { return gamma < record.threshold; });
        enlarged += std::ranges::count_if(record.passes, [](auto passes) { return passes > 0; });
    }
    if (enlarged > 0 && records_.front().is_biased)
        summary.warnings.emplace_back(
            "the rule that ended the enlarging read the weights that were then averaged, and error bars do not include "
            "the bias of this; allocation = \"crossed\" has none");
    const auto per_replicate = [&](Index all) {
        return static_cast<double>(all) / static_cast<double>(records_.size());
    };
    summary.entries["growth"] = {
        {"steps", steps_},
        {"base_particles", records_.front().base_particles},
        {"moved_per_step", mean([&](const auto& record) { return variance(record).moved_per_step; })},
        {"enlarged_steps", per_replicate(enlarged)},
        {"steps_below_threshold", per_replicate(unreached)},
        {"least_gamma", least},
        {"variance_of_independent_particles", mean([&](const auto& record) { return variance(record).variance; })},
        {"least_variance", mean([&](const auto& record) { return variance(record).least; })}};
}

std::unique_ptr<ResultPart> growth_part(RunView& run) {
    auto records = growth_records_of(run.ranks, run.found);
    Index steps = records.empty() ? 0 : std::ssize(records.front().gamma);
    for (const auto& record : records) // of a run that is under way they differ
        steps = std::min<Index>(steps, std::ssize(record.gamma));
    run.ranks.broadcast(std::span(&steps, 1));
    return steps == 0 ? nullptr : std::make_unique<GrowthPart>(std::move(records), steps);
}

std::string describe_growth(const Json& summary) {
    if (!summary.contains("growth"))
        return {};
    const auto& growth = summary["growth"];
    return fmt::format(
        "  growth: {:.2f} x {:g} particles moved a step, {:.4g} of {} steps enlarged; gamma at least {:.2g}, "
        "below the threshold at {:.4g} steps\n"
        "  with independent particles sd[log Z] of a replicate would be {:.2g}, and {:.2g} by Theorem 1\n",
        number_at(growth, "moved_per_step"), number_at(growth, "base_particles"), number_at(growth, "enlarged_steps"),
        whole_at(growth, "steps"), number_at(growth, "least_gamma"), number_at(growth, "steps_below_threshold"),
        std::sqrt(number_at(growth, "variance_of_independent_particles")),
        std::sqrt(number_at(growth, "least_variance")));
}

} // namespace

PartKind growth_kind() {
    return {growth_part, describe_growth, model::Task::annealing, false};
}

} // namespace pearlite::app
