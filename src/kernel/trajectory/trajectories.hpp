#pragma once
/// Trajectories of a block's particles, side by side.

#include "pearlite/core/types.hpp"

#include <utility>

namespace pearlite::kernel {

/// n trajectories in the first columns of matrices of d x padded; other columns may hold anything finite. Each has left
/// its start with a velocity, and is now at a point; a force is the gradient of log f_b there, or what a model offers
/// in its place (model::DensityGradient::evaluate_force).
struct Trajectories {
    Index n = 0;
    Matrix start, start_force;
    Vector start_log_prior, start_log_likelihood;
    Matrix points, velocities, force, moved; ///< the last is scratch
    Vector log_prior, log_likelihood;        ///< at the end
    Matrix whitened;                         ///< the points in units of the population, where steps need them
    /// H - H' of the ends; the kinetic part alone before the ends' log densities are added.
    Vector log_ratios;

    /// n trajectories of `padded` columns.
    void resize(Index d, Index padded, Index number) {
        n = number;
        if (start.cols() == padded && start.rows() == d)
            return;
        for (Matrix* each : {&start, &start_force, &points, &velocities, &force, &moved})
            *each = Matrix::Zero(d, padded);
        for (Vector* each : {&start_log_prior, &start_log_likelihood, &log_prior, &log_likelihood, &log_ratios})
            *each = Vector::Zero(padded);
    }
    /// Trajectory i begins where trajectory k of others did, or at its end with the velocity turned.
    void begin_where(const Trajectories& others, Index k, Index i) {
        start.col(i) = others.start.col(k);
        start_force.col(i) = others.start_force.col(k);
        start_log_prior(i) = others.start_log_prior(k);
        start_log_likelihood(i) = others.start_log_likelihood(k);
    }
    void begin_at_end(const Trajectories& others, Index k, Index i) {
        start.col(i) = others.points.col(k);
        start_force.col(i) = others.force.col(k);
        start_log_prior(i) = others.log_prior(k);
        start_log_likelihood(i) = others.log_likelihood(k);
        velocities.col(i) = -others.velocities.col(k);
    }
    /// The end of trajectory i becomes that of trajectory k of others.
    void take_end(const Trajectories& others, Index k, Index i) {
        points.col(i) = others.points.col(k);
        force.col(i) = others.force.col(k);
        log_prior(i) = others.log_prior(k);
        log_likelihood(i) = others.log_likelihood(k);
        log_ratios(i) = others.log_ratios(k);
    }
};

} // namespace pearlite::kernel
