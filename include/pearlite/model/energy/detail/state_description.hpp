#pragma once
/// A packed state as people read it.

#include "pearlite/core/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::model {

/// Pictures of equal size: one per row, rows x columns pixels in [0, 1].
struct Images {
    Matrix pixels;
    Index rows = 0;
    Index columns = 0;
};

struct StateDescription {
    std::vector<double> values;           ///< coordinates, sites or edges, as the model documents them
    std::optional<Images> images = {};    ///< of an image: it, and the one that it was restored from
    std::optional<Matrix> positions = {}; ///< of a molecule: one bead per row
    std::string graph = {};               ///< of a network: for Graphviz
};

} // namespace pearlite::model
