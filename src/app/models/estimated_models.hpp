#pragma once
/// The catalogue's models whose likelihood is estimated.

#include "pearlite/app/catalogue.hpp"

namespace pearlite::app {

Catalogue estimated_models();

} // namespace pearlite::app
