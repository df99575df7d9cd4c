#pragma once
/// How tables [[sweep.figure]] are read. Private to the configuration sources, as is toml++.

#include "io/configuration/configuration_state.hpp"
#include "io/configuration/sweep/sweep_figures.hpp"

#include <functional>

namespace pearlite::io {

/// Takes the place and the words of a mistake.
using Recorder = std::function<void(const toml::source_region&, const std::string&)>;

/// The figures in the array `node`; every mistake is recorded.
std::vector<SweepFigure> read_figures(const toml::node& node, const Recorder& record);

} // namespace pearlite::io
