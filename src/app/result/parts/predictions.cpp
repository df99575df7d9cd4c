#include "app/posterior/posterior_arrays.hpp"
#include "app/result/parts/kinds.hpp"
#include "target/named_data.hpp"

#include <iterator>

namespace pearlite::app {

namespace {

/// Predictions of the posterior, and the data beside them.
class PredictionsPart final : public ResultPart {
  public:
    /// `predictions`: empty if the model predicts nothing; all ranks agree on whether it does.
    PredictionsPart(model::DataDescription data, std::optional<Predictions> predictions)
        : data_(std::move(data)), predictions_(std::move(predictions)) {}

    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;
    void write_posterior(PosteriorArrays& posterior) const override;

  private:
    model::DataDescription data_;
    std::optional<Predictions> predictions_;
};

void write_quantities(io::Writer& writer, const std::string& group, const std::vector<PredictedQuantity>& quantities) {
    for (const auto& quantity : quantities) {
        writer.enter(group + "/" + quantity.name);
        std::string dimensions;
        for (const auto& dimension : quantity.dimensions)
            dimensions += (dimensions.empty() ? "" : ", ") + dimension.name;
        writer("dimension", dimensions);
        writer("description", quantity.description);
        writer("mean", quantity.summary.mean);
        writer("quantiles", quantity.summary.quantiles);
        writer("replicates", quantity.replicates);
        if (!quantity.observed.empty()) {
            writer("observed", quantity.observed);
            writer("ranks", quantity.ranks);
        }
        writer.leave();
    }
}

/// predictions/: points, left_out, levels; within/<name>/ and beyond/<name>/: dimension, description, mean, quantiles
/// (a level a row), replicates (a point a row); observed and ranks where there are observations. The values are rank
/// 0's.
void PredictionsPart::write_fields(io::Writer& writer) {
    if (!predictions_)
        return;
    writer.enter("predictions");
    writer("points", predictions_->n_points);
    writer("left_out", predictions_->n_left_out);
    writer("levels",
           std::vector<double>(std::begin(estimator::predictive_levels), std::end(estimator::predictive_levels)));
    write_quantities(writer, "within", predictions_->within);
    write_quantities(writer, "beyond", predictions_->beyond);
    writer.leave();
}

/// The share of observations in central 90 % intervals (not for binary data), and a warning if points were left out.
void PredictionsPart::write_summary(SummaryParts& summary) const {
    if (!predictions_)
        return;
    for (const auto& quantity : predictions_->within) {
        const bool binary = std::ranges::all_of(quantity.observed, [](double y) { return y == 0 || y == 1; });
        if (!binary)
            summary.diagnostics["predictive_coverage_90_" + quantity.name] =
                json_number(estimator::central_coverage(quantity.ranks, 0.9));
    }
    if (predictions_->n_left_out > 0)
        summary.warnings.push_back(
            fmt::format("{} of {} draws of the parameters predict nothing (likelihood 0) and were left out",
                        predictions_->n_left_out, predictions_->n_left_out + predictions_->n_points));
}

/// Chain x draw x the quantity's own dimensions: one sample of each draw of the parameters.
std::vector<LabelledArray> replicates_of(const std::vector<PredictedQuantity>& quantities) {
    std::vector<LabelledArray> arrays;
    for (const auto& quantity : quantities) {
        LabelledArray array{quantity.name,
                            {{"chain", 1}, {"draw", quantity.replicates.rows()}},
                            {},
                            quantity.description,
                            quantity.is_whole};
        array.dimensions.insert(array.dimensions.end(), quantity.dimensions.begin(), quantity.dimensions.end());
        for (Index i = 0; i < quantity.replicates.rows(); ++i)
            for (Index j = 0; j < quantity.replicates.cols(); ++j)
                array.values.push_back(quantity.replicates(i, j));
        arrays.push_back(std::move(array));
    }
    return arrays;
}

/// The replicates, and whose they are.
std::vector<LabelledArray> group_of(const Predictions& predictions, const std::vector<PredictedQuantity>& quantities) {
    auto arrays = replicates_of(quantities);
    if (arrays.empty())
        return arrays;
    const std::vector<LabelledDimension> places{{"chain", 1}, {"draw", predictions.n_points}};
    arrays.push_back({"of_chain", places, predictions.chains, "chain of the posterior whose draw predicts", true});
    arrays.push_back({"of_draw", places, predictions.draws,
                      "its place in that chain, among all draws of results.h5: an ancestor of sample_stats where draws "
                      "are weighted",
                      true});
    return arrays;
}

void PredictionsPart::write_posterior(PosteriorArrays& posterior) const {
    if (predictions_) {
        posterior.further.push_back({"posterior_predictive", group_of(*predictions_, predictions_->within)});
        posterior.further.push_back({"predictions", group_of(*predictions_, predictions_->beyond)});
    }
    posterior.further.push_back({"observed_data", data_.observed});
    posterior.further.push_back({"constant_data", data_.constant});
}

std::unique_ptr<ResultPart> predictions_part(RunView& run) {
    model::DataDescription data;
    if (const auto* described = run.target->offers<model::DescribedData>())
        data = described->describe_data();
    else if (const auto* named = run.target->offers<model::NamedData>())
        data = named->named_data();
    std::optional<Predictions> predictions;
    if (run.posterior && run.target->offers<model::Predictive>() && run.found.prediction_seed)
        predictions = predictions_of(run.ranks, *run.target, run.found, run.posterior->samples, data);
    return std::make_unique<PredictionsPart>(std::move(data), std::move(predictions));
}

} // namespace

PartKind predictions_kind() {
    return {predictions_part, nullptr, model::Task::annealing, true, "predictions"};
}

} // namespace pearlite::app
