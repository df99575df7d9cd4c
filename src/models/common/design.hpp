#pragma once
/// Design matrices from columns of data and sums of terms, as R makes them.

#include "pearlite/core/types.hpp"

#include <string>
#include <vector>

namespace pearlite::models {

/// A column of data. A number; or, if it has levels, a factor: codes 0 .. levels - 1. Values that are not numbers, and
/// negative codes, are missing.
struct Covariate {
    std::string name;
    Vector values;
    std::vector<std::string> levels{};
};

/// A column of ones.
inline constexpr const char* intercept_term = "intercept";

/// The covariate of that name; InputError says which there are.
const Covariate& find_covariate(const std::vector<Covariate>& covariates, const std::string& name);
/// The covariates a, b, ... of a term "a:b:...".
std::vector<std::string> parts_of_term(const std::string& term);
/// InputError for a code without a level.
bool is_missing(const Covariate& covariate, Index row);

struct DesignColumns {
    Matrix values; ///< rows x columns
    std::vector<std::string> names;
};

/// The columns of a sum of terms at these rows: an intercept; a number as it is; a factor as a column per level but the
/// first, called name[level]; "a:b" as the products of the columns of a and b, those of a changing fastest.
DesignColumns design_of_terms(const std::vector<Covariate>& covariates, const std::vector<std::string>& terms,
                              const std::vector<Index>& rows);

} // namespace pearlite::models
