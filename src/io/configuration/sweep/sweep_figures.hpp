#pragma once
/// The figures that the table [sweep] of a configuration asks for: the curves of the report, and published values
/// beside them. No computed number depends on them.

#include "io/configuration/configuration_state.hpp"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pearlite::io {

/// A curve that others published.
struct PublishedCurve {
    std::string label;
    std::vector<std::variant<double, std::string>> x; ///< values of the axis
    std::vector<double> y;                            ///< as many
};

/// A statistic of scalars, over the runs of a setting, against an axis.
struct SweepFigure {
    std::string name; ///< of its file
    std::string title;
    std::vector<std::string> scalars; ///< empty: those that the tables show
    std::string statistic = "mean";   ///< or median, sd, bias, rms-error
    std::string against;              ///< an axis; empty: the first that has several values
    std::optional<double> known;      ///< the answer; none: what the runs know
    std::optional<bool> logarithmic;  ///< the vertical axis; none: by its range
    std::vector<PublishedCurve> published;
};

// How tables [[sweep.figure]] are read.

/// Takes the place and the words of a mistake.
using Recorder = std::function<void(const toml::source_region&, const std::string&)>;

/// The figures in the array `node`; every mistake is recorded.
std::vector<SweepFigure> read_figures(const toml::node& node, const Recorder& record);

} // namespace pearlite::io
