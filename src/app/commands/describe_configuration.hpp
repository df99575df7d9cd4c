#pragma once
/// The keys of configurations, for people, editors and completions. Private to this layer.

#include "io/configuration/key_description.hpp"
#include "pearlite/app/catalogue.hpp"

namespace pearlite::app {

/// Models, the algorithms that suit them, and the keys of every table.
io::ConfigurationDescription describe_configuration(const Catalogue& models);

} // namespace pearlite::app
