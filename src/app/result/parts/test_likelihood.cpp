#include "app/result/parts/kinds.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::app {

namespace {

/// The mean log-likelihood of test data: the mean of log f_1 minus log Z. Its error is that of log Z. The variation of
/// the mean between sets of test data is reported separately.
class TestLikelihoodPart final : public ResultPart {
  public:
    /// On rank 0; elsewhere without estimates.
    struct Estimates {
        model::TestData data;
        double log_normaliser_start = 0;
        std::optional<estimator::Estimate> log_ratio;
        std::optional<double> exact_log_ratio;
    };

    explicit TestLikelihoodPart(Estimates estimates) : estimates_(std::move(estimates)) {}

    void write_fields(io::Writer& writer) override {
        writer("test_likelihood/log_densities", estimates_.data.log_densities);
    }
    void write_summary(SummaryParts& summary) const override;

  private:
    Estimates estimates_;
};

void TestLikelihoodPart::write_summary(SummaryParts& summary) const {
    const auto& data = estimates_.data;
    const auto& log_ratio = estimates_.log_ratio;
    const double log_normaliser_start = estimates_.log_normaliser_start;
    const auto n = static_cast<double>(data.log_densities.size());
    const double mean = exact_sum(data.log_densities) / n;
    ExactSum squares;
    for (const double x : data.log_densities)
        squares.add((x - mean) * (x - mean));
    Json common{{"data", data.log_densities.size()}, {"form", data.form}};
    if (data.seed)
        common["seed"] = *data.seed;
    if (n > 1)
        common["standard_error_of_data"] = std::sqrt(squares.value() / (n * (n - 1)));
    Json entries = Json::array();
    const auto add = [&](const std::string& estimator, double ratio) -> Json& {
        Json entry{{"estimator", estimator},
                   {"value", mean - log_normaliser_start - ratio},
                   {"log_normaliser", log_normaliser_start + ratio}};
        entry.update(common);
        return entries.emplace_back(std::move(entry));
    };
    if (log_ratio) {
        auto& entry = add(log_ratio->estimator, log_ratio->value);
        if (log_ratio->standard_error)
            entry["standard_error"] = *log_ratio->standard_error;
        if (log_ratio->interval95)
            entry["interval95"] = {mean - log_normaliser_start - log_ratio->interval95->high,
                                   mean - log_normaliser_start - log_ratio->interval95->low};
    }
    if (estimates_.exact_log_ratio)
        add("exact", *estimates_.exact_log_ratio);
    if (!entries.empty())
        summary.entries["test_log_likelihood"] = std::move(entries);
}

std::string describe_test_likelihood(const Json& summary) {
    std::string text;
    for (const auto& entry : summary.value("test_log_likelihood", Json::array())) {
        text += fmt::format("  test log-likelihood {:.4f}", entry.value("value", 0.0));
        if (entry.contains("standard_error"))
            text += fmt::format(" +- {:.4f}", entry.value("standard_error", 0.0));
        if (const auto interval = entry.find("interval95"); interval != entry.end())
            text += fmt::format(", 95 % interval {:.4f} to {:.4f}", interval->at(0).get<double>(),
                                interval->at(1).get<double>());
        text += fmt::format("   ({}; mean of {} data, {}{}; other data: +- {:.2f})\n", entry.value("estimator", ""),
                            whole_at(entry, "data"), entry.value("form", ""),
                            entry.contains("seed") ? fmt::format(" with seed {}", whole_at(entry, "seed")) : "",
                            entry.value("standard_error_of_data", 0.0));
    }
    return text;
}

std::unique_ptr<ResultPart> test_likelihood_part(RunView& run) {
    const auto* tested = run.target->offers<model::TestedModel>();
    const auto log_normaliser_start = run.target->log_normaliser_start();
    if (tested == nullptr || run.chains || !log_normaliser_start || run.inverse_temperature_end != 1)
        return nullptr;
    TestLikelihoodPart::Estimates estimates;
    parallel::on_root(run.ranks, [&] {
        estimates = {tested->test_data(), *log_normaliser_start, {}, run.exact_log_ratio};
        const auto& found = run.outcome.log_ratio;
        if (!found.empty() && std::isfinite(found.front().value))
            estimates.log_ratio = found.front();
    });
    return std::make_unique<TestLikelihoodPart>(std::move(estimates));
}

} // namespace

PartKind test_likelihood_kind() {
    return {test_likelihood_part, describe_test_likelihood, model::Task::annealing, true, "likelihoods of test images"};
}

} // namespace pearlite::app
