#include "kernel/trajectory/riemannian.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "kernel/density/draws.hpp"
#include "kernel/trajectory/trajectory_entry.hpp"

namespace pearlite::kernel {

namespace {

/// In units of local standard deviations.
constexpr double solution_tolerance = 1e-10, return_tolerance = 1e-7;
/// Tolerance for rounding errors, relative to the distance from the origin.
constexpr double solution_rounding = 1e-14;
/// A solution that takes more iterations shrinks its error by less than half in each: the step is too long.
constexpr Index most_iterations = 32;

const model::DensityMetric& metric_of(const path::DensityPath& path) {
    const auto* metric = path.offers<model::DensityMetric>();
    PEARLITE_EXPECTS(metric != nullptr);
    return *metric;
}

} // namespace

GeneralisedLeapfrog::GeneralisedLeapfrog(const model::DensityMetric& metric, Index dimension)
    : here_(metric, dimension), there_(metric, dimension) {}

bool GeneralisedLeapfrog::move_to(const Vector& x, double b) {
    b_ = b;
    return here_.move_to(x, b) && here_.differentiate();
}

double GeneralisedLeapfrog::kinetic(const Vector& p) const {
    return here_.half_log_determinant() + 0.5 * here_.momentum_square(p);
}

// p_h - (eps/4) w(p_h) = constant, w_k(p) = v' dG_k v, v = G^-1 p; dw_k/dp = 2 (dG_k v)' G^-1.
bool GeneralisedLeapfrog::kick(Vector& p, const Vector& gradient, double eps) {
    constant_ = p + 0.5 * eps * (gradient - here_.volume_slope());
    here_.velocity(p, velocity_);
    slope_ = here_.changes(velocity_);
    here_.solve(slope_);
    slope_ *= -0.5 * eps;
    slope_.diagonal().array() += 1;
    inverse_slope_ = inverse(slope_).transpose();
    for (Index k = 0; k < most_iterations; ++k) {
        here_.velocity(p, velocity_);
        next_ = constant_ + here_.quadratic_changes(0.25 * eps, velocity_) - p;
        next_ = inverse_slope_ * next_;
        p += next_;
        const double change = here_.momentum_length(next_);
        if (change <= solution_tolerance + solution_rounding * here_.momentum_length(p))
            return true;
        if (!std::isfinite(change))
            return false;
    }
    return false;
}

// x' - (eps/2) v(x') = constant, v(x') = G(x')^-1 p_h; dv/dx_k = -G^-1 dG_k v.
bool GeneralisedLeapfrog::drift(Vector& x, const Vector& p, double eps) {
    here_.velocity(p, velocity_);
    constant_ = x + 0.5 * eps * velocity_;
    x += eps * velocity_;
    slope_ = here_.changes(velocity_);
    here_.solve(slope_);
    slope_ *= 0.5 * eps;
    slope_.diagonal().array() += 1;
    inverse_slope_ = inverse(slope_);
    for (Index k = 0; k < most_iterations; ++k) {
        if (!there_.move_to(x, b_))
            return false;
        there_.velocity(p, velocity_there_);
        next_ = constant_ + 0.5 * eps * velocity_there_ - x;
        next_ = inverse_slope_ * next_;
        x += next_;
        const double change = here_.length(next_);
        if (change <= solution_tolerance + solution_rounding * here_.length(x))
            return true;
        if (!std::isfinite(change))
            return false;
    }
    return false;
}

bool GeneralisedLeapfrog::leave(Vector& x, Vector& p, const Vector& gradient, double eps) {
    return kick(p, gradient, eps) && drift(x, p, eps);
}

bool GeneralisedLeapfrog::arrive(const Vector& from, const Vector& x, Vector& p, const Vector& gradient, double eps) {
    here_.velocity(p, velocity_);
    half_ = p;
    p += 0.5 * eps * (gradient - here_.volume_slope()) + here_.quadratic_changes(0.25 * eps, velocity_);
    momentum_back_ = p;
    back_ = x;
    return leave(back_, momentum_back_, gradient, -eps) &&
           here_.momentum_length(momentum_back_ - half_) <= return_tolerance &&
           here_.length(back_ - from) <= return_tolerance + solution_rounding * here_.length(x);
}

// The kernel keeps it. NOLINTNEXTLINE(performance-unnecessary-value-param)
Riemannian::Riemannian(Path path, const MoveSettings& moves, const Matrix* learnt, Covariance covariance,
                       const Trajectory& trajectory)
    : Hamiltonian(path, moves, learnt, covariance, trajectory), leapfrog_(metric_of(*path), path->dimension()) {}

void Riemannian::make_momenta(Trajectories& t, double b) const {
    for (Index i = 0; i < t.n; ++i) {
        x_ = t.points.col(i);
        if (leapfrog_.move_to(x_, b)) // else integrate() rejects
            t.velocities.col(i) = leapfrog_.momentum(t.velocities.col(i));
    }
}

bool Riemannian::leave(Trajectories& t, Index i, double eps) const {
    t.moved.col(i) = x_; // where this step began
    if (!leapfrog_.leave(x_, p_, gradient_at_, eps))
        return false;
    t.points.col(i) = x_;
    t.velocities.col(i) = p_;
    return true;
}

bool Riemannian::arrive(Trajectories& t, Index i, double b, double eps) const {
    x_ = t.points.col(i);
    p_ = t.velocities.col(i);
    gradient_at_ = t.force.col(i);
    from_ = t.moved.col(i);
    if (!(t.log_prior(i) > -infinity) || !gradient_at_.allFinite())
        return false;
    return leapfrog_.move_to(x_, b) && leapfrog_.arrive(from_, x_, p_, gradient_at_, eps);
}

void Riemannian::integrate(Trajectories& t, double b, Index l, double eps) const {
    is_moving_.assign(static_cast<std::size_t>(t.n), 0);
    for (Index i = 0; i < t.n; ++i) {
        x_ = t.points.col(i);
        p_ = t.velocities.col(i);
        gradient_at_ = t.force.col(i);
        if (!leapfrog_.move_to(x_, b))
            continue;
        t.log_ratios(i) = leapfrog_.kinetic(p_);
        is_moving_[at(i)] = leave(t, i, eps);
    }
    for (Index k = 1; k <= l; ++k) {
        evaluate(t, b, true); // each step asks for the support
        for (Index i = 0; i < t.n; ++i) {
            if (!is_moving_[at(i)])
                continue;
            is_moving_[at(i)] = arrive(t, i, b, eps) && (k == l || leave(t, i, eps));
            if (k == l && is_moving_[at(i)]) {
                t.velocities.col(i) = p_;
                t.log_ratios(i) -= leapfrog_.kinetic(p_);
            }
        }
    }
    for (Index i = 0; i < t.n; ++i)
        if (!is_moving_[at(i)])
            t.log_ratios(i) = -infinity;
}

Index Riemannian::transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    draw_normals(block, streams);
    begin(block);
    return_to_start(trajectories_);
    make_momenta(trajectories_, b);
    integrate(trajectories_, b, draw_length(streams), scale());
    add_densities(trajectories_, b);
    return accept(block, b, streams);
}

KernelEntry riemannian_entry() {
    return {
        .name = "riemannian-hmc",
        .about = "Hamiltonian Monte Carlo by the model's gradient and its Riemannian metric",
        .learns = true,
        .suits =
            [](const model::ModelTraits& traits) { return has_gradient(traits) && traits.has_metric.value_or(true); },
        .factory =
            [] {
                return trajectory_factory<Riemannian>(Riemannian::standard_trajectory(),
                                                      "the metric's local standard deviations");
            }};
}

} // namespace pearlite::kernel
