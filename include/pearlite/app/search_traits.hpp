#pragma once
/// Facts about a search space that the other tables of a configuration depend on.

#include <string>
#include <vector>

namespace pearlite::app {

struct SearchTraits {
    std::vector<std::string> operations;         ///< those it offers
    std::vector<std::string> default_operations; ///< those made unless the configuration lists others
    std::vector<std::string> crossovers;         ///< those among them that need partners
    bool is_box = false;                         ///< operations of kernel::BoxSpace, with its keys
    std::string update_unit = "chain updates";
};

} // namespace pearlite::app
