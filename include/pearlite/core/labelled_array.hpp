#pragma once
/// Arrays whose dimensions have names: data and predictions in the form that users and other programs read.

#include "pearlite/core/types.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pearlite {

struct LabelledDimension {
    std::string name;
    Index size = 0;
    std::vector<std::string> labels = {}; ///< of its places; empty: they have numbers
    std::vector<Index> numbers = {};      ///< of its places where they have no labels; empty: 0, 1, ...
};

/// Rows of a table that were used, by their numbers in the file: the first one under the header is 1.
struct TableRows {
    struct LeftOut {
        Index row = 0;
        std::string column; ///< lacks a value
    };
    std::string source; ///< the file
    std::vector<Index> used;
    std::vector<LeftOut> left_out; ///< in the order of the file
    /// Columns that had to be complete, and texts that stood for a missing value; none if rows are not left out.
    std::vector<std::string> complete = {}, missing_values = {};
};

struct LabelledArray {
    std::string name;
    std::vector<LabelledDimension> dimensions; ///< none for a single number
    std::vector<double> values;                ///< the last dimension runs fastest
    std::string description = {};              ///< with its unit, if it has one
    bool is_whole = false;                     ///< all values are whole numbers, and files say so

    /// The product of the dimensions' sizes.
    Index size() const {
        Index n = 1;
        for (const auto& dimension : dimensions)
            n *= dimension.size;
        return n;
    }
};

/// A value per place of one dimension.
inline LabelledArray labelled(std::string name, LabelledDimension dimension, const Vector& values,
                              std::string description = {}) {
    return {std::move(name), {std::move(dimension)}, {values.begin(), values.end()}, std::move(description)};
}

inline LabelledArray labelled(std::string name, LabelledDimension rows, LabelledDimension columns, const Matrix& values,
                              std::string description = {}) {
    LabelledArray array{std::move(name), {std::move(rows), std::move(columns)}, {}, std::move(description)};
    for (Index i = 0; i < values.rows(); ++i)
        for (Index j = 0; j < values.cols(); ++j)
            array.values.push_back(values(i, j));
    return array;
}

} // namespace pearlite
