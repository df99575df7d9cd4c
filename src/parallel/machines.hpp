#pragma once
/// The machines that the ranks of a job run on.

#include "parallel/communicator.hpp"

#include <string>

namespace pearlite::parallel {

/// Whether a launcher of MPI has started this process: mpirun of Open MPI, those of MPICH and its kin, or srun, by the
/// variables that they leave, or PEARLITE_START_MPI=1 for one that leaves none.
bool was_launched();

/// " on node3" in a job of more than one host, else "": for messages that name a rank. Known once there is an
/// Environment.
const std::string& on_this_host();

/// The machine with the most ranks for its cores.
struct Crowd {
    int ranks = 1, cores = 1;
    std::string host;
    bool is_crowded() const { return ranks > cores; }
};

/// Collective. Cores are those to which the ranks of a machine are bound (their affinity), and no more than
/// `quota` of any of them (infinity: none).
Crowd most_crowded_machine(const Communicator& ranks, double quota);

} // namespace pearlite::parallel
