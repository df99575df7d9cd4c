#pragma once
/// Predictions from parameters: states that the data were drawn with, data that might have been, and future values.

#include "pearlite/core/labelled_array.hpp"
#include "pearlite/random/stream.hpp"

#include <concepts>
#include <span>
#include <vector>

namespace pearlite::model {

/// Draws given one point. The first dimension of every array is `sample`, of as many equally likely draws as were asked
/// for; names and dimensions are the same for every point. An array named like observed data (data_description.hpp)
/// is drawn from their distribution and compared with them.
struct Prediction {
    std::vector<LabelledArray> within; ///< at the places of the data
    std::vector<LabelledArray> beyond; ///< where there are no data
    bool is_empty() const { return within.empty() && beyond.empty(); }
};

inline LabelledDimension sample_dimension(Index samples) {
    return {"sample", samples};
}

/// Optional: predict(u, samples, address), u a point. Random numbers come from the address's stream and those of other
/// steps at it. The prediction is empty for a point of likelihood 0.
template <class D>
concept HasPrediction = requires(const D& density, std::span<const double> u, Index samples,
                                 const random::Address& address) {
    { density.predict(u, samples, address) } -> std::same_as<Prediction>;
};

} // namespace pearlite::model
