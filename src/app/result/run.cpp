#include "app/result/run.hpp"

#include "app/result/annealing_run.hpp"
#include "app/result/search_run.hpp"
#include "app/result/training_run.hpp"
#include "pearlite/model/detail/growing_target.hpp"

#include <utility>

namespace pearlite::app {

std::unique_ptr<Run> make_run(const parallel::Communicator& ranks, const algorithm::Plan& plan,
                              const BuiltModel& model) {
    if (const auto* search = plan.search())
        return std::make_unique<SearchRun>(ranks, plan.make_search(ranks, model.space(search->operations)), *search);
    if (auto learner = model.learner(plan.run().seed))
        return std::make_unique<TrainingRun>(ranks, plan.make_training(ranks, std::move(learner)));
    if (const auto growth = model.growth())
        if (auto sampler = plan.make_growing_sampler(ranks, *growth))
            return std::make_unique<AnnealingRun>(ranks, model.target(), std::move(sampler),
                                                  plan.inverse_temperature_end(), plan.run().seed);
    return std::make_unique<AnnealingRun>(ranks, model.target(), plan.make_sampler(ranks, model.target()),
                                          plan.inverse_temperature_end(), plan.run().seed);
}

} // namespace pearlite::app
