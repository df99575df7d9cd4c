#pragma once
/// The data of a model with names, for files that other programs read.

#include "pearlite/core/labelled_array.hpp"

#include <concepts>
#include <optional>
#include <vector>

namespace pearlite::model {

/// Data with a distribution given the parameters, and data that the model takes as given (covariates, groups).
struct DataDescription {
    std::vector<LabelledArray> observed;
    std::vector<LabelledArray> constant;
    std::optional<TableRows> rows = {};   ///< of the table that they are from
    std::vector<std::string> priors = {}; ///< in words, those of a model whose priors depend on keys or data
};

/// Optional: describe_data().
template <class D>
concept HasDataDescription = requires(const D& density) {
    { density.describe_data() } -> std::same_as<DataDescription>;
};

} // namespace pearlite::model
