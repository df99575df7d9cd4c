#include "algorithm/pseudo_marginal/pseudo_marginal.hpp"

#include "algorithm/common/prior_stage.hpp"
#include "algorithm/common/streams.hpp"
#include "core/moments.hpp"

namespace pearlite::algorithm {

PseudoMarginal::PseudoMarginal(const parallel::Communicator& ranks, std::shared_ptr<const path::DensityPath> target,
                               const Matrix& starts, const Matrix& factor, const PopulationSettings& settings,
                               const ChainSettings& chains, std::shared_ptr<const Peaks> peaks)
    : ranks_(ranks),
      target_(std::move(target)),
      kernel_(kernel::RandomWalk::constant(target_, 1, factor)),
      settings_(settings),
      chains_(chains),
      peaks_(std::move(peaks)),
      population_(population_of(ranks_, target_)),
      starts_(starts) {
    PEARLITE_EXPECTS(starts.rows() == target_->dimension() && starts.cols() == settings.particles && chains.thin >= 1 &&
                     chains.burn_in < chains.iterations);
    const auto& particles = population_.append(settings.particles, settings.block);
    for (auto* counts : {&accepted_, &stay_, &longest_stay_})
        counts->assign(static_cast<std::size_t>(particles.local_size()), 0);
    record_.assign(static_cast<std::size_t>(particles.local_size() * n_recorded() * width()), 0.0);
}

void PseudoMarginal::begin() {
    auto& particles = population_.generation(0);
    std::vector<double> log_likelihoods(static_cast<std::size_t>(particles.local_size()));
    parallel::together(ranks_, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            auto& block = path::points_of(particles.block(b));
            const auto streams = block_streams(particles, b, settings_.seed, 0);
            block.points.leftCols(block.size()) = starts_.middleCols(streams.first_slot, block.size());
            target_->evaluate(block, block.points, 1, block.log_prior, block.log_likelihood, streams);
            std::copy_n(block.log_likelihood.data(), block.size(), particles.of_block(log_likelihoods, b).begin());
        }
    });
    if (peaks_)
        return;
    PriorStage stage(ranks_, target_, settings_.seed, settings_.most_prior_draws);
    stage.begin(particles, log_likelihoods);
    stage.complete(particles);
}

void PseudoMarginal::step() {
    PEARLITE_EXPECTS(!finished());
    ++iteration_;
    auto& particles = population_.generation(0);
    failure_.guard(ranks_, [&] {
        std::vector<double> u;
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            auto& block = path::points_of(particles.block(b));
            u.resize(static_cast<std::size_t>(block.size()));
            before_ = block.points.leftCols(block.size());
            kernel_.move(block, 1, block_streams(particles, b, settings_.seed, iteration_), u);
            if (iteration_ > chains_.burn_in)
                count_stays(block, particles.block_begin(b));
            if (iteration_ % chains_.thin == 0)
                record(particles, b);
        }
    });
    if (iteration_ <= chains_.burn_in && iteration_ == next_adaptation_) {
        failure_.agree(ranks_);
        adapt();
        next_adaptation_ *= 2;
    }
    if (finished() || iteration_ % iterations_per_agreement == 0)
        failure_.agree(ranks_);
}

Progress PseudoMarginal::progress() const {
    Progress progress{iteration_, chains_.iterations, 1, 0, 0};
    progress.updates_per_step = settings_.particles;
    progress.likelihoods = settings_.particles * (1 + iteration_); // for the starts and for every proposal
    progress.stage = iteration_ < chains_.burn_in ? "burn-in" : "sampling";
    return progress;
}

Found PseudoMarginal::found() {
    return {.trace = &trace_,
            .has_path = false,
            .population = &population_,
            .chains = this,
            .prediction_seed = settings_.seed};
}

Matrix PseudoMarginal::points() const {
    const Index n = draws_per_chain(), chains = population_.generation(0).local_size();
    Matrix points(width(), n * chains);
    const Eigen::Map<const Matrix> recorded(record_.data(), width(), n_recorded() * chains);
    for (Index c = 0; c < chains; ++c)
        points.middleCols(c * n, n) = recorded.middleCols((c + 1) * n_recorded() - n, n);
    return points;
}

parallel::BlockLayout PseudoMarginal::draw_layout() const {
    const auto& chains = population_.generation(0).layout();
    std::vector<Index> first_chains;
    for (int rank = 0; rank <= ranks_.size(); ++rank)
        first_chains.push_back(chains.first_item(rank));
    const Index n = draws_per_chain();
    return parallel::BlockLayout(n * settings_.particles, n, ranks_.size(), ranks_.rank())
        .with_runs(std::move(first_chains));
}

std::vector<Matrix> PseudoMarginal::draws() const {
    const Matrix values = target_->quantities(points());
    std::vector<Matrix> draws;
    for (Index k = 0; k < values.rows(); ++k) {
        const Vector of_parameter = values.row(k);
        draws.emplace_back(
            Eigen::Map<const Matrix>(of_parameter.data(), draws_per_chain(), population_.generation(0).local_size()));
    }
    return draws;
}

ChainOutcome PseudoMarginal::chain_outcome() const {
    ChainOutcome chains;
    chains.longest_stay = ranks_.all_gather(std::span<const std::int64_t>(longest_stay_));
    chains.iterations = chains_.iterations - chains_.burn_in;
    for (const auto count : ranks_.all_gather(std::span<const std::int64_t>(accepted_)))
        chains.acceptance.push_back(static_cast<double>(count) / static_cast<double>(chains.iterations));
    chains.summaries = estimator::summarise_chains(ranks_, target_->quantity_names(), draws());
    chains.peaks = peaks_of_chains();
    chains.pilot_families = peaks_ ? peaks_->families() : 0;
    return chains;
}

std::vector<PeakOfChains> PseudoMarginal::peaks_of_chains() const {
    if (!peaks_ || peaks_->size() < 2)
        return {};
    const Index n = draws_per_chain(), chains = population_.generation(0).local_size();
    const auto n_peaks = static_cast<std::size_t>(peaks_->size());
    std::vector<Matrix> is_there(n_peaks, Matrix::Zero(n, chains)); // 1 for a draw in the peak
    const Matrix all = points();
    for (Index i = 0; i < all.cols(); ++i)
        is_there[at(peaks_->of({all.col(i).data(), static_cast<std::size_t>(all.rows())}))](i % n, i / n) = 1;
    std::vector<PeakOfChains> found;
    std::vector<std::string> descriptions;
    for (Index k = 0; k < peaks_->size(); ++k)
        descriptions.push_back(peaks_->describe(k, *target_));
    const auto summaries = estimator::summarise_chains(ranks_, descriptions, is_there);
    for (std::size_t k = 0; k < n_peaks; ++k) {
        std::int64_t visitors = 0;
        for (Index c = 0; c < chains; ++c)
            visitors += is_there[k].col(c).any() ? 1 : 0;
        const auto peak = static_cast<Index>(k);
        const auto& posterior = summaries[k].posterior;
        found.push_back({descriptions[k], peaks_->share(peak), peaks_->share_error(peak), posterior.mean,
                         posterior.mcse, ranks_.sum(visitors)});
    }
    return found;
}

ShardedField PseudoMarginal::record_field() const {
    const auto& layout = population_.generation(0).layout();
    const std::size_t bytes = static_cast<std::size_t>(n_recorded() * width()) * sizeof(double);
    ShardedField field{
        ItemType::float64, bytes, settings_.particles, layout.first_local_item(), layout.local_items(), {}, {}};
    const auto place = [this, bytes](Index first, Index count) {
        return std::as_writable_bytes(std::span<double>(record_))
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

void PseudoMarginal::fields(Fields& f) {
    f("iteration", iteration_);
    PEARLITE_EXPECTS(iteration_ >= 0 && iteration_ <= chains_.iterations);
    f("next_adaptation", next_adaptation_);
    population_.fields(f);
    const auto& particles = population_.generation(0);
    f.sharded("accepted", particles.array_field(accepted_, ItemType::int64));
    f.sharded("stay", particles.array_field(stay_, ItemType::int64));
    f.sharded("longest_stay", particles.array_field(longest_stay_, ItemType::int64));
    f.sharded("draws", record_field());
    group(f, "kernel", kernel_);
}

void PseudoMarginal::count_stays(const model::DensityBlock& block, Index first) {
    for (Index i = 0; i < block.size(); ++i) {
        const auto chain = static_cast<std::size_t>(first + i);
        const bool moved = block.points.col(i) != before_.col(i);
        accepted_[chain] += moved ? 1 : 0;
        stay_[chain] = moved ? 0 : stay_[chain] + 1;
        longest_stay_[chain] = std::max(longest_stay_[chain], stay_[chain]);
    }
}

double* PseudoMarginal::record_of(Index local_chain, Index draw) {
    return record_.data() + (local_chain * n_recorded() + draw) * width();
}

void PseudoMarginal::record(const population::Generation& particles, Index b) {
    const auto& block = path::points_of(particles.block(b));
    for (Index i = 0; i < block.size(); ++i)
        std::copy_n(block.points.col(i).data(), width(),
                    record_of(particles.block_begin(b) + i, iteration_ / chains_.thin - 1));
}

void PseudoMarginal::adapt() {
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
            const Matrix products = row_products(centred);
            for (Index k = 0; k < d * d; ++k)
                squares.add(static_cast<std::size_t>(k), products.data()[k]);
        },
        first, last);
    const auto total = squares.total(ranks_);
    kernel_.set_factor(kernel::random_walk_factor(Eigen::Map<const Matrix>(total.data(), d, d) / n, kernel_.factor()));
}

void PseudoMarginal::for_blocks(const UsePoints& use, Index first, Index last) {
    for (Index c = 0; c < population_.generation(0).local_size(); ++c)
        use(Eigen::Map<const Matrix>(record_of(c, first), width(), last - first));
}

} // namespace pearlite::algorithm
