#pragma once
/// Random-walk Metropolis on R^d with a proposal scaled to the population.

#include "pearlite/core/error.hpp"
#include "pearlite/kernel/proposal.hpp"
#include "pearlite/model/density_block.hpp"
#include "pearlite/parallel/communicator.hpp"
#include "pearlite/path/geometric.hpp"
#include "pearlite/population/generation.hpp"
#include "pearlite/population/weights.hpp"
#include "pearlite/random/fill.hpp"
#include "pearlite/random/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace pearlite::kernel {

/// Where proposal scales come from: the population itself at each temperature
/// (`online`; it costs O(1/M) bias in Z), or a table made beforehand (`given`:
/// from a pilot whose particles are thrown away), which keeps Z unbiased.
/// `constant`: one factor for all steps, which the sampler sets.
enum class Adaptation { online, given, constant };

/// x' = x + L z, z ~ N(0, I), L L' = (2.38^2/d) Cov_weighted; accepted with
/// probability min(1, f_b(x')/f_b(x)).
template <class D>
class RandomWalk {
  public:
    using Model = path::GeometricPath<D>;
    using Block = model::DensityBlock;

    /// Adapts online; remembers the factor of every step, for use by a later run.
    explicit RandomWalk(Index moves) : moves_(moves), adaptation_(Adaptation::online) { PEARLITE_EXPECTS(moves >= 1); }
    /// Uses `factors`: row k is step k's d x d factor, lower triangular,
    /// column-major; step 0 is not used.
    RandomWalk(Index moves, const Matrix& factors)
        : moves_(moves),
          adaptation_(Adaptation::given),
          factor_(Matrix::Zero(root(factors.cols()), root(factors.cols()))),
          factors_(static_cast<std::size_t>(factors.size())) {
        PEARLITE_EXPECTS(moves >= 1 && factors.rows() >= 2 && factor_.size() == factors.cols());
        Eigen::Map<Matrix>(factors_.data(), factors.cols(), factors.rows()) = factors.transpose();
    }

    /// One factor, lower triangular, at every step.
    static RandomWalk constant(Index moves, const Matrix& factor) {
        RandomWalk kernel(moves);
        kernel.adaptation_ = Adaptation::constant;
        kernel.factor_ = factor;
        return kernel;
    }
    const Matrix& factor() const { return factor_; }
    void set_factor(const Matrix& factor) { factor_ = factor; }

    Index moves() const { return moves_; }
    bool adapts() const { return adaptation_ == Adaptation::online; }
    static constexpr bool accepts() { return true; }
    /// (steps + 1) x d^2: the factors used so far (online) or given.
    Matrix factors() const {
        const Index size = std::max<Index>(factor_.size(), 1);
        return Eigen::Map<const Matrix>(factors_.data(), size, static_cast<Index>(factors_.size()) / size).transpose();
    }

    /// Sets the proposals of step `step`: online (collective) from the
    /// generation's weighted covariance.
    void adapt(const parallel::Communicator& ranks, const population::Generation<Block>& generation, Index step) {
        if (adaptation_ == Adaptation::constant)
            return;
        if (adaptation_ == Adaptation::given) {
            PEARLITE_EXPECTS(step >= 1 && static_cast<std::size_t>((step + 1) * factor_.size()) <= factors_.size());
            factor_ = Eigen::Map<const Matrix>(factors_.data() + step * factor_.size(), factor_.rows(), factor_.cols());
            return;
        }
        const auto& layout = generation.layout();
        const Index d = dimension_of(ranks, generation);
        Matrix points(d, generation.local_size());
        for (Index b = 0; b < generation.local_blocks(); ++b)
            points.middleCols(generation.block_begin(b), generation.block(b).size()) =
                generation.block(b).points.leftCols(generation.block(b).size());
        const double log_max = population::largest_log_weight(ranks, layout, generation.log_weights());
        const auto moments = population::weighted_moments(ranks, layout, generation.log_weights(), log_max, points);
        const Matrix fallback = factor_.size() ? factor_ : Matrix(Matrix::Identity(d, d));
        factor_ = random_walk_factor(moments.covariance, fallback);
        factors_.resize(static_cast<std::size_t>((step + 1) * factor_.size()), 0.0);
        std::copy(factor_.data(), factor_.data() + factor_.size(), factors_.end() - factor_.size());
    }

    /// Leaves p_b invariant; then derivative[i] = d log f_b/db at the new states.
    /// Returns the number of accepted proposals.
    Index move(const Model& model, Block& block, double b, const model::BlockStreams& streams,
               std::span<double> derivative) const {
        Index accepted = 0;
        for (Index m = 0; m < moves_; ++m) {
            auto of_move = streams;
            of_move.step = streams.step * static_cast<std::uint32_t>(moves_) + static_cast<std::uint32_t>(m);
            accepted += propose_and_accept(model, block, b, of_move);
        }
        model.path_derivative(block, b, derivative);
        return accepted;
    }

    /// increments[i] += log f_to(x_i) - log f_from(x_i), then move() at `to`.
    Index anneal(const Model& model, Block& block, double from, double to, const model::BlockStreams& streams,
                 std::span<double> increments, std::span<double> derivative) const {
        model.add_log_ratio(block, from, to, increments);
        return move(model, block, to, streams, derivative);
    }

    /// The time reversals of move() and anneal(): with proposals that do not
    /// depend on the state, each is its own.
    Index move_reversed(const Model& model, Block& block, double b, const model::BlockStreams& streams,
                        std::span<double> derivative) const {
        return move(model, block, b, streams, derivative);
    }
    Index anneal_reversed(const Model& model, Block& block, double from, double to, const model::BlockStreams& streams,
                          std::span<double> increments, std::span<double> derivative) const {
        return anneal(model, block, from, to, streams, increments, derivative);
    }

    template <class Fields>
    void fields(Fields& f) {
        f("proposal_factor", factor_);
        f("proposal_factors", factors_);
    }

  private:
    Index propose_and_accept(const Model& model, Block& block, double b, const model::BlockStreams& streams) const {
        draw_normals(block, streams);
        block.proposals.noalias() = factor_.template triangularView<Eigen::Lower>() * block.normals;
        block.proposals += block.points;
        model.evaluate(block, block.proposals, block.proposed_log_prior, block.proposed_log_likelihood, streams);

        // The normals are used up: their place is free.
        const std::span<double> uniforms(block.normals.data(), static_cast<std::size_t>(block.padded_size()));
        draw_uniforms(block, streams, uniforms);

        Index accepted = 0;
        for (Index i = 0; i < block.size(); ++i) {
            const double present = block.log_prior(i) + tempered(b, block.log_likelihood(i));
            const double proposed = block.proposed_log_prior(i) + tempered(b, block.proposed_log_likelihood(i));
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

    /// Lanes of random numbers serve particles whose addresses share their upper
    /// halves: all but one block in 2^32.
    static bool in_lanes(const random::Address& first, Index n) {
        return first.id >> 32 == (first.id + static_cast<std::uint64_t>(n) - 1) >> 32;
    }
    /// Column i: the d normals at particle i's address.
    static void draw_normals(Block& block, const model::BlockStreams& streams) {
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
    static void draw_uniforms(const Block& block, const model::BlockStreams& streams, std::span<double> out) {
        const auto first = streams.at(random::Purpose::accept, 0);
        if (in_lanes(first, block.padded_size()))
            return random::fill_uniform_lanes(first, block.padded_size(), out);
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] = random::Stream(streams.at(random::Purpose::accept, i)).uniform();
    }

    static constexpr double log_zero = -std::numeric_limits<double>::infinity();
    /// b log L, where L = 0 matters at b > 0 only.
    static double tempered(double b, double log_likelihood) { return b == 0 ? 0 : b * log_likelihood; }

    static Index root(Index square) { return static_cast<Index>(std::lround(std::sqrt(static_cast<double>(square)))); }
    static Index dimension_of(const parallel::Communicator& ranks, const population::Generation<Block>& generation) {
        return ranks.max(generation.local_blocks() > 0 ? generation.block(0).dimension() : Index{0});
    }

    Index moves_;
    Adaptation adaptation_;
    Matrix factor_;               ///< of the present step
    std::vector<double> factors_; ///< of all steps from 0, one after another
};

} // namespace pearlite::kernel
