#pragma once
/// The groups that a writer or reader is in, and the full names that follow.

#include "pearlite/core/detail/contract.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pearlite::io {

class NameScope {
  public:
    void enter(std::string_view group) { prefixes_.push_back(full(group) + "/"); }
    void leave() {
        PEARLITE_EXPECTS(!prefixes_.empty());
        prefixes_.pop_back();
    }
    /// A name is one or more parts with a slash between them, and no part is "." or "..", which HDF5 takes for itself.
    std::string full(std::string_view name) const {
        const std::string bounded = std::string(1, '/').append(name).append("/");
        for (const char* illegal : {"//", "/./", "/../"})
            PEARLITE_EXPECTS(bounded.find(illegal) == std::string::npos);
        return prefixes_.empty() ? std::string(name) : prefixes_.back() + std::string(name);
    }

  private:
    std::vector<std::string> prefixes_;
};

} // namespace pearlite::io
