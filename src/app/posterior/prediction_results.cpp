#include "app/posterior/prediction_results.hpp"

#include <iterator>
#include <string>

namespace pearlite::app {

namespace {

void write(io::Writer& writer, const std::string& group, const std::vector<PredictedQuantity>& quantities) {
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

} // namespace

void write_predictions(io::Writer& writer, const Predictions& predictions) {
    writer.enter("predictions");
    writer("points", predictions.n_points);
    writer("left_out", predictions.n_left_out);
    writer("levels",
           std::vector<double>(std::begin(estimator::predictive_levels), std::end(estimator::predictive_levels)));
    write(writer, "within", predictions.within);
    write(writer, "beyond", predictions.beyond);
    writer.leave();
}

} // namespace pearlite::app
