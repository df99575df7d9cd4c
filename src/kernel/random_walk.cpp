#include "kernel/random_walk.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "kernel/registry.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "population/weights.hpp"
#include "random/fill.hpp"
#include "random/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::kernel {

namespace {

using model::BlockStreams;
using model::DensityBlock;

constexpr double log_zero = -infinity;

/// power x log L, where L = 0 matters at a power above 0 only.
double tempered(double power, double log_likelihood) {
    return power == 0 ? 0 : power * log_likelihood;
}

Index root(Index square) {
    return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(square))));
}

/// Lanes of random numbers serve particles whose addresses share their upper halves: all but one block in 2^32.
bool in_lanes(const random::Address& first, Index n) {
    return first.id >> 32 == (first.id + static_cast<std::uint64_t>(n) - 1) >> 32;
}

/// Column i: the d normals at particle i's address.
void draw_normals(DensityBlock& block, const BlockStreams& streams) {
    const Index n = block.padded_size(), d = block.dimension();
    const auto first = streams.at(random::Purpose::move, 0);
    if (in_lanes(first, n)) {
        random::fill_normal_lanes(first, n, {block.proposals.data(), static_cast<std::size_t>(n * d)});
        block.normals = Eigen::Map<const Matrix>(block.proposals.data(), n, d).transpose();
        return;
    }
    for (Index i = 0; i < block.size(); ++i)
        random::fill_normal(streams.at(random::Purpose::move, i),
                            {block.normals.col(i).data(), static_cast<std::size_t>(d)});
}

void draw_uniforms(const DensityBlock& block, const BlockStreams& streams, std::span<double> out) {
    const auto first = streams.at(random::Purpose::accept, 0);
    if (in_lanes(first, block.padded_size()))
        return random::fill_uniform_lanes(first, block.padded_size(), out);
    for (Index i = 0; i < block.size(); ++i)
        out[static_cast<std::size_t>(i)] = random::Stream(streams.at(random::Purpose::accept, i)).uniform();
}

} // namespace

RandomWalk::RandomWalk(Path path, Index moves)
    : path_(std::move(path)), moves_(moves), adaptation_(Adaptation::online) {
    PEARLITE_EXPECTS(path_ != nullptr && moves >= 1);
}

RandomWalk::RandomWalk(Path path, Index moves, const Matrix& factors)
    : path_(std::move(path)),
      moves_(moves),
      adaptation_(Adaptation::given),
      factor_(Matrix::Zero(root(factors.cols()), root(factors.cols()))),
      factors_(static_cast<std::size_t>(factors.size())) {
    PEARLITE_EXPECTS(path_ != nullptr && moves >= 1 && factors.rows() >= 2 && factor_.size() == factors.cols());
    Eigen::Map<Matrix>(factors_.data(), factors.cols(), factors.rows()) = factors.transpose();
}

RandomWalk RandomWalk::constant(Path path, Index moves, const Matrix& factor) {
    RandomWalk kernel(std::move(path), moves);
    kernel.adaptation_ = Adaptation::constant;
    kernel.factor_ = factor;
    return kernel;
}

Matrix RandomWalk::learnt() const {
    const Index size = std::max<Index>(factor_.size(), 1);
    return Eigen::Map<const Matrix>(factors_.data(), size, static_cast<Index>(factors_.size()) / size).transpose();
}

void RandomWalk::adapt(const parallel::Communicator& ranks, const population::Generation& generation, Index step) {
    if (adaptation_ == Adaptation::constant)
        return;
    if (adaptation_ == Adaptation::given) {
        PEARLITE_EXPECTS(step >= 1 && static_cast<std::size_t>((step + 1) * factor_.size()) <= factors_.size());
        factor_ = Eigen::Map<const Matrix>(factors_.data() + step * factor_.size(), factor_.rows(), factor_.cols());
        return;
    }
    const auto& layout = generation.layout();
    const Index d = path_->dimension();
    Matrix points(d, generation.local_size());
    for (Index b = 0; b < generation.local_blocks(); ++b) {
        const auto& block = path::points_of(generation.block(b));
        points.middleCols(generation.block_begin(b), block.size()) = block.points.leftCols(block.size());
    }
    const double log_max = population::largest_log_weight(ranks, layout, generation.log_weights());
    const auto moments = population::weighted_moments(ranks, layout, generation.log_weights(), log_max, points);
    const Matrix fallback = factor_.size() ? factor_ : Matrix(Matrix::Identity(d, d));
    factor_ = random_walk_factor(moments.covariance, fallback);
    factors_.resize(static_cast<std::size_t>((step + 1) * factor_.size()), 0.0);
    std::copy(factor_.data(), factor_.data() + factor_.size(), factors_.end() - factor_.size());
}

Index RandomWalk::move(Block& block, double b, const BlockStreams& streams, std::span<double> derivative) const {
    auto& points = path::points_of(block);
    path_->bring_to(points, b, streams);
    Index accepted = 0;
    for (Index m = 0; m < moves_; ++m) {
        auto of_move = streams;
        of_move.step = streams.step * static_cast<std::uint32_t>(moves_) + static_cast<std::uint32_t>(m);
        accepted += propose_and_accept(points, b, of_move);
    }
    path_->path_derivative(block, b, derivative);
    return accepted;
}

Index RandomWalk::anneal(Block& block, double from, double to, const BlockStreams& streams,
                         std::span<double> increments, std::span<double> derivative) const {
    path_->add_log_ratio(block, from, to, increments);
    return move(block, to, streams, derivative);
}

Index RandomWalk::anneal_reversed(Block& block, double from, double to, const BlockStreams& streams,
                                  std::span<double> increments, std::span<double> derivative) const {
    return anneal(block, from, to, streams, increments, derivative);
}

void RandomWalk::fields(Fields& f) {
    f("proposal_factor", factor_);
    f("proposal_factors", factors_);
}

Index RandomWalk::propose_and_accept(DensityBlock& block, double b, const BlockStreams& streams) const {
    draw_normals(block, streams);
    block.proposals.noalias() = factor_.triangularView<Eigen::Lower>() * block.normals;
    block.proposals += block.points;
    path_->evaluate(block, block.proposals, b, block.proposed_log_prior, block.proposed_log_likelihood, streams);

    // The normals are used up: their place is free.
    const std::span<double> uniforms(block.normals.data(), static_cast<std::size_t>(block.padded_size()));
    draw_uniforms(block, streams, uniforms);

    const double power = path_->power(b);
    Index accepted = 0;
    for (Index i = 0; i < block.size(); ++i) {
        const double present = block.log_prior(i) + tempered(power, block.log_likelihood(i));
        const double proposed = block.proposed_log_prior(i) + tempered(power, block.proposed_log_likelihood(i));
        if (proposed == log_zero)
            continue;
        if (std::log(uniforms[static_cast<std::size_t>(i)]) < proposed - present) {
            block.points.col(i) = block.proposals.col(i);
            block.log_prior(i) = block.proposed_log_prior(i);
            block.log_likelihood(i) = block.proposed_log_likelihood(i);
            ++accepted;
        }
    }
    return accepted;
}

KernelEntry random_walk_entry() {
    return {
        "random-walk",
        "Gaussian steps with tuned scales",
        5,
        true,
        [](const model::ModelTraits& traits) { return traits.continuous; },
        [](std::shared_ptr<const model::Target> target, Index moves, const Matrix* learnt) -> std::unique_ptr<Kernel> {
            const RandomWalk::Path path(target, target->offers<path::DensityPath>());
            return learnt ? std::make_unique<RandomWalk>(path, moves, *learnt)
                          : std::make_unique<RandomWalk>(path, moves);
        }};
}

Matrix random_walk_factor(const Matrix& covariance, const Matrix& fallback) {
    const Index d = covariance.rows();
    PEARLITE_EXPECTS(covariance.cols() == d && fallback.rows() == d && fallback.cols() == d);
    const double scale = 2.38 / std::sqrt(static_cast<double>(d));
    // Factor the correlations, so that "not positive definite" does not depend on the parameters' units.
    const Vector sd = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
    const bool usable = covariance.allFinite() && (sd.array() > 0).all();
    if (usable) {
        const Vector inverse_sd = sd.cwiseInverse();
        const auto lower = cholesky_factor(inverse_sd.asDiagonal() * covariance * inverse_sd.asDiagonal());
        if (lower && lower->diagonal().minCoeff() > 1e-6)
            return scale * (sd.asDiagonal() * *lower);
    }
    Matrix factor = fallback;
    for (Index k = 0; k < d; ++k)
        if (std::isfinite(sd(k)) && sd(k) > 0) {
            factor.row(k).setZero();
            factor(k, k) = scale * sd(k);
        }
    return factor;
}

} // namespace pearlite::kernel
