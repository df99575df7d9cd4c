#include "algorithm/common/motion_watch.hpp"

#include "kernel/density/shape.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pearlite::algorithm {

namespace {

constexpr Index watched_particles = 1024;

// The sums of a block, sums of w times the following; then of x_j, x_j^2 and (x_j' - x_j)^2 for every coordinate; then,
// for every batch of families, of 1, of the energy, and of the share that stayed.
enum Sum : std::size_t { weight, unmoved, energy, energy_square, energy_jump, jump, spread, n_common };

double weight_of(double log_weight, double log_max) {
    return log_weight > -infinity ? std::exp(log_weight - log_max) : 0;
}

double ratio(double jump, double variance) {
    return variance > 0 ? jump / (2 * variance) : kernel::Motion::nan;
}

} // namespace

kernel::Motion motion_of(std::span<const double> sums) {
    kernel::Motion motion;
    if (sums.size() < n_common || !(sums[weight] > 0))
        return motion;
    const double w = sums[weight];
    motion.unmoved = sums[unmoved] / w;
    const double mean = sums[energy] / w;
    motion.energy = ratio(sums[energy_jump] / w, sums[energy_square] / w - mean * mean);
    const std::size_t d = (sums.size() - n_common) / 3;
    if (d == 0)
        return motion;
    motion.mobility = ratio(sums[jump], sums[spread]);
    std::vector<double> of_coordinates;
    for (std::size_t j = 0; j < d; ++j) {
        const double* of_j = sums.data() + n_common + 3 * j;
        const double centre = of_j[0] / w;
        if (const double value = ratio(of_j[2] / w, of_j[1] / w - centre * centre); !std::isnan(value))
            of_coordinates.push_back(value);
    }
    if (of_coordinates.empty())
        return motion;
    if (std::isnan(motion.mobility)) // no norm is known
        motion.mobility = std::accumulate(of_coordinates.begin(), of_coordinates.end(), 0.0) /
                          static_cast<double>(of_coordinates.size());
    std::sort(of_coordinates.begin(), of_coordinates.end());
    motion.worst = of_coordinates.front();
    motion.median = of_coordinates[of_coordinates.size() / 2];
    return motion;
}

MotionFamilies families_of_motion(std::span<const double> sums) {
    MotionFamilies families;
    if (sums.size() < n_common + n_family_sums || !(sums[weight] > 0))
        return families;
    const double w = sums[weight];
    const auto of_batches = sums.last(n_family_sums);
    const auto families_behind = [&](std::size_t which, double mean, double variance) {
        double squares = 0;
        for (std::size_t b = 0; b < family_batches; ++b)
            squares += std::pow((of_batches[3 * b + which] - mean * of_batches[3 * b]) / w, 2);
        const double n = variance / (squares * family_batches / (family_batches - 1));
        return variance > 0 ? n : std::numeric_limits<double>::quiet_NaN();
    };
    const double mean = sums[energy] / w, share = sums[unmoved] / w;
    families.energy = families_behind(1, mean, sums[energy_square] / w - mean * mean);
    families.unmoved = families_behind(2, share, share * (1 - share));
    return families;
}

MotionWatch::MotionWatch(std::shared_ptr<const model::Target> target, bool by_family)
    : target_(std::move(target)), has_energies_(target_->path_is_linear()), by_family_(by_family) {
    const auto* path = target_->offers<path::DensityPath>();
    dimension_ = path ? path->dimension() : 0;
}

bool MotionWatch::watches(const population::Generation& generation, Index b) const {
    return (dimension_ > 0 || has_energies_) &&
           generation.layout().first_local_item() + generation.block_begin(b) < watched_particles;
}

std::size_t MotionWatch::n_sums() const {
    const std::size_t of_families = by_family_ ? n_family_sums : 0;
    return dimension_ > 0 || has_energies_ ? n_common + 3 * at(dimension_) + of_families : 0;
}

MotionWatch::Seen& MotionWatch::seen(Index b) {
    if (seen_.size() <= static_cast<std::size_t>(b))
        seen_.resize(static_cast<std::size_t>(b) + 1);
    return seen_[static_cast<std::size_t>(b)];
}

void MotionWatch::remember(const population::Generation& generation, Index b, double b_to) {
    if (has_energies_) {
        auto& energies = seen(b).compared;
        energies.resize(static_cast<std::size_t>(generation.block(b).size()));
        target_->path_derivative(generation.block(b), b_to, energies);
    }
    remember_compared(generation, b);
}

void MotionWatch::remember_compared(const population::Generation& generation, Index b) {
    auto& before = seen(b);
    if (dimension_ > 0)
        before.points = path::points_of(generation.block(b)).points.leftCols(generation.block(b).size());
    before.energies = before.compared;
}

BlockMotion MotionWatch::compare(const population::Generation& generation, Index b, std::span<const double> log_weights,
                                 std::span<const double> energies, const kernel::Shape* shape) {
    PEARLITE_EXPECTS(!has_energies_ || seen(b).energies.size() == energies.size());
    BlockMotion motion{*std::max_element(log_weights.begin(), log_weights.end()), {}};
    if (motion.log_max == -infinity)
        return motion;
    auto& sums = motion.sums;
    sums.assign(n_sums(), 0.0);
    auto& before = seen(b);
    const Index n = generation.block(b).size();
    const Matrix* points = nullptr;
    if (dimension_ > 0) {
        points = &path::points_of(generation.block(b)).points;
        jump_ = points->leftCols(n) - before.points;
        centred_ = points->leftCols(n);
        if (shape)
            centred_.colwise() -= shape->mean();
    }
    for (Index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double w = weight_of(log_weights[at], motion.log_max);
        if (w == 0)
            continue;
        sums[weight] += w;
        const bool stays = points ? (jump_.col(i).array() == 0).all() : energies[at] == before.energies[at];
        sums[unmoved] += stays ? w : 0;
        if (has_energies_) {
            const double u = energies[at], change = u - before.energies[at];
            sums[energy] += w * u;
            sums[energy_square] += w * u * u;
            sums[energy_jump] += w * change * change;
        }
        for (Index j = 0; j < dimension_; ++j) {
            double* of_j = sums.data() + n_common + 3 * static_cast<std::size_t>(j);
            const double x = (*points)(j, i), change = jump_(j, i);
            of_j[0] += w * x;
            of_j[1] += w * x * x;
            of_j[2] += w * change * change;
        }
        if (by_family_) {
            const auto eve = generation.eves()[static_cast<std::size_t>(generation.block_begin(b) + i)];
            double* of_batch = sums.data() + n_common + 3 * static_cast<std::size_t>(dimension_) +
                               3 * (static_cast<std::size_t>(eve) % family_batches);
            of_batch[0] += w;
            of_batch[1] += has_energies_ ? w * energies[at] : 0;
            of_batch[2] += stays ? w : 0;
        }
    }
    if (points && shape) {
        shape->whiten(jump_);
        shape->whiten(centred_);
        for (Index i = 0; i < n; ++i) {
            const double w = weight_of(log_weights[static_cast<std::size_t>(i)], motion.log_max);
            sums[jump] += w * jump_.col(i).squaredNorm();
            sums[spread] += w * centred_.col(i).squaredNorm();
        }
    }
    if (has_energies_)
        before.compared.assign(energies.begin(), energies.end());
    return motion;
}

} // namespace pearlite::algorithm
