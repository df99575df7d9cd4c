#include "kernel/trajectory/hamiltonian.hpp"

#include "kernel/density/draws.hpp"
#include "kernel/trajectory/trajectory_entry.hpp"

namespace pearlite::kernel {

namespace {

/// About the step size of that acceptance for a normal target (Beskos et al. 2013).
double first_step(Index d) {
    return 1.2 / std::pow(static_cast<double>(d), 0.25);
}

bool is_small(double log_ratio) {
    return std::abs(log_ratio) <= Hamiltonian::largest_error;
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

void Hamiltonian::evaluate(Trajectories& t, double b, bool with_logs) const {
    gradient_->evaluate_force(t.points, t.n, path().power(b), with_logs, t.log_prior, t.log_likelihood, t.force);
}

void Hamiltonian::begin_block(model::DensityBlock& block, double b) const {
    const Index d = block.dimension(), n = block.padded_size();
    if (force_.cols() != n || force_.rows() != d) {
        force_ = Matrix::Zero(d, n);
        log_prior_ = log_likelihood_ = Vector::Zero(n);
    }
    gradient_->evaluate_force(block.points, block.size(), path().power(b), false, log_prior_, log_likelihood_, force_);
}

Index Hamiltonian::draw_length(const model::BlockStreams& streams) const {
    random::Stream stream(streams.shared(random::Purpose::trajectory));
    return std::max<Index>(1, std::lround((0.5 + stream.uniform()) * steps_));
}

Hamiltonian::Steps Hamiltonian::steps_of(Index retry, Index length) const {
    return {std::min(length << retry, std::max(length, trajectory_.most_steps)),
            scale() / static_cast<double>(Index{1} << 2 * retry)};
}

void Hamiltonian::kick(Trajectories& t, double size) const {
    proposal_shape().scale_transposed(t.force, t.moved);
    t.velocities += size * t.moved;
}

void Hamiltonian::begin(const model::DensityBlock& block) const {
    auto& t = trajectories_;
    t.resize(block.dimension(), block.padded_size(), block.size());
    t.start = block.points;
    t.start_force = force_;
    t.start_log_prior = block.log_prior;
    t.start_log_likelihood = block.log_likelihood;
    t.velocities = block.normals;
}

void Hamiltonian::return_to_start(Trajectories& t) const {
    t.points = t.start;
    t.force = t.start_force;
}

// A trajectory that has left for infinity stays where densities are asked for numbers; it is rejected.
void Hamiltonian::keep_finite(Trajectories& t) {
    for (Index i = 0; i < t.points.cols(); ++i)
        if (!std::isfinite(t.points.col(i).sum())) {
            t.points.col(i) = t.start.col(i);
            t.velocities.col(i).setConstant(infinity);
        }
}

void Hamiltonian::follow(Trajectories& t, double b, const Steps& steps) const {
    const auto [l, size] = steps;
    kick(t, 0.5 * size);
    for (Index k = 1; k <= l; ++k) {
        proposal_shape().scale(t.velocities, t.moved);
        t.points += size * t.moved;
        keep_finite(t);
        evaluate(t, b, k == l);
        kick(t, k < l ? size : 0.5 * size);
    }
}

void Hamiltonian::add_densities(Trajectories& t, double b) const {
    const double power = path().power(b);
    for (Index i = 0; i < t.n; ++i) {
        const double before = t.start_log_prior(i) + tempered(power, t.start_log_likelihood(i));
        const double change = t.log_prior(i) + tempered(power, t.log_likelihood(i)) - before;
        // A point of infinite density would hold its particle for ever.
        t.log_ratios(i) = change == infinity ? std::numeric_limits<double>::quiet_NaN() : change + t.log_ratios(i);
    }
}

void Hamiltonian::fly(Trajectories& t, double b, const Steps& steps) const {
    return_to_start(t);
    t.log_ratios = 0.5 * t.velocities.colwise().squaredNorm().transpose();
    follow(t, b, steps);
    t.log_ratios -= 0.5 * t.velocities.colwise().squaredNorm().transpose();
    add_densities(t, b);
}

Index Hamiltonian::transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    draw_normals(block, streams);
    begin(block);
    const Index length = draw_length(streams);
    fly(trajectories_, b, steps_of(0, length));
    std::vector<Index> failed;
    for (Index i = 0; i < block.size() && trajectory_.retries > 0; ++i)
        if (!is_small(trajectories_.log_ratios(i)))
            failed.push_back(i);
    if (!failed.empty())
        retry(block, b, length, failed);
    return accept(block, b, streams, failed);
}

void Hamiltonian::retry(const model::DensityBlock& block, double b, Index length, std::vector<Index> failed) const {
    for (const Index i : failed)
        trajectories_.log_ratios(i) = -infinity;
    for (Index retry = 1; retry <= trajectory_.retries && !failed.empty(); ++retry) {
        again_.resize(block.dimension(), padded(std::ssize(failed)), std::ssize(failed));
        for (Index k = 0; k < again_.n; ++k) {
            again_.begin_where(trajectories_, failed[static_cast<std::size_t>(k)], k);
            again_.velocities.col(k) = block.normals.col(failed[static_cast<std::size_t>(k)]);
        }
        fly(again_, b, steps_of(retry, length));
        std::vector<Index> still;
        for (Index k = 0; k < again_.n; ++k)
            if (!is_small(again_.log_ratios(k)))
                still.push_back(failed[static_cast<std::size_t>(k)]);
        reject_other_choices(again_, b, retry, length);
        for (Index k = 0; k < again_.n; ++k)
            if (is_small(again_.log_ratios(k)))
                trajectories_.take_end(again_, k, failed[static_cast<std::size_t>(k)]);
        failed = std::move(still);
    }
}

void Hamiltonian::reject_other_choices(Trajectories& flights, double b, Index retry, Index length) const {
    for (Index coarser = 0; coarser < retry; ++coarser) {
        back_.resize(flights.start.rows(), flights.start.cols(), 0);
        std::vector<Index> ends;
        for (Index k = 0; k < flights.n; ++k)
            if (is_small(flights.log_ratios(k))) {
                back_.begin_at_end(flights, k, back_.n++);
                ends.push_back(k);
            }
        if (ends.empty())
            return;
        fly(back_, b, steps_of(coarser, length));
        for (Index k = 0; k < back_.n; ++k)
            if (is_small(back_.log_ratios(k)))
                flights.log_ratios(ends[static_cast<std::size_t>(k)]) = -infinity;
    }
}

Index Hamiltonian::accept(model::DensityBlock& block, double b, const model::BlockStreams& streams,
                          const std::vector<Index>& retried) const {
    auto& t = trajectories_;
    std::swap(block.proposals, t.points);
    std::swap(block.proposed_log_prior, t.log_prior);
    std::swap(block.proposed_log_likelihood, t.log_likelihood);
    Index finer = 0;
    const Index accepted = accept_proposals(
        block, path().power(b), streams, [&](double, Index i) { return t.log_ratios(i); },
        [&](Index i) {
            force_.col(i) = t.force.col(i);
            finer += std::binary_search(retried.begin(), retried.end(), i) ? 1 : 0;
        });
    return accepted - finer;
}

KernelEntry langevin_entry() {
    return {.name = "mala",
            .about = "the Metropolis-adjusted Langevin algorithm, a step of Hamiltonian Monte Carlo",
            .learns = true,
            .suits = has_gradient,
            .factory = [] { return trajectory_factory<Hamiltonian>({.acceptance = 0.574, .most_steps = 1}); }};
}

} // namespace pearlite::kernel
