#pragma once
/// The comparison of what the ranks of a job have read: each reads configuration and data for itself, and nodes may
/// have different copies.

#include "parallel/communicator.hpp"
#include "pearlite/app/catalogue.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::app {

/// A file that a key of the configuration names: "model.data", and the path.
using InputFile = std::pair<std::string, std::filesystem::path>;

/// SHA-256 of what a model is made of: its kind, its sizes and its data.
std::string fingerprint_of(const BuiltModel& model);

/// The inputs of a rank.
struct Inputs {
    std::string configuration; ///< TOML
    std::vector<InputFile> files;
    std::string model_fingerprint; ///< may be empty
};

/// Collective. InputError on all ranks, unless all run the same build with the same configuration, files and model. It
/// names a rank that differs from rank 0, its host, and the first thing that differs.
void require_same_inputs(const parallel::Communicator& ranks, const Inputs& inputs);

} // namespace pearlite::app
