#pragma once
/// The exact partition function of the two-dimensional Ising model on a finite torus: the reference that simulations
/// are judged by.

#include "pearlite/core/types.hpp"

namespace pearlite::models {

/// log Z of rows x columns Ising spins on a torus, Z = sum over states of exp(beta_j sum_bonds x_i x_j), each site
/// bound to its right and its lower neighbour (so two spins share two bonds where a side is 2). Kaufman 1949 (Phys.
/// Rev. 76, 1232). rows, columns >= 2 and beta_j >= 0 finite, else ContractViolation. Time O(columns); no overflow at
/// any beta_j.
double ising_log_partition(Index rows, Index columns, double beta_j);

} // namespace pearlite::models
