#include "pearlite/core/contract.hpp"

#include "pearlite/core/error.hpp"

#include <string>
#include <string_view>

namespace pearlite::detail {

namespace {

// The file's name alone: where the program was built is nobody's business.
std::string_view without_directory(std::string_view path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace

void contract_violated(const char* kind, const char* condition, const char* file, int line) {
    throw ContractViolation(std::string(kind) + " violated: " + condition + " (" +
                            std::string(without_directory(file)) + ":" + std::to_string(line) + ")");
}

} // namespace pearlite::detail
