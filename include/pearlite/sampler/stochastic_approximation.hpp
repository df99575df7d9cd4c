#pragma once
/// Parallel and interacting stochastic approximation annealing (Karagiannis, Konomi, Lin & Liang 2017, Algorithm 3),
/// and by its settings SA, VFSA, SAA, PSAA, ASAMC and AESAMC.
///
///     log f_{theta,tau}(x) = -U(x)/tau - theta_{J(x)}
///     for t = 1..n:
///         sampling:   draw an operation; the chains x^(1..kappa) move by it, leaving f_{theta_{t-1}, tau_t} invariant
///         weights:    p_j = (1/kappa) #{i: J(x^i) = j};  theta' = theta_{t-1} + gamma_t (p - pi)   on S_t
///         truncation: theta_t = theta' if |theta'| <= M_c, else theta_t = 0 and c += 1
///
/// U energy, J the region of energy, S_t the regions ever proposed to, gamma the gain, tau the temperature, pi the
/// desired frequencies. The chains are cut among the ranks; theta and all energies are on every rank, and one
/// collective of O(kappa) words per iteration keeps them so.

#include "pearlite/sampler/operation_choice.hpp"
#include "pearlite/sampler/report_window.hpp"
#include "pearlite/sampler/search_chains.hpp"
#include "pearlite/sampler/search_memory.hpp"
#include "pearlite/sampler/search_settings.hpp"
#include "pearlite/sampler/search_stages.hpp"
#include "pearlite/sampler/weighted_moments.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace pearlite::sampler {

template <model::SearchSpace Space>
class StochasticApproximation {
  public:
    using Chains = typename Space::Chains;

    /// Collective over `ranks`. Draws the first states.
    StochasticApproximation(const parallel::Communicator& ranks, std::shared_ptr<const Space> space,
                            SearchSettings settings)
        : ranks_(ranks),
          space_(std::move(space)),
          settings_(checked(std::move(settings))),
          stages_(settings_),
          choice_(space_->operations(), settings_.rates),
          memory_(settings_, space_->operations()),
          chains_(ranks_, space_, settings_),
          window_(ranks_, chains_.layout(), settings_.sync_every),
          moments_(settings_.average_from ? chains_.layout().local_items() : 0, dimension()) {
        memory_.begin(chains_.draw_start());
        chains_.begin_regions(memory_.partition(), 0);
    }

    bool finished() const { return stages_.finished(); }
    Index iteration() const { return stages_.iteration(); }
    /// Of all stages, done and in all.
    Index iterations_done() const { return stages_.step(); }
    Index iterations_in_all() const { return stages_.steps(); }
    double best_energy() const { return memory_.best_energy(); }
    double temperature() const { return stages_.temperature(); }
    std::int64_t evaluations() const { return memory_.evaluations(); }
    const Chains& chains() const { return chains_.states(); }
    const parallel::BlockLayout& layout() const { return chains_.layout(); }
    std::span<const double> energies() const { return memory_.energies(); } ///< of all chains, as last shared
    const model::EnergyPartition& partition() const { return memory_.partition(); }
    double theta(Index region) const { return memory_.theta(0, region); }

    /// Collective over the ranks of the search. One iteration.
    void iterate() {
        PEARLITE_EXPECTS(!finished());
        stages_.advance();
        sample();
        if (window_.is_full() || stages_.is_last())
            learn();
        if (stages_.is_last() && !stages_.is_main())
            begin_main_stage();
    }

    /// Collective over the ranks of the search; finished().
    SearchOutcome outcome() const {
        SearchOutcome outcome;
        outcome.iterations = stages_.iteration();
        for (const auto& operation : space_->operations())
            outcome.operations.push_back(operation.name);
        chains_.describe(outcome);
        outcome.best.iteration = stages_.main_iteration_at(outcome.best.iteration);
        memory_.describe(outcome, stages_.temperature());
        outcome.averages = moments_.combined(ranks_.all_gather(std::span<const double>(moments_.sums())));
        return outcome;
    }

    /// What a checkpoint holds of a search on any number of ranks; collective. Reading ends with evaluated states.
    template <class Fields>
    void fields(Fields& f) {
        stages_.fields(f);
        memory_.fields(f, stages_.is_main());
        window_.fields(f);
        chains_.fields(f);
        if (settings_.average_from)
            moment_fields(f);
        if constexpr (Fields::reading)
            chains_.find_regions(memory_.partition());
    }

  private:
    static constexpr bool has_coordinates = requires(const Chains& chains, Index i) { chains.points()(i, i); };
    Index dimension() const {
        if constexpr (has_coordinates)
            return chains_.states().points().rows();
        return 0;
    }
    static SearchSettings checked(SearchSettings settings) {
        settings.check();
        return settings;
    }

    /// Sampling. Crossovers need energies that are up to date, and two chains.
    void sample() {
        random::Stream shared(
            {settings_.seed, random::Purpose::operation, 0, static_cast<std::uint32_t>(stages_.step())});
        const Index operation = choice_.draw(shared, window_.is_empty() && settings_.chains >= 2);
        chains_.sample({operation, stages_.temperature(), stages_.step()}, memory_, window_.present());
        window_.close(operation);
    }

    /// The collective, by which every rank learns of all chains' iterations since the last one; then for each of them
    /// the weights and the truncation.
    void learn() {
        // Where a rank failed, all ranks of the search learn of it here.
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
            if (averages)
                take_averages(t);
            memory_.update_theta(averages ? 0 : stages_.gain(t));
            if (memory_.notes_progress(t) || stages_.is_last(t))
                memory_.note_progress(t, stages_.temperature(t));
        }
        window_.clear();
    }

    /// Weights that undo theta and the temperature from which the states of iteration t come.
    void take_averages(Index t) {
        if constexpr (has_coordinates) {
            const auto& points = chains_.states().points();
            for (Index i = 0; i < layout().local_items(); ++i) {
                const auto chain = static_cast<std::size_t>(layout().first_local_item() + i);
                const double log_weight = memory_.theta(chain, memory_.region(chain)) +
                                          memory_.energies()[chain] * (1 / stages_.temperature(t) - 1);
                moments_.add(i, log_weight, [&](Index k) { return points(k, i); });
            }
        }
    }
    template <class Fields>
    void moment_fields(Fields& f) {
        auto all = ranks_.all_gather(std::span<const double>(moments_.sums()));
        f("moments", all);
        if constexpr (Fields::reading)
            std::copy_n(all.begin() + layout().first_local_item() * static_cast<Index>(moments_.width()),
                        moments_.sums().size(), moments_.sums().begin());
    }

    void begin_main_stage() {
        memory_.begin_main();
        chains_.begin_regions(memory_.partition(), stages_.step());
        stages_.begin_main();
    }

    parallel::Communicator ranks_;
    std::shared_ptr<const Space> space_;
    SearchSettings settings_;
    SearchStages stages_;
    OperationChoice choice_;
    SearchMemory memory_;
    SearchChains<Space> chains_;
    ReportWindow window_;
    WeightedMoments moments_; ///< of this rank's chains
};

} // namespace pearlite::sampler
