#include "app/posterior/predictions.hpp"

#include <algorithm>

namespace pearlite::app {

namespace {

/// Samples of one quantity, point after point.
class Collected {
  public:
    explicit Collected(const LabelledArray& first)
        : name_(first.name),
          description_(first.description),
          dimensions_(first.dimensions.begin() + 1, first.dimensions.end()),
          samples_(first.dimensions.front().size) {}

    void add(const LabelledArray& array) {
        PEARLITE_EXPECTS(array.name == name_ && array.dimensions.front().size == samples_ &&
                         static_cast<Index>(array.values.size()) == array.size() &&
                         (values_.empty() || values_.size() % array.values.size() == 0));
        values_.insert(values_.end(), array.values.begin(), array.values.end());
    }

    PredictedQuantity quantity(Index n_points, const model::DataDescription& data) const {
        const auto rows = n_points * samples_;
        const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> draws(
            values_.data(), rows, static_cast<Index>(values_.size()) / rows);
        const Matrix columns = draws;
        PredictedQuantity quantity{name_,
                                   description_,
                                   dimensions_,
                                   estimator::summarise_predictive(columns),
                                   Matrix(n_points, columns.cols()),
                                   {},
                                   {}};
        for (Index k = 0; k < n_points; ++k) // samples of a filter are sorted by their ancestors: take different places
            quantity.replicates.row(k) = columns.row(k * samples_ + k % samples_);
        for (const auto& observed : data.observed)
            if (observed.name == name_ && static_cast<Index>(observed.values.size()) == columns.cols()) {
                quantity.observed = observed.values;
                quantity.is_whole = observed.is_whole;
                quantity.ranks = estimator::predictive_ranks(columns, observed.values);
            }
        return quantity;
    }

  private:
    std::string name_, description_;
    std::vector<LabelledDimension> dimensions_;
    Index samples_;
    std::vector<double> values_;
};

void add(std::vector<Collected>& collected, const std::vector<LabelledArray>& arrays) {
    if (collected.empty())
        for (const auto& array : arrays)
            collected.emplace_back(array);
    PEARLITE_EXPECTS(collected.size() == arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i)
        collected[i].add(arrays[i]);
}

} // namespace

Index PredictionSettings::samples(Index n_data) const {
    constexpr Index copies = 4; // of a value, while samples are collected, turned round and sorted
    return std::clamp<Index>(most_values / std::max<Index>(1, copies * points * n_data), 1, most_samples);
}

Predictions summarise_predictions(
    const std::function<model::Prediction(std::span<const double>, Index, const random::Address&)>& predict,
    const Matrix& points, const model::DataDescription& data, const PredictionSettings& settings,
    const random::Seed& seed) {
    Index n_data = 1;
    for (const auto& observed : data.observed)
        n_data = std::max(n_data, observed.size());
    const Index samples = settings.samples(n_data);
    Predictions predictions;
    std::vector<Collected> within, beyond;
    for (Index k = 0; k < points.cols(); ++k) {
        const auto prediction = predict(
            {points.col(k).data(), static_cast<std::size_t>(points.rows())}, samples,
            {.seed = seed, .purpose = random::Purpose::prediction, .id = static_cast<std::uint64_t>(k), .step = 0});
        if (prediction.is_empty()) {
            ++predictions.n_left_out;
            continue;
        }
        ++predictions.n_points;
        predictions.predicting.push_back(k);
        add(within, prediction.within);
        add(beyond, prediction.beyond);
    }
    for (const auto& collected : within)
        predictions.within.push_back(collected.quantity(predictions.n_points, data));
    for (const auto& collected : beyond)
        predictions.beyond.push_back(collected.quantity(predictions.n_points, {}));
    return predictions;
}

} // namespace pearlite::app
