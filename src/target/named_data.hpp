#pragma once
/// Data of programs in other languages, which say their names, but not which of them are observed.

#include "pearlite/model/data_description.hpp"

namespace pearlite::model {

/// Names of quantities that are replicates of data end so: y_rep of y.
inline constexpr const char* replicate_suffix = "_rep";

/// In place of DescribedData: the data to be observed are presumed from names. They stand beside the posterior, and
/// identify nothing.
class NamedData {
  public:
    virtual ~NamedData() = default;
    virtual DataDescription named_data() const = 0;
};

} // namespace pearlite::model
