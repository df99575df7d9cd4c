#pragma once
/// Reduced potentials of samples of several states, from files.

#include "pearlite/core/types.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::app {

/// u_k(x_n), K x N, and how many samples each state has; samples may come in any order.
struct StatesTable {
    std::vector<std::string> names; ///< K
    Matrix potentials;
    std::vector<Index> counts;
};

/// .npz or .h5 with the arrays u_kn (K x N) and N_k (K), as pymbar takes them; or a table with a header line and a row
/// a sample: the state that it was drawn from, in the column `state`, and its reduced potentials in columns that are
/// called as the states. Columns among `leave_out`, times say, are no states. InputError with line and column.
StatesTable read_states(const std::filesystem::path& file, const std::string& state,
                        const std::vector<std::string>& leave_out);

} // namespace pearlite::app
