#include "algorithm/stochastic_approximation/search_stages.hpp"

namespace pearlite::algorithm {

SearchStages::SearchStages(const SearchSettings& settings)
    : main_iterations_(settings.iterations),
      range_iterations_(settings.partition ? 0 : settings.range_iterations),
      pilot_iterations_(settings.pilot_iterations),
      ladder_(settings.temperature),
      quench_{TemperatureLadder::Kind::geometric, settings.temperature(1), settings.temperature(settings.iterations),
              settings.range_iterations},
      gain_(settings.gain),
      stage_(settings.partition ? Stage::main : Stage::range) {}

} // namespace pearlite::algorithm
