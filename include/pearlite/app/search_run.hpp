#pragma once
/// A search as the run loop sees it.

#include "pearlite/app/describe_state.hpp"
#include "pearlite/app/polish.hpp"
#include "pearlite/app/run.hpp"
#include "pearlite/app/search_plan.hpp"
#include "pearlite/parallel/agreement.hpp"
#include "pearlite/sampler/search_replicates.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace pearlite::app {

template <model::SearchSpace Space>
class SearchRun final : public Run {
  public:
    SearchRun(const parallel::Communicator& ranks, std::shared_ptr<const Space> space, const SearchPlan& plan)
        : ranks_(ranks), plan_(plan), replicates_(ranks, std::move(space), plan.settings, plan.replicates) {}

    void begin() override {}
    bool finished() const override { return replicates_.finished(); }
    void step() override { replicates_.step(); }
    sampler::Progress progress() const override {
        sampler::Progress progress;
        progress.iterations_per_step = replicates_.iterations_per_step;
        progress.step = replicates_.steps_done();
        progress.steps = replicates_.steps_in_all();
        progress.steps_at_once = std::max<Index>(1, replicates_.groups_at_work());
        progress.best_energy = replicates_.best_energy();
        progress.temperature = replicates_.temperature();
        return progress;
    }
    bool in_pilot() const override { return false; }
    Index updates_per_step() const override {
        return plan_.settings.chains * replicates_.iterations_per_step * replicates_.groups_at_work();
    }

    void save(io::Writer& writer) override {
        replicates_.flush();
        replicates_.fields(writer);
    }
    void restore(io::Reader& reader) override { replicates_.fields(reader); }

    RunResult result() override {
        RunResult result;
        auto& search = result.search.emplace();
        search.replicates = replicates_.outcomes();
        search.success_below = plan_.success_below;
        parallel::on_root(ranks_, [&] {
            for (Index r = 0; r < plan_.replicates; ++r)
                search.seeds.push_back(sampler::SearchReplicates<Space>::seed_of(plan_.settings.seed, r));
            for (std::size_t r = 1; r < search.replicates.size(); ++r)
                if (search.replicates[r].best.energy < search.replicates[search.best_replicate].best.energy)
                    search.best_replicate = r;
            search.best = describe_state(replicates_.space(), search.replicates[search.best_replicate].best.state);
            search.region_states = describe_regions(replicates_.space(), search.replicates[search.best_replicate]);
            search.known_minimum = replicates_.space().known_minimum();
            result.images = search.best.images;
        });
        if constexpr (can_polish<Space>)
            if (plan_.polish)
                search.polish = polish(ranks_, replicates_.space(), search.replicates, plan_.replicates);
        result.digest = ranks_.broadcast(ranks_.is_root() ? digest(search) : std::string());
        return result;
    }
    void result_fields(io::Writer&) override {}

  private:
    /// Of all replicates: best states, also polished, energies of the chains at the end, theta, counts.
    static std::string digest(const SearchResult& search) {
        io::Sha256 hash;
        const auto add = [&](const auto& values) { hash.add(std::as_bytes(std::span(values))); };
        for (const auto& outcome : search.replicates) {
            hash.add(std::as_bytes(std::span(&outcome.best.energy, 1)));
            hash.add(std::as_bytes(std::span(&outcome.best.iteration, 1)));
            add(outcome.best.state);
            add(outcome.final_energies);
            add(outcome.theta);
            add(outcome.visits);
            add(outcome.scales);
            for (const auto& count : outcome.counts)
                hash.add(std::as_bytes(std::span(&count.accepted, 1)));
        }
        if (search.polish)
            for (const auto& polished : search.polish->replicates) {
                hash.add(std::as_bytes(std::span(&polished.energy, 1)));
                add(polished.point);
            }
        return hash.finish_hex();
    }

    parallel::Communicator ranks_;
    SearchPlan plan_;
    sampler::SearchReplicates<Space> replicates_;
};

} // namespace pearlite::app
