#pragma once
/// The registry of random-number purposes: every use of randomness in Pearlite has a name here, and no two uses share
/// one. The numbers are part of a seed's meaning: append, never renumber.

#include <cstdint>

namespace pearlite::random {

enum class Purpose : std::uint8_t {
    start = 1,           ///< the draw from the path's first distribution
    move = 2,            ///< the model's or kernel's transition: proposals, sub-updates
    accept = 3,          ///< acceptance of a proposal
    hidden_units = 4,    ///< RBM: hidden units given visible ones
    visible_units = 5,   ///< RBM: visible units given hidden ones
    resample = 6,        ///< resampling
    bootstrap = 7,       ///< bootstrap standard errors
    batch_seed = 8,      ///< seeds derived for independent batches and pilots
    synthetic_data = 9,  ///< data or weights that a configuration has generated
    user = 10,           ///< a user's own model
    end = 11,            ///< starts of trajectories that run backwards
    swap = 12,           ///< replica exchange
    site = 13,           ///< the sites that random single-site updates visit
    allocation = 14,     ///< mixtures: components of the data points
    work_posterior = 15, ///< the posterior of log Z given works
    operation = 16,      ///< optimisation: the operation of an iteration, and the draws that all chains share
    partner = 17,        ///< crossovers: the partners of chains
    likelihood = 18,     ///< estimates of likelihoods: latent variables, particles of filters
    posterior_draw = 19, ///< equally weighted draws from weighted particles
    prediction = 20,     ///< predictions from draws of the parameters: latent states, replicated data
    trajectory = 21,     ///< lengths of Hamiltonian trajectories
    reference = 22,      ///< draws by which the reference of a path is fitted
    kernel_choice = 23,  ///< mixtures of kernels: the one that makes a move
    binary_image = 24,   ///< pixels drawn from grey levels
    batch_order = 25,    ///< training: the order of an epoch's examples
    bridge = 26,         ///< bridge sampling: draws of the distribution at the other side
    test = 255,          ///< tests only
};

} // namespace pearlite::random
