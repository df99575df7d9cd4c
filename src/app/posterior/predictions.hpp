#pragma once
/// Predictions of the posterior, for models that make them: summaries over equally weighted draws of the parameters.

#include "estimator/posterior.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/predictive.hpp"

#include <functional>
#include <string>
#include <vector>

namespace pearlite::app {

/// A predicted quantity of n values.
struct PredictedQuantity {
    std::string name, description;
    std::vector<LabelledDimension> dimensions; ///< of the n values
    estimator::PredictiveSummary summary;      ///< over all samples of all points
    Matrix replicates;                         ///< points x n: one sample of each point
    std::vector<double> observed, ranks;       ///< n, for observed quantities; else empty
    bool is_whole = false;                     ///< its values are whole numbers, as those observed
};

struct Predictions {
    std::vector<PredictedQuantity> within; ///< at the places of the data
    std::vector<PredictedQuantity> beyond; ///< at places without data
    Index n_points = 0;                    ///< draws of the parameters that predict
    Index n_left_out = 0;                  ///< draws that cannot predict: their likelihood is 0
    std::vector<Index> predicting;         ///< n_points columns of the points, those that predict
    std::vector<double> chains, draws;     ///< where in the posterior each of them is
};

struct PredictionSettings {
    Index points = 250;             ///< draws of the parameters
    Index most_samples = 20;        ///< for each draw
    Index most_values = 20'000'000; ///< of a quantity, over points and samples: fewer samples where data are many
    Index samples(Index n_data) const;
};

/// predict(u, samples, address) as in model/predictive.hpp, for each column of `points` (d x K, equally weighted) with
/// numbers at (seed, prediction, column). A pure function.
Predictions summarise_predictions(
    const std::function<model::Prediction(std::span<const double>, Index, const random::Address&)>& predict,
    const Matrix& points, const model::DataDescription& data, const PredictionSettings& settings,
    const random::Seed& seed);

} // namespace pearlite::app
