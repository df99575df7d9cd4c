#include "kernel/density/random_walk.hpp"

#include "kernel/density/density_entry.hpp"
#include "kernel/density/draws.hpp"

namespace pearlite::kernel {

namespace {

double best_scale(Index d) {
    return 2.38 / std::sqrt(static_cast<double>(d));
}

/// The acceptance of the best scale for a normal target: 0.44 in one dimension, 0.234 in many (Gelman, Roberts & Gilks
/// 1996).
double best_acceptance(Index d) {
    return 0.234 + (0.44 - 0.234) / static_cast<double>(d);
}

} // namespace

// The kernel keeps it. NOLINTNEXTLINE(performance-unnecessary-value-param)
RandomWalk::RandomWalk(Path path, const MoveSettings& moves, const Matrix* learnt, Covariance covariance)
    : DensityKernel(path, {moves, covariance, best_scale(path->dimension()), best_acceptance(path->dimension())},
                    learnt) {}

RandomWalk::RandomWalk(Path path, const Settings& settings, Shape shape)
    : DensityKernel(std::move(path), settings, std::move(shape)) {}

RandomWalk RandomWalk::constant(Path path, Index moves, const Matrix& factor) {
    Settings settings;
    settings.moves.number = moves;
    return {std::move(path), settings, Shape{Vector::Zero(factor.rows()), factor}};
}

Index RandomWalk::transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    draw_normals(block, streams);
    proposal_shape().scale(block.normals, block.proposals);
    block.proposals = block.points + scale() * block.proposals;
    path().evaluate(block, block.proposals, b, block.proposed_log_prior, block.proposed_log_likelihood, streams);

    return accept_proposals(
        block, path().power(b), streams, [](double change, Index) { return change; }, [](Index) {});
}

Matrix random_walk_factor(const Matrix& covariance, const Matrix& fallback) {
    const double scale = best_scale(covariance.rows());
    return scale * covariance_factor(covariance, fallback / scale);
}

KernelEntry random_walk_entry() {
    return {.name = "random-walk",
            .about = "random-walk Metropolis, scaled to the population's covariance",
            .learns = true,
            .suits = [](const model::ModelTraits& traits) { return traits.continuous; },
            .factory = density_factory<RandomWalk>};
}

} // namespace pearlite::kernel
