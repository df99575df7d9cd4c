#pragma once
/// The paths along which a model can be annealed, by their names in configurations (path.kind).

#include "pearlite/model/target.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::path {

struct PathEntry {
    std::string name;
    std::string about; ///< "points of the data added one by one"
    /// Whether a model offers the functions that the path needs.
    bool (*suits)(const model::Target& model) = nullptr;
    /// The target along the path, for a model that the path suits; the model itself where a run finds its path.
    std::shared_ptr<const model::Target> (*along)(std::shared_ptr<const model::Target> model) = nullptr;
    bool keeps_gradient = false; ///< of a model that has one
};

#define PEARLITE_PATH(name) PathEntry name##_entry();
#include "path/list_of_paths.inl"
#undef PEARLITE_PATH

/// The paths of list_of_paths.inl, in its order.
std::vector<PathEntry> paths();
/// The names of the paths that suit a model, with `first` before the others if it is one of them.
std::vector<std::string> kinds_of(const model::Target& model, const std::string& first = {});
/// The model's target along the path of that name, which must suit it.
std::shared_ptr<const model::Target> along(const std::string& kind, std::shared_ptr<const model::Target> model);

} // namespace pearlite::path
