// Archives of NumPy's arrays.

#include "campaign/fuzz/kinds/checksums.hpp"

#include "app/mbar/mbar_part.hpp"
#include "io/arrays/npz.hpp"

namespace pearlite::fuzz {

Kinds numpy_kinds(const std::filesystem::path& scratch) {
    const auto kind = [&](const std::string& name, const std::function<void(const std::filesystem::path&)>& read) {
        return checked_kind(file_kind(scratch, name, ".npz", "npz", read), with_zip_checksums);
    };
    return {kind("npz", [](const auto& file) { io::read_npz(file, "u_kn"); }),
            kind("states-npz", [](const auto& file) { app::read_states(file, {"state"}, {}); })};
}

} // namespace pearlite::fuzz
