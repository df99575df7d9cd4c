#include "kernel/trajectory/hamiltonian.hpp"

#include "kernel/density/draws.hpp"
#include "kernel/trajectory/trajectory_entry.hpp"

namespace pearlite::kernel {

namespace {

/// About the step size of that acceptance for a normal target (Beskos et al. 2013).
double first_step(Index d) {
    return 1.2 / std::pow(static_cast<double>(d), 0.25);
}

} // namespace

// The kernel keeps it. NOLINTNEXTLINE(performance-unnecessary-value-param)
Hamiltonian::Hamiltonian(Path path, const MoveSettings& moves, const Matrix* learnt, Covariance covariance,
                         const Trajectory& trajectory, double longest_step)
    : DensityKernel(path,
                    {.moves = moves,
                     .covariance = covariance,
                     .scale = std::min(first_step(path->dimension()), longest_step),
                     .wanted_acceptance = trajectory.acceptance,
                     .largest_scale = longest_step},
                    learnt),
      gradient_(path->offers<model::DensityGradient>()),
      trajectory_(trajectory) {
    PEARLITE_EXPECTS(gradient_ != nullptr && path->path_is_linear());
    prepare();
}

void Hamiltonian::prepare() {
    const double most = static_cast<double>(trajectory_.most_steps) / 1.5; // u is below 1
    steps_ = std::min(trajectory_.length / scale(), most);
}

void Hamiltonian::evaluate_proposals(model::DensityBlock& block, double b, bool with_logs) const {
    gradient_->evaluate_force(block.proposals, block.size(), path().power(b), with_logs, block.proposed_log_prior,
                              block.proposed_log_likelihood, scratch_.proposed_gradient);
}

void Hamiltonian::begin_block(model::DensityBlock& block, double b) const {
    const Index d = block.dimension(), n = block.padded_size();
    if (scratch_.gradient.cols() != n || scratch_.gradient.rows() != d) {
        scratch_.gradient = scratch_.proposed_gradient = scratch_.moved = Matrix::Zero(d, n);
        scratch_.log_prior = scratch_.log_likelihood = scratch_.kinetic = Vector::Zero(n);
    }
    gradient_->evaluate_force(block.points, block.size(), path().power(b), false, scratch_.log_prior,
                              scratch_.log_likelihood, scratch_.gradient);
}

Index Hamiltonian::draw_length(const model::BlockStreams& streams) const {
    random::Stream stream(streams.shared(random::Purpose::trajectory));
    return std::max<Index>(1, std::lround((0.5 + stream.uniform()) * steps_));
}

void Hamiltonian::kick(model::DensityBlock& block, double size) const {
    proposal_shape().scale_transposed(scratch_.proposed_gradient, scratch_.moved);
    block.normals += size * scratch_.moved;
}

void Hamiltonian::begin_trajectory(model::DensityBlock& block) const {
    block.proposals = block.points;
    scratch_.proposed_gradient = scratch_.gradient;
}

// A trajectory that has left for infinity stays where densities are asked for numbers; it is rejected.
void Hamiltonian::keep_finite(model::DensityBlock& block) {
    for (Index i = 0; i < block.padded_size(); ++i)
        if (!std::isfinite(block.proposals.col(i).sum())) {
            block.proposals.col(i) = block.points.col(i);
            block.normals.col(i).setConstant(infinity);
        }
}

void Hamiltonian::follow_trajectory(model::DensityBlock& block, double b, Index l) const {
    kick(block, 0.5 * scale());
    for (Index k = 1; k <= l; ++k) {
        proposal_shape().scale(block.normals, scratch_.moved);
        block.proposals += scale() * scratch_.moved;
        keep_finite(block);
        evaluate_proposals(block, b, k == l);
        kick(block, k < l ? scale() : 0.5 * scale());
    }
}

Index Hamiltonian::transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    draw_normals(block, streams);
    begin_trajectory(block);
    scratch_.kinetic = 0.5 * block.normals.colwise().squaredNorm().transpose();
    follow_trajectory(block, b, draw_length(streams));
    scratch_.kinetic -= 0.5 * block.normals.colwise().squaredNorm().transpose();
    return accept(block, b, streams);
}

Index Hamiltonian::accept(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    // A point of infinite density would hold its particle for ever.
    return accept_proposals(
        block, path().power(b), streams,
        [&](double change, Index i) {
            return change == infinity ? std::numeric_limits<double>::quiet_NaN() : change + scratch_.kinetic(i);
        },
        [&](Index i) { scratch_.gradient.col(i) = scratch_.proposed_gradient.col(i); });
}

KernelEntry langevin_entry() {
    return {.name = "mala",
            .about = "the Metropolis-adjusted Langevin algorithm, a step of Hamiltonian Monte Carlo",
            .learns = true,
            .suits = has_gradient,
            .factory = [] { return trajectory_factory<Hamiltonian>({.acceptance = 0.574, .most_steps = 1}); }};
}

} // namespace pearlite::kernel
