#pragma once
/// The energies of the package. Private to the sources of the layer.

#include "pearlite/app/catalogue.hpp"

namespace pearlite::app {

Catalogue searched_models();

/// What searches of a box offer.
SearchTraits box_search_traits();

} // namespace pearlite::app
