#pragma once
/// Configurations: the model, the algorithm and the plan that they name, among those that there are.

#include "algorithm/common/defaults.hpp"
#include "algorithm/plans/algorithm.hpp"
#include "app/configured/same_inputs.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::app {

/// A configuration read in full: model built, plan made, every mistake reported. Throws InputError.
struct Prepared {
    std::string model_name;
    ModelTraits traits;
    std::unique_ptr<BuiltModel> model;
    const algorithm::AlgorithmEntry* algorithm = nullptr;
    std::unique_ptr<algorithm::Plan> plan;
    std::string resolved;
    std::vector<InputFile> files;
    std::vector<std::string> remarks; ///< on how files were read
    std::vector<std::string> unused;  ///< settings that only alternatives to the algorithm use
};
/// For require_same_inputs.
Inputs inputs_of(const Prepared& prepared);
/// One line on the unused keys; empty if there are none.
std::string describe_unused(const Prepared& prepared);
Prepared prepare(const Catalogue& models, io::Configuration configuration);
/// The plan of another configuration of the same model and algorithm; null if a key of its tables is wrong.
std::unique_ptr<algorithm::Plan> plan_again(const Prepared& prepared, io::Configuration configuration);

using algorithm::AlgorithmEntry;
using algorithm::Plan;

const std::vector<AlgorithmEntry>& algorithms();
/// The algorithm of that name; ContractViolation if there is none.
const AlgorithmEntry& algorithm_of_name(const std::string& name);

/// The algorithm that runs a model if the configuration names none, by the defaults of a release. It depends on no fact
/// that is known once the model is built alone.
const AlgorithmEntry& standard_algorithm(const ModelTraits& traits,
                                         algorithm::Defaults defaults = algorithm::Defaults::present);

} // namespace pearlite::app
