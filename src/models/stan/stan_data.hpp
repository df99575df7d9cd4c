#pragma once
/// The data of a Stan program by their names.

#include "pearlite/model/data_description.hpp"

#include <string>
#include <vector>

namespace pearlite::models {

/// The variables in the data, JSON as CmdStan reads it. A program does not say which of them it takes as observed:
/// those with a replicate among its quantities (y_rep[1], ... of y), or else y or Y, if there is one. Variables that
/// are no arrays of numbers are left out, for the program to judge. Nothing if the text is no JSON object.
model::DataDescription describe_stan_data(const std::string& json, const std::vector<std::string>& quantities);

} // namespace pearlite::models
