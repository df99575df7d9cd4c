#pragma once
/// `pearlite list`. Private to this layer.

#include "pearlite/app/catalogue.hpp"

namespace pearlite::app {

/// Prints models, algorithms and their combinations; the exit status.
int list_command(const Catalogue& models);

} // namespace pearlite::app
