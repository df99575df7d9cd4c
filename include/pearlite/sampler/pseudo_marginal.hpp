#pragma once
/// Pseudo-marginal Metropolis-Hastings (Beaumont 2003; Andrieu & Roberts 2009): chains at the posterior, sharded over
/// ranks, each with the estimate of the likelihood with which its state was accepted. With an exact likelihood it is
/// random-walk Metropolis.

#include "pearlite/kernel/proposal.hpp"
#include "pearlite/kernel/random_walk.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/path/geometric.hpp"
#include "pearlite/population/population.hpp"
#include "pearlite/population/weights.hpp"
#include "pearlite/sampler/chain_outcome.hpp"
#include "pearlite/sampler/delayed_failure.hpp"
#include "pearlite/sampler/settings.hpp"
#include "pearlite/sampler/streams.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace pearlite::sampler {

struct ChainSettings {
    Index iterations = 10000; ///< of each chain, burn-in included
    Index burn_in = 2000;     ///< not used for estimates; the proposal adapts there, and is frozen afterwards
    Index thin = 1;           ///< every so many iterations are recorded
};

template <class D>
class PseudoMarginal {
  public:
    using Model = path::GeometricPath<D>;
    using Block = model::DensityBlock;

    /// Collective. starts: d x chains, on every rank; factor: the first proposal's (x' = x + L z). settings.particles
    /// is the number of chains.
    PseudoMarginal(const parallel::Communicator& ranks, std::shared_ptr<const Model> model, const Matrix& starts,
                   const Matrix& factor, const PopulationSettings& settings, const ChainSettings& chains)
        : ranks_(ranks),
          model_(std::move(model)),
          kernel_(kernel::RandomWalk<D>::constant(1, factor)),
          settings_(settings),
          chains_(chains) {
        PEARLITE_EXPECTS(starts.rows() == model_->dimension() && starts.cols() == settings.particles &&
                         chains.thin >= 1 && chains.burn_in < chains.iterations);
        auto& particles = population_.append(settings.particles, settings.block, ranks_,
                                             [&](Index size) { return model_->make_block(size); });
        for (auto* counts : {&accepted_, &stay_, &longest_stay_})
            counts->assign(static_cast<std::size_t>(particles.local_size()), 0);
        record_.assign(static_cast<std::size_t>(particles.local_size() * n_recorded() * width()), 0.0);
        parallel::together(ranks_, [&] {
            for (Index b = 0; b < particles.local_blocks(); ++b) {
                auto& block = particles.block(b);
                const auto streams = block_streams(particles, b, settings_.seed, 0);
                block.points.leftCols(block.size()) = starts.middleCols(streams.first_slot, block.size());
                model_->evaluate(block, block.points, block.log_prior, block.log_likelihood, streams);
            }
        });
    }

    bool finished() const { return iteration_ == chains_.iterations; }

    /// Collective. One iteration of every chain.
    void step() {
        PEARLITE_EXPECTS(!finished());
        ++iteration_;
        auto& particles = population_.generation(0);
        attempt([&] {
            std::vector<double> u;
            for (Index b = 0; b < particles.local_blocks(); ++b) {
                auto& block = particles.block(b);
                u.resize(static_cast<std::size_t>(block.size()));
                before_ = block.points.leftCols(block.size());
                kernel_.move(*model_, block, 1, block_streams(particles, b, settings_.seed, iteration_), u);
                if (iteration_ > chains_.burn_in)
                    count_stays(block, particles.block_begin(b));
                if (iteration_ % chains_.thin == 0)
                    record(particles, b);
            }
        });
        if (iteration_ <= chains_.burn_in && iteration_ == next_adaptation_) {
            agree();
            adapt();
            next_adaptation_ *= 2;
        }
        if (finished() || iteration_ % iterations_per_agreement == 0)
            agree();
    }
    void flush() { agree(); }

    Progress progress() const {
        Progress progress{iteration_, chains_.iterations, 1, 0, 0};
        progress.stage = iteration_ < chains_.burn_in ? "burn-in" : "sampling";
        return progress;
    }
    /// Recorded draws of one chain, after burn-in.
    Index draws_per_chain() const { return n_recorded() - chains_.burn_in / chains_.thin; }
    /// Collective. Recorded draws of all chains after burn-in, chain after chain, unconstrained: d x draws, on rank 0.
    Matrix points() const {
        const auto all = ranks_.gather(std::span<const double>(record_));
        if (!ranks_.is_root())
            return {};
        const Index n = draws_per_chain();
        Matrix points(width(), n * settings_.particles);
        const Eigen::Map<const Matrix> recorded(all.data(), width(), n_recorded() * settings_.particles);
        for (Index c = 0; c < settings_.particles; ++c)
            points.middleCols(c * n, n) = recorded.middleCols((c + 1) * n_recorded() - n, n);
        return points;
    }
    /// Collective. Parameter k of every chain after burn-in, on its natural scale, draws x chains, on rank 0.
    std::vector<Matrix> draws() const {
        const Matrix all = points();
        std::vector<Matrix> draws;
        if (!ranks_.is_root())
            return draws;
        for (Index k = 0; k < model_->dimension(); ++k) {
            Matrix of_parameter(draws_per_chain(), settings_.particles);
            for (Index i = 0; i < all.cols(); ++i)
                of_parameter.data()[i] = model_->natural(k, all(k, i));
            draws.push_back(std::move(of_parameter));
        }
        return draws;
    }
    /// Collective; finished().
    ChainOutcome chain_outcome() const {
        ChainOutcome chains;
        chains.draws = draws();
        chains.longest_stay = ranks_.gather(std::span<const std::int64_t>(longest_stay_));
        chains.iterations = chains_.iterations - chains_.burn_in;
        const auto accepted = ranks_.gather(std::span<const std::int64_t>(accepted_));
        parallel::on_root(ranks_, [&] {
            for (const auto count : accepted)
                chains.acceptance.push_back(static_cast<double>(count) / static_cast<double>(chains.iterations));
            chains.summaries = estimator::summarise_chains(model_->parameter_names(), chains.draws);
        });
        return chains;
    }
    const Model& model() const { return *model_; }
    population::Population<Block>& population() { return population_; }
    const PopulationSettings& settings() const { return settings_; }
    Index updates_per_step() const { return settings_.particles; }
    /// Likelihoods computed so far, of the starts and of every proposal.
    Index likelihood_estimates() const { return settings_.particles * (1 + iteration_); }
    /// What was recorded of every chain.
    ShardedField record_field() {
        const auto& layout = population_.generation(0).layout();
        const std::size_t bytes = static_cast<std::size_t>(n_recorded() * width()) * sizeof(double);
        ShardedField field{
            ItemType::float64, bytes, settings_.particles, layout.first_local_item(), layout.local_items(), {}, {}};
        const auto place = [this, bytes](Index first, Index count) {
            return std::as_writable_bytes(std::span(record_))
                .subspan(static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(count) * bytes);
        };
        field.pack = [place](Index first, Index count, std::span<std::byte> out) {
            const auto from = place(first, count);
            std::copy(from.begin(), from.end(), out.begin());
        };
        field.unpack = [place](Index first, Index count, std::span<const std::byte> in) {
            const auto to = place(first, count);
            std::copy(in.begin(), in.end(), to.begin());
        };
        return field;
    }

    /// What a checkpoint holds. After reading, prepare() must follow.
    template <class Fields>
    void fields(Fields& f) {
        f("iteration", iteration_);
        f("next_adaptation", next_adaptation_);
        population_.fields(f, packed_particle_bytes(*model_));
        const auto& particles = population_.generation(0);
        f.sharded("accepted", particles.array_field(accepted_, ItemType::int64));
        f.sharded("stay", particles.array_field(stay_, ItemType::int64));
        f.sharded("longest_stay", particles.array_field(longest_stay_, ItemType::int64));
        f.sharded("draws", record_field());
        f.enter("kernel");
        kernel_.fields(f);
        f.leave();
    }
    void prepare() {}

  private:
    static constexpr Index iterations_per_agreement = 64;
    Index n_recorded() const { return chains_.iterations / chains_.thin; }
    Index width() const { return model_->dimension(); }

    /// A chain whose point has not changed stayed.
    void count_stays(const Block& block, Index first) {
        for (Index i = 0; i < block.size(); ++i) {
            const auto chain = static_cast<std::size_t>(first + i);
            const bool moved = block.points.col(i) != before_.col(i);
            accepted_[chain] += moved ? 1 : 0;
            stay_[chain] = moved ? 0 : stay_[chain] + 1;
            longest_stay_[chain] = std::max(longest_stay_[chain], stay_[chain]);
        }
    }

    double* record_of(Index local_chain, Index draw) {
        return record_.data() + (local_chain * n_recorded() + draw) * width();
    }
    void record(const population::Generation<Block>& particles, Index b) {
        const auto& block = particles.block(b);
        for (Index i = 0; i < block.size(); ++i)
            std::copy_n(block.points.col(i).data(), width(),
                        record_of(particles.block_begin(b) + i, iteration_ / chains_.thin - 1));
    }

    /// The proposal from the second half of all chains' draws so far.
    void adapt() {
        const Index d = width(), last = iteration_ / chains_.thin, first = last / 2;
        if (last - first < 2)
            return;
        const auto n = static_cast<double>(settings_.particles * (last - first));
        population::BlockSums firsts(static_cast<std::size_t>(d));
        for_blocks(
            [&](const auto& points) {
                for (Index k = 0; k < d; ++k)
                    firsts.add(static_cast<std::size_t>(k), points.row(k).sum());
            },
            first, last);
        const auto sums = firsts.total(ranks_);
        const Vector mean = Eigen::Map<const Vector>(sums.data(), d) / n;
        population::BlockSums squares(static_cast<std::size_t>(d * d));
        for_blocks(
            [&](const auto& points) {
                const Matrix centred = points.colwise() - mean;
                const Matrix products = centred * centred.transpose();
                for (Index k = 0; k < d * d; ++k)
                    squares.add(static_cast<std::size_t>(k), products.data()[k]);
            },
            first, last);
        const auto total = squares.total(ranks_);
        kernel_.set_factor(
            kernel::random_walk_factor(Eigen::Map<const Matrix>(total.data(), d, d) / n, kernel_.factor()));
    }
    /// use(points) with the draws first .. last-1 of each local chain, d x draws.
    template <class Use>
    void for_blocks(Use use, Index first, Index last) {
        for (Index c = 0; c < population_.generation(0).local_size(); ++c)
            use(Eigen::Map<const Matrix>(record_of(c, first), width(), last - first));
    }

    /// Chains meet nowhere but in adaptations: a failure waits for the next agreement.
    template <class Work>
    void attempt(Work&& work) {
        failure_.guard(ranks_, std::forward<Work>(work));
    }
    void agree() const { failure_.agree(ranks_); }

    parallel::Communicator ranks_;
    std::shared_ptr<const Model> model_;
    kernel::RandomWalk<D> kernel_;
    PopulationSettings settings_;
    ChainSettings chains_;
    population::Population<Block> population_;
    std::vector<double> record_;                               ///< local chains x recorded draws x d
    std::vector<std::int64_t> accepted_, stay_, longest_stay_; ///< of each local chain after burn-in
    Matrix before_;                                            ///< scratch: a block's points before their move
    Index iteration_ = 0, next_adaptation_ = 100;
    DelayedFailure failure_;
};

} // namespace pearlite::sampler
