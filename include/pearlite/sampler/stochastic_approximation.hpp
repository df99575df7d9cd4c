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

#include "pearlite/core/error.hpp"
#include "pearlite/core/log_space.hpp"
#include "pearlite/model/search_space.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/parallel/layout.hpp"
#include "pearlite/random/lanes.hpp"
#include "pearlite/sampler/adaptive_bias.hpp"
#include "pearlite/sampler/chain_exchange.hpp"
#include "pearlite/sampler/meetings.hpp"
#include "pearlite/sampler/proposal_scales.hpp"
#include "pearlite/sampler/search_record.hpp"
#include "pearlite/sampler/search_settings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

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
          settings_(std::move(settings)),
          layout_(settings_.chains, 1, ranks.size(), ranks.rank()),
          chains_(space_->make_chains(layout_.local_items())),
          scales_(space_->operations()),
          stage_(settings_.partition ? Stage::main : Stage::range) {
        PEARLITE_EXPECTS(settings_.chains >= 1 && settings_.iterations >= 1 && settings_.sync_every >= 1);
        PEARLITE_EXPECTS(settings_.partition || settings_.range_iterations >= 2);
        const auto operations = space_->operations();
        counts_.resize(operations.size());
        rates_ = settings_.rates.empty() ? std::vector<double>(operations.size(), 1.0) : settings_.rates;
        PEARLITE_EXPECTS(rates_.size() == operations.size());
        if (settings_.partition)
            partition_ = *settings_.partition;
        allocate();
        begin_stage();
        guarded([&] {
            space_->draw_start(chains_, streams());
            space_->evaluate(chains_, energies_);
            for (Index i = 0; i < layout_.local_items(); ++i)
                require_number(energies_[at(i)], i);
        });
        share_first_energies();
    }

    bool finished() const { return stage_ == Stage::main && t_ == settings_.iterations; }
    Index iteration() const { return t_; }
    /// Of all stages, done and in all.
    Index iterations_done() const { return address_step_; }
    Index iterations_in_all() const {
        return settings_.iterations + (settings_.partition ? 0 : settings_.range_iterations);
    }
    double best_energy() const { return best_energy_; }
    double temperature() const { return temperature_of(std::max<Index>(t_, 1)); }
    std::int64_t evaluations() const { return evaluations_; }
    const Chains& chains() const { return chains_; }
    const parallel::BlockLayout& layout() const { return layout_; }
    std::span<const double> energies() const { return all_energies_; } ///< of all chains, as last shared
    const model::EnergyPartition& partition() const { return partition_; }
    double theta(Index region) const { return bias_of(0, region); }

    /// Collective over the ranks of the search. One iteration.
    void iterate() {
        PEARLITE_EXPECTS(!finished());
        ++t_;
        ++address_step_;
        random::Stream shared({settings_.seed, random::Purpose::operation, 0, step_number()});
        const Index op = draw_operation(shared);
        const double tau = temperature_of(t_);
        std::fill(reports_.begin() + report_begin(), reports_.begin() + report_begin() + layout_.local_items(),
                  Report{});
        switch (space_->operations()[static_cast<std::size_t>(op)].kind) {
        case model::Operation::Kind::mutation:
            mutate(op, tau);
            break;
        case model::Operation::Kind::partner:
            meet_partners(op, tau, shared);
            break;
        case model::Operation::Kind::pair:
            meet_in_pairs(op, tau, shared);
            break;
        }
        window_operations_.push_back(op);
        if (static_cast<Index>(window_operations_.size()) == settings_.sync_every || last_of_stage())
            share();
        if (last_of_stage() && stage_ == Stage::range)
            end_range_stage();
    }

    /// Collective over the ranks of the search; finished().
    SearchOutcome outcome() const {
        SearchOutcome outcome;
        outcome.best = gathered(best_);
        outcome.best_evaluations = best_evaluations_;
        outcome.iterations = t_;
        outcome.evaluations = evaluations_;
        outcome.curve = curve_;
        for (const auto& operation : space_->operations())
            outcome.operations.push_back(operation.name);
        outcome.counts = counts_;
        outcome.scales = scales_.values();
        outcome.points.assign(partition_.points().begin(), partition_.points().end());
        if (!biases_.empty()) {
            outcome.theta = biases_.front().normalised();
            outcome.desired.assign(biases_.front().desired().begin(), biases_.front().desired().end());
            outcome.visits.assign(biases_.front().visits().begin(), biases_.front().visits().end());
            outcome.truncations = biases_.front().truncations();
        }
        outcome.region_best = region_best_;
        outcome.final_energies = all_energies_;
        for (std::size_t i = 0; i < all_energies_.size(); ++i) {
            const Index j = partition_.region(all_energies_[i]);
            const double theta = biases_.empty() ? 0 : bias_of(i, j);
            outcome.final_log_weights.push_back(theta + all_energies_[i] * (1 / temperature_of(t_) - 1));
        }
        outcome.outside = outside_;
        return outcome;
    }

    /// What a checkpoint holds of a search on any number of ranks; collective. Reading ends with evaluated states.
    template <class Fields>
    void fields(Fields& f) {
        f("iteration", t_);
        f("address_step", address_step_);
        auto stage = static_cast<std::int64_t>(stage_);
        f("stage", stage);
        std::vector<double> points(partition_.points().begin(), partition_.points().end());
        f("points", points);
        if constexpr (Fields::reading) {
            stage_ = static_cast<Stage>(stage);
            partition_ = model::EnergyPartition(points);
            begin_stage();
        }
        for (std::size_t b = 0; b < biases_.size(); ++b) {
            f.enter("bias-" + std::to_string(b));
            biases_[b].fields(f);
            f.leave();
        }
        scales_.fields(f);
        f.enter("curve");
        curve_.fields(f);
        f.leave();
        f("evaluations", evaluations_);
        f("best_evaluations", best_evaluations_);
        f("best_energy", best_energy_);
        f("region_best", region_best_);
        f("range_low", range_low_);
        f("range_high", range_high_);
        f("outside", outside_);
        std::vector<std::int64_t> proposed, accepted, window(window_operations_.begin(), window_operations_.end());
        for (const auto& count : counts_) {
            proposed.push_back(count.proposed);
            accepted.push_back(count.accepted);
        }
        f("proposed", proposed);
        f("accepted", accepted);
        f("window_operations", window);
        if constexpr (Fields::reading) {
            for (std::size_t k = 0; k < counts_.size(); ++k)
                counts_[k] = {proposed[k], accepted[k]};
            window_operations_.assign(window.begin(), window.end());
        }
        window_fields(f);
        state_fields(f);
    }

  private:
    enum class Stage : std::int64_t { range = 0, main = 1 };
    static constexpr double infinity_ = std::numeric_limits<double>::infinity();

    /// What a chain tells of an iteration.
    struct Report {
        double energy = 0;
        std::int32_t proposed_region = -1; ///< -1: nothing proposed inside the space
        std::uint8_t is_active = 0, is_accepted = 0, failed = 0, padding = 0;
    };

    /// What a pair must know of both its children.
    struct Child {
        double energy = 0, log_ratio = 0;
    };

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    /// Where this rank's reports of the present iteration begin.
    std::ptrdiff_t report_begin() const {
        return static_cast<std::ptrdiff_t>(static_cast<Index>(window_operations_.size()) * largest_share_);
    }
    std::uint32_t step_number() const { return static_cast<std::uint32_t>(address_step_); }
    model::BlockStreams streams() const { return {settings_.seed, step_number(), 0, layout_.first_local_item(), 0}; }
    /// The address of a chain's own draws of this purpose.
    random::Address address_of(random::Purpose purpose, Index chain) const {
        return {settings_.seed, purpose, random::slot_id(0, chain), step_number()};
    }

    void allocate() {
        const auto n = at(chains_.padded_size()), kappa = at(settings_.chains);
        for (auto* values : {&energies_, &exponentials_, &proposals_.energies, &proposals_.log_ratios})
            values->assign(n, 0.0);
        accepted_.assign(n, 0);
        local_active_.assign(n, 0);
        local_meeting_.assign(n, -1);
        regions_.assign(kappa, 0);
        all_energies_.assign(kappa, 0.0);
        largest_share_ = (settings_.chains + ranks_.size() - 1) / ranks_.size();
        reports_.assign(at(largest_share_ * settings_.sync_every), {});
    }
    /// Biases and regions as a stage begins; the states stay.
    void begin_stage() {
        const bool has_bias = stage_ == Stage::main && settings_.bias != SearchSettings::Bias::none;
        const auto desired = model::desired_probabilities(partition_.regions(), settings_.lambda);
        const Index n = !has_bias ? 0 : settings_.bias == SearchSettings::Bias::shared ? 1 : settings_.chains;
        biases_.assign(at(n), AdaptiveBias(desired));
        region_best_.assign(at(partition_.regions()), infinity_);
    }
    void touch_regions_of_states() {
        for (std::size_t i = 0; i < all_energies_.size(); ++i) {
            regions_[i] = static_cast<std::int32_t>(partition_.region(all_energies_[i]));
            if (!biases_.empty())
                bias(i).touch(regions_[i]);
        }
    }
    AdaptiveBias& bias(std::size_t chain) { return biases_.size() == 1 ? biases_.front() : biases_[chain]; }
    double bias_of(std::size_t chain, Index region) const {
        if (!settings_.fixed_theta.empty())
            return settings_.fixed_theta[at(region)];
        if (biases_.empty())
            return 0;
        return biases_[biases_.size() == 1 ? 0 : chain].theta(region);
    }

    double temperature_of(Index t) const {
        if (stage_ == Stage::main)
            return settings_.temperature(t);
        // The range stage quenches from the highest temperature to the lowest.
        const TemperatureLadder quench{TemperatureLadder::Kind::geometric, settings_.temperature(1),
                                       settings_.temperature(settings_.iterations), settings_.range_iterations};
        return quench(t);
    }
    bool last_of_stage() const {
        return t_ == (stage_ == Stage::range ? settings_.range_iterations : settings_.iterations);
    }
    /// The last region of a space that shrinks.
    Index last_region() const {
        return settings_.aleph && stage_ == Stage::main ? partition_.region(best_energy_ + *settings_.aleph)
                                                        : partition_.regions() - 1;
    }
    bool adapts_scales(Index t) const { return stage_ == Stage::range || t <= settings_.pilot_iterations; }
    model::ProposalScale scale_of(Index op) const {
        return {scales_[op], settings_.scale_by_region && stage_ == Stage::main ? &partition_ : nullptr};
    }

    /// Of those operations that can be made now: crossovers need energies that are up to date, and two chains.
    Index draw_operation(random::Stream& shared) const {
        const auto operations = space_->operations();
        const bool may_cross = window_operations_.empty() && settings_.chains >= 2;
        double sum = 0;
        for (std::size_t k = 0; k < operations.size(); ++k)
            sum += may_cross || operations[k].kind == model::Operation::Kind::mutation ? rates_[k] : 0;
        double u = shared.uniform() * sum;
        Index last = 0;
        for (std::size_t k = 0; k < operations.size(); ++k) {
            if (rates_[k] <= 0 || !(may_cross || operations[k].kind == model::Operation::Kind::mutation))
                continue;
            last = static_cast<Index>(k);
            if ((u -= rates_[k]) < 0)
                break;
        }
        return last;
    }

    // ---- Sampling

    void mutate(Index op, double tau) {
        guarded([&] {
            space_->mutate(chains_, op, scale_of(op), energies_, streams(), proposals_);
            std::fill(local_active_.begin(), local_active_.end(), std::uint8_t{1});
            accept_one_by_one(op, tau);
        });
    }

    void meet_partners(Index op, double tau, random::Stream& shared) {
        const auto& operation = space_->operations()[at(op)];
        const auto plan = plan_partners(all_energies_, operation.partners, operation.by_energy, settings_, shared,
                                        address_of(random::Purpose::partner, 0));
        take_part(plan);
        std::vector<Chains> partners;
        partners.push_back(fetch_partners(ranks_, *space_, chains_, layout_, plan.first));
        if (operation.partners == 2)
            partners.push_back(fetch_partners(ranks_, *space_, chains_, layout_, plan.second));
        guarded([&] {
            space_->cross(chains_, partners, op, {local_active_, local_meeting_}, scale_of(op), energies_, streams(),
                          proposals_);
            accept_one_by_one(op, tau);
        });
    }

    void meet_in_pairs(Index op, double tau, random::Stream& shared) {
        const auto plan = plan_pairs(all_energies_, settings_, shared);
        take_part(plan);
        std::vector<Chains> partners;
        partners.push_back(fetch_partners(ranks_, *space_, chains_, layout_, plan.first));
        guarded([&] {
            space_->cross(chains_, partners, op, {local_active_, local_meeting_}, scale_of(op), energies_, streams(),
                          proposals_);
        });
        const auto children = gather_children();
        guarded([&] { accept_pairs(plan, children, tau); });
    }

    void take_part(const MeetingPlan& plan) {
        for (Index i = 0; i < layout_.local_items(); ++i) {
            local_active_[at(i)] = plan.active[at(layout_.first_local_item() + i)];
            local_meeting_[at(i)] = plan.meeting[at(layout_.first_local_item() + i)];
        }
    }

    /// log f(x') - log f(x) + log ratio of chain `i` of all, or -inf for a proposal outside.
    double log_acceptance(std::size_t chain, double energy, double proposed, double log_ratio, double tau) const {
        if (!(proposed < infinity_))
            return log_zero;
        const Index j = regions_now(chain, energy), to = partition_.region(proposed), last = last_region();
        if (to > last)
            return log_zero;
        if (j > last)
            return infinity_; // left outside by a shrink: the first proposal inside is taken
        return (energy - proposed) / tau + bias_of(chain, j) - bias_of(chain, to) + log_ratio;
    }
    Index regions_now(std::size_t chain, double energy) const {
        return window_operations_.empty() ? regions_[chain] : partition_.region(energy);
    }

    void accept_one_by_one(Index op, double tau) {
        const bool heat_bath = space_->operations()[at(op)].heat_bath;
        if (layout_.local_items() > 0)
            random::fill_exponential_lanes(address_of(random::Purpose::accept, layout_.first_local_item()),
                                           chains_.padded_size(), exponentials_);
        for (Index i = 0; i < layout_.local_items(); ++i) {
            accepted_[at(i)] = 0;
            if (local_active_[at(i)] == 0)
                continue;
            require_number(proposals_.energies[at(i)], i);
            const double log_alpha = log_acceptance(at(layout_.first_local_item() + i), energies_[at(i)],
                                                    proposals_.energies[at(i)], proposals_.log_ratios[at(i)], tau);
            // -log of a uniform number decides.
            accepted_[at(i)] =
                heat_bath ? exponentials_[at(i)] >= softplus(-log_alpha) : log_alpha >= -exponentials_[at(i)];
        }
        take_accepted();
    }

    /// The children of all chains, on every rank.
    std::vector<Child> gather_children() const {
        std::vector<Child> mine(at(largest_share_)), all;
        for (Index i = 0; i < layout_.local_items(); ++i)
            mine[at(i)] = {proposals_.energies[at(i)], proposals_.log_ratios[at(i)]};
        if (ranks_.size() == 1)
            return mine;
        const auto padded = ranks_.all_gather(std::span<const Child>(mine));
        for (int r = 0; r < ranks_.size(); ++r)
            for (Index i = layout_.first_item(r); i < layout_.first_item(r + 1); ++i)
                all.push_back(padded[at(r * largest_share_ + i - layout_.first_item(r))]);
        return all;
    }

    /// A pair is accepted or rejected as one, by the random number of its smaller member.
    void accept_pairs(const MeetingPlan& plan, std::span<const Child> children, double tau) {
        const bool by_selection = settings_.crossover == SearchSettings::Crossover::single;
        for (Index local = 0; local < layout_.local_items(); ++local) {
            accepted_[at(local)] = 0;
            if (local_active_[at(local)] == 0)
                continue;
            require_number(proposals_.energies[at(local)], local);
            const auto i = at(layout_.first_local_item() + local), one = at(plan.meeting[i]),
                       other = at(plan.first[one]);
            double log_alpha =
                log_acceptance(one, all_energies_[one], children[one].energy, children[one].log_ratio, tau) +
                log_acceptance(other, all_energies_[other], children[other].energy, children[other].log_ratio, tau);
            if (by_selection && log_alpha > log_zero)
                log_alpha += pair_log_ratio(all_energies_, one, other, children[one].energy, children[other].energy,
                                            settings_.selection_temperature);
            random::Stream stream(address_of(random::Purpose::accept, plan.meeting[i]));
            accepted_[at(local)] = log_alpha >= -stream.exponential();
        }
        take_accepted();
    }

    void take_accepted() {
        space_->accept(chains_, accepted_);
        for (Index i = 0; i < layout_.local_items(); ++i) {
            auto& report = reports_[at(report_begin() + i)];
            if (local_active_[at(i)] != 0) {
                report.is_active = 1;
                if (proposals_.energies[at(i)] < infinity_)
                    report.proposed_region = static_cast<std::int32_t>(partition_.region(proposals_.energies[at(i)]));
            }
            if (accepted_[at(i)] != 0) {
                report.is_accepted = 1;
                energies_[at(i)] = proposals_.energies[at(i)];
                note_find(i);
            }
            report.energy = energies_[at(i)];
        }
    }
    void note_find(Index i) {
        const Find find{energies_[at(i)], address_step_, layout_.first_local_item() + i, {}};
        if (!find.before(best_))
            return;
        best_ = find;
        best_.state.resize(chains_.packed_bytes());
        chains_.pack(i, best_.state);
    }

    // ---- Weights

    /// The collective: every rank learns of all chains' iterations since the last one, and updates theta by them.
    void share() {
        const auto n = window_operations_.size();
        const auto all = ranks_.size() == 1 ? std::span<const Report>(reports_) : gather_reports();
        for (std::size_t s = 0; s < n; ++s)
            update_weights(all, static_cast<Index>(s), t_ - static_cast<Index>(n) + 1 + static_cast<Index>(s));
        window_operations_.clear();
        // Where a rank failed, all ranks of the search learn of it here.
        if (std::any_of(all.begin(), all.end(), [](const Report& r) { return r.failed != 0; }))
            parallel::agree(ranks_, failure_);
    }
    std::span<const Report> gather_reports() {
        if (failure_)
            for (auto& report : reports_)
                report.failed = 1;
        gathered_ = ranks_.all_gather(std::span<const Report>(reports_));
        return gathered_;
    }

    /// Iteration t, number s of the window.
    void update_weights(std::span<const Report> all, Index s, Index t) {
        const Index op = window_operations_[at(s)];
        std::int64_t active = 0, accepted = 0;
        const double best_before = best_energy_;
        for (int r = 0; r < ranks_.size(); ++r) {
            const Index offset = (r * settings_.sync_every + s) * largest_share_ - layout_.first_item(r);
            for (Index i = layout_.first_item(r); i < layout_.first_item(r + 1); ++i) {
                const Report& report = all[at(offset + i)];
                active += report.is_active;
                accepted += report.is_accepted;
                take_report(report, at(i));
            }
        }
        evaluations_ += active;
        if (best_energy_ < best_before)
            best_evaluations_ = evaluations_;
        counts_[at(op)].proposed += active;
        counts_[at(op)].accepted += accepted;
        if (active > 0 && adapts_scales(t))
            scales_.adapt(op, static_cast<double>(accepted) / static_cast<double>(active));
        if (stage_ == Stage::range)
            return note_range(t);
        if (settings_.bias == SearchSettings::Bias::shared)
            biases_.front().update(settings_.gain(t), regions_);
        else
            for (std::size_t i = 0; i < biases_.size(); ++i)
                biases_[i].update(settings_.gain(t), std::span(regions_).subspan(i, 1));
        if (curve_.is_due(t) || t == settings_.iterations)
            curve_.add(t, evaluations_, best_energy_, temperature_of(t));
    }

    void take_report(const Report& report, std::size_t chain) {
        if (report.proposed_region >= 0 && !biases_.empty())
            bias(chain).touch(report.proposed_region);
        if (report.is_accepted != 0) {
            all_energies_[chain] = report.energy;
            regions_[chain] = static_cast<std::int32_t>(partition_.region(report.energy));
            auto& lowest = region_best_[static_cast<std::size_t>(regions_[chain])];
            lowest = std::min(lowest, report.energy);
            best_energy_ = std::min(best_energy_, report.energy);
        }
        outside_ += settings_.aleph && regions_[chain] > last_region() ? 1 : 0;
    }

    // ---- The range of energies

    /// The upper end is where chains are after the first tenth of the stage; the lower one, the lowest energy.
    void note_range(Index t) {
        if (t != std::max<Index>(1, settings_.range_iterations / 10))
            return;
        auto sorted = all_energies_;
        std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
        range_high_ = sorted[sorted.size() / 2];
    }
    void end_range_stage() {
        range_low_ = best_energy_;
        // A tenth of the range is left below for what the quench did not find.
        const double width = std::max(range_high_ - range_low_, 1e-6 * (1 + std::abs(range_low_)));
        partition_ =
            model::EnergyPartition::uniform(range_low_ - 0.1 * width, range_low_ + width, settings_.range_points);
        stage_ = Stage::main;
        t_ = 0;
        begin_stage();
        touch_regions_of_states();
    }

    // ---- Beginnings, ends and failures

    void share_first_energies() {
        std::vector<double> mine(at(largest_share_));
        std::copy_n(energies_.begin(), layout_.local_items(), mine.begin());
        const auto padded = ranks_.all_gather(std::span<const double>(mine));
        for (int r = 0; r < ranks_.size(); ++r)
            for (Index i = layout_.first_item(r); i < layout_.first_item(r + 1); ++i)
                all_energies_[at(i)] = padded[at(r * largest_share_ + i - layout_.first_item(r))];
        parallel::agree(ranks_, failure_);
        evaluations_ = settings_.chains;
        for (Index i = 0; i < layout_.local_items(); ++i)
            note_find(i);
        touch_regions_of_states();
        for (std::size_t i = 0; i < all_energies_.size(); ++i) {
            auto& lowest = region_best_[static_cast<std::size_t>(regions_[i])];
            lowest = std::min(lowest, all_energies_[i]);
            best_energy_ = std::min(best_energy_, all_energies_[i]);
        }
        best_evaluations_ = evaluations_;
    }

    void require_number(double energy, Index local) const {
        if (std::isnan(energy))
            throw NumericalError("the energy of chain " + std::to_string(layout_.first_local_item() + local) +
                                 " is not a number in iteration " + std::to_string(t_));
    }
    /// A failure waits for the next collective, so that no rank is left alone in one.
    template <class Work>
    void guarded(Work&& work) {
        if (failure_)
            return;
        try {
            work();
        } catch (...) {
            if (ranks_.size() == 1)
                throw;
            failure_ = std::current_exception();
        }
    }

    /// The best find of all ranks, with its state, on every rank.
    Find gathered(const Find& mine) const {
        struct Key {
            double energy;
            std::int64_t iteration, chain;
        };
        const auto keys = ranks_.all_gather(Key{mine.energy, mine.iteration, mine.chain});
        Find best;
        int owner = 0;
        for (int r = 0; r < ranks_.size(); ++r) {
            const Find find{keys[at(r)].energy, keys[at(r)].iteration, keys[at(r)].chain, {}};
            if (r == 0 || find.before(best)) {
                best = find;
                owner = r;
            }
        }
        best.state.resize(chains_.packed_bytes());
        if (owner == ranks_.rank())
            best.state = mine.state;
        ranks_.broadcast(std::span<std::byte>(best.state), owner);
        return best;
    }

    /// What chains reported since the last collective, and their energies as it left them.
    template <class Fields>
    void window_fields(Fields& f) {
        f("shared_energies", all_energies_);
        std::vector<Report> all;
        for (std::size_t s = 0; s < window_operations_.size(); ++s) {
            const auto local = std::span(reports_).subspan(s * at(largest_share_), at(layout_.local_items()));
            if constexpr (!Fields::reading)
                all = ranks_.all_gather(std::span<const Report>(local));
            f("reports", all);
            if constexpr (Fields::reading)
                std::copy_n(all.begin() + layout_.first_local_item(), local.size(), local.begin());
        }
    }

    /// All chains' states and the best one, which every rank gets.
    template <class Fields>
    void state_fields(Fields& f) {
        const std::size_t bytes = chains_.packed_bytes();
        Find best = gathered(best_);
        f("find_energy", best.energy);
        f("find_iteration", best.iteration);
        f("find_chain", best.chain);
        f("find_state", best.state);
        std::vector<std::byte> mine(bytes * at(layout_.local_items()));
        for (Index i = 0; i < layout_.local_items(); ++i)
            chains_.pack(i, std::span(mine).subspan(at(i) * bytes, bytes));
        auto all = ranks_.all_gather(std::span<const std::byte>(mine));
        f("chains", all);
        if constexpr (Fields::reading) {
            best_ = std::move(best);
            for (Index i = 0; i < layout_.local_items(); ++i)
                chains_.unpack(i, std::span(all).subspan(at(layout_.first_local_item() + i) * bytes, bytes));
            guarded([&] { space_->evaluate(chains_, energies_); });
            parallel::agree(ranks_, failure_);
            touch_regions_of_states();
        }
    }

    parallel::Communicator ranks_;
    std::shared_ptr<const Space> space_;
    SearchSettings settings_;
    parallel::BlockLayout layout_;
    Chains chains_;
    model::EnergyPartition partition_;
    ProposalScales scales_;
    std::vector<double> rates_;
    Stage stage_;
    Index t_ = 0;            ///< iterations of the stage
    Index address_step_ = 0; ///< of all stages

    std::vector<AdaptiveBias> biases_; ///< none, one, or one per chain
    std::vector<double> energies_;     ///< of this rank's chains
    std::vector<double> all_energies_; ///< of all chains, as last shared
    std::vector<std::int32_t> regions_;
    model::Proposals proposals_;
    std::vector<double> exponentials_;
    std::vector<std::uint8_t> accepted_, local_active_;
    std::vector<std::int64_t> local_meeting_;

    Index largest_share_ = 0; ///< chains of a rank, at most
    std::vector<Report> reports_, gathered_;
    std::vector<Index> window_operations_; ///< of the iterations not yet shared

    Find best_; ///< of this rank's chains
    double best_energy_ = infinity_;
    std::int64_t best_evaluations_ = 0, evaluations_ = 0, outside_ = 0;
    std::vector<double> region_best_;
    std::vector<OperationCount> counts_;
    ProgressCurve curve_;
    double range_low_ = 0, range_high_ = 0;
    std::exception_ptr failure_;
};

} // namespace pearlite::sampler
