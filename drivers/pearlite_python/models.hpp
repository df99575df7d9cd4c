#pragma once
/// Models that are made of Python functions.

#include "app/embedding/session.hpp"
#include "pearlite_python/calls.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::python {

/// Fields that all densities share.
struct Described {
    std::vector<std::string> names; ///< d
    /// quantities(x) -> (n, q) are reported in place of the coordinates; None: the coordinates.
    py::object quantities;
    std::vector<std::string> quantity_names;
    std::string identity; ///< of functions and data: a checkpoint of another one is refused
};

/// A prior and a likelihood, as functions of x (n, d):
///   log_prior(x) -> (n,);  draw_prior(a, b) -> (d,), a draw with a key of two 64-bit integers
///   log_likelihood(x) -> (n,), or if it is estimated log_likelihood(x, keys), keys (n, 2) of 64-bit integers
///   gradient(x, b) -> (n, d), of log prior + b log likelihood; None: there is none
struct PriorAndLikelihood {
    py::object log_prior, draw_prior, log_likelihood, gradient;
    bool is_estimated = false;
    std::optional<double> exact_log_ratio = {};
};
app::ModelEntry density_of(Described described, const PriorAndLikelihood& functions);

/// log_density(x) -> (n,); gradient(x) -> (n, d), or None.
app::ModelEntry joint_density_of(Described described, py::object log_density, py::object gradient);

/// energy(x) -> (n,) in the box from `lower` to `upper` (d); gradient(x) -> (n, d), or None.
app::ModelEntry energy_of(std::vector<double> lower, std::vector<double> upper, py::object energy, py::object gradient,
                          bool is_periodic, std::optional<double> known_minimum, std::string identity);

} // namespace pearlite::python
