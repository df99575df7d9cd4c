#pragma once
/// The RBM that grows visible unit by visible unit, all hidden units being present (Fraccaro, Paquet & Winther 2016,
/// section 5):
///
///     f_n(v) = exp(sum_{i <= n} a_i v_i) prod_j (1 + exp(c_j)),  c_j = d_j + sum_{i <= n} W_ij v_i
///     W_n = 1 + exp(a_{n+1}) prod_j (1 + exp(c_j + W_{n+1,j}))/(1 + exp(c_j))
///
/// f_n is an RBM of n visible units. Its sweep is block Gibbs, and its exact sums of integer weights are those of
/// rbm.hpp.

#include "models/rbm/rbm.hpp"
#include "pearlite/model/detail/growing_target.hpp"

#include <memory>

namespace pearlite::models {

/// Orders: "variance", the units that vary most under the start of the path first, as pixels do over training images;
/// "given"; "random". ContractViolation as for Rbm.
std::shared_ptr<const model::Growth> rbm_growth(std::shared_ptr<const Rbm> machine);

} // namespace pearlite::models
