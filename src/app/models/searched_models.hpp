#pragma once
/// The energies of the package. Private to the sources of the layer.

#include "pearlite/app/catalogue.hpp"

namespace pearlite::app {

Catalogue searched_models();

} // namespace pearlite::app
