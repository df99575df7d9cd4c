#include "algorithm/search/stochastic_approximation.hpp"

namespace pearlite::algorithm {

namespace {

SearchSettings checked(SearchSettings settings) {
    settings.check();
    return settings;
}

} // namespace

StochasticApproximation::StochasticApproximation(const parallel::Communicator& ranks,
                                                 std::shared_ptr<const model::Space> space, SearchSettings settings)
    : ranks_(ranks),
      space_(std::move(space)),
      points_(space_->offers<model::PointStates>()),
      graphs_(space_->offers<model::GraphStates>()),
      settings_(checked(std::move(settings))),
      stages_(settings_),
      choice_(space_->operations(), settings_.rates),
      choices_(random::fill_uniform_steps, {settings_.seed, random::Purpose::operation, 0, 0}, lane_padding),
      memory_(settings_, space_->operations()),
      chains_(ranks_, space_, settings_),
      window_(ranks_, chains_.layout(), settings_.sync_every),
      weights_(settings_.resample_below ? std::optional<ChainWeights>({settings_.chains, *settings_.resample_below})
                                        : std::nullopt),
      nodes_(graphs_ ? static_cast<Index>(graphs_->nodes().size()) : 0),
      moments_(settings_.average_from ? chains_.layout().local_items() : 0,
               points_ ? points_->dimension() : 2 * nodes_ * nodes_,
               points_ ? WeightedMoments::Of::coordinates : WeightedMoments::Of::features) {}

void StochasticApproximation::begin() {
    auto energies = chains_.draw_start();
    const bool is_feasible = std::ranges::any_of(energies, [](double energy) { return energy < infinity; });
    if (!is_feasible)
        start_ = chains_.seek_start(energies);
    memory_.begin(energies, start_.draws);
    if (!is_feasible)
        share_starts();
    chains_.begin_regions(memory_.partition(), 0);
}

void StochasticApproximation::share_starts() {
    const auto energies = memory_.energies();
    std::vector<std::int64_t> feasible, parents(energies.size(), -1);
    for (std::size_t i = 0; i < energies.size(); ++i)
        if (energies[i] < infinity)
            feasible.push_back(static_cast<std::int64_t>(i));
    for (std::size_t i = 0, next = 0; i < energies.size(); ++i)
        if (!(energies[i] < infinity))
            parents[i] = feasible[next++ % feasible.size()];
    chains_.find_regions(memory_.partition());
    memory_.copy_chains(parents);
    chains_.copy_chains(parents, memory_);
}

void StochasticApproximation::iterate() {
    PEARLITE_EXPECTS(!finished());
    stages_.advance();
    sample();
    if (window_.is_full() || stages_.is_last())
        learn();
    if (stages_.is_last() && !stages_.is_main())
        begin_main_stage();
    else if (weights_ && stages_.is_main() && !stages_.is_last())
        resample();
}

void StochasticApproximation::sample() {
    const double uniform = choices_.at(stages_.step())[0];
    const Index operation = choice_.draw(uniform, window_.is_empty() && settings_.chains >= 2);
    chains_.sample({operation, stages_.temperature(), stages_.step()}, memory_, window_.present());
    window_.close(operation);
}

void StochasticApproximation::learn() {
    // If a rank failed, all ranks of the search learn of it here.
    if (window_.share(chains_.failure().happened()))
        chains_.failure().agree(ranks_);
    const Index before = stages_.iteration() - window_.size();
    for (Index s = 0; s < window_.size(); ++s) {
        const Index t = before + s + 1;
        memory_.take_reports(window_, s, t, stages_);
        if (stages_.is_range_top(t))
            memory_.note_range_top();
        if (!stages_.is_main())
            continue;
        const bool averages = settings_.average_from && t > *settings_.average_from;
        if (averages && (t - *settings_.average_from - 1) % settings_.average_every == 0)
            take_averages(t);
        update_theta(t, averages ? 0 : stages_.gain(t));
        if (memory_.notes_progress(t) || stages_.is_last(t))
            memory_.note_progress(t, stages_.temperature(t));
    }
    window_.clear();
}

void StochasticApproximation::update_theta(Index t, double gain) {
    if (!weights_)
        return memory_.update_theta(gain);
    const auto energies = memory_.energies();
    theta_before_.resize(energies.size());
    for (std::size_t i = 0; i < energies.size(); ++i)
        theta_before_[i] = memory_.theta(i, memory_.region(i));
    memory_.update_theta(gain);
    const double colder = 1 / stages_.temperature(t + 1) - 1 / stages_.temperature(t);
    for (std::size_t i = 0; i < energies.size(); ++i)
        weights_->add(i, -colder * energies[i] - (memory_.theta(i, memory_.region(i)) - theta_before_[i]));
}

void StochasticApproximation::resample() {
    if (!weights_->is_due())
        return;
    random::Stream stream({settings_.seed, random::Purpose::resample, 0, static_cast<std::uint32_t>(stages_.step())});
    const auto parents = weights_->resample(stream.uniform());
    memory_.copy_chains(parents);
    chains_.copy_chains(parents, memory_);
}

void StochasticApproximation::take_averages(Index t) {
    for (Index i = 0; i < layout().local_items(); ++i) {
        const auto chain = static_cast<std::size_t>(layout().first_local_item() + i);
        const double log_weight =
            memory_.theta(chain, memory_.region(chain)) + memory_.energies()[chain] * (1 / stages_.temperature(t) - 1);
        if (points_) {
            const auto& points = points_->points(chains_.states());
            moments_.add(i, log_weight, [&](Index k) { return points(k, i); });
        } else if (graphs_) {
            const double log_rest = graphs_->list_edges(chains_.states(), i, features_);
            add_adjacencies();
            moments_.add_features(i, log_weight + log_rest, features_);
        }
    }
}

void StochasticApproximation::add_adjacencies() {
    const std::size_t edges = features_.size();
    for (std::size_t k = 0; k < edges; ++k) {
        const Index parent = features_[k] / nodes_, child = features_[k] % nodes_;
        features_.push_back((nodes_ + std::min(parent, child)) * nodes_ + std::max(parent, child));
    }
}

void StochasticApproximation::begin_main_stage() {
    memory_.begin_main();
    chains_.begin_regions(memory_.partition(), stages_.step());
    stages_.begin_main();
}

SearchOutcome StochasticApproximation::outcome() const {
    SearchOutcome outcome;
    outcome.iterations = stages_.iteration();
    for (const auto& operation : space_->operations())
        outcome.operations.push_back(operation.name);
    chains_.describe(outcome);
    outcome.start = start_;
    outcome.best.iteration = stages_.main_iteration_at(outcome.best.iteration);
    memory_.describe(outcome, stages_.temperature());
    outcome.averages = moments_.combined(ranks_.all_gather(std::span<const double>(moments_.sums())));
    return outcome;
}

void StochasticApproximation::fields(Fields& f) {
    stages_.fields(f);
    memory_.fields(f, stages_.is_main());
    window_.fields(f);
    chains_.fields(f);
    if (weights_)
        group(f, "weights", *weights_);
    if (settings_.average_from)
        moment_fields(f);
    if (f.is_reading())
        chains_.find_regions_again(memory_.partition());
    start_.fields(f); // last, since files of older versions have none
}

void StochasticApproximation::moment_fields(Fields& f) {
    const std::size_t bytes = moments_.width() * sizeof(double);
    ShardedField sums{
        ItemType::float64, bytes, layout().size(), layout().first_local_item(), layout().local_items(), {}, {}};
    sums.pack = [this, bytes](Index first, Index count, std::span<std::byte> out) {
        const auto all = std::as_bytes(moments_.sums());
        const auto n = static_cast<std::size_t>(count) * bytes;
        if (n > 0)
            std::memcpy(out.data(), all.data() + static_cast<std::size_t>(first) * bytes, n);
    };
    sums.unpack = [this, bytes](Index first, Index count, std::span<const std::byte> in) {
        const auto all = std::as_writable_bytes(moments_.sums());
        const auto n = static_cast<std::size_t>(count) * bytes;
        if (n > 0)
            std::memcpy(all.data() + static_cast<std::size_t>(first) * bytes, in.data(), n);
    };
    f.sharded("moments", sums);
}

} // namespace pearlite::algorithm
