#include "algorithm/pilot/piloted.hpp"

#include "algorithm/plans/algorithm.hpp"
#include "core/moments.hpp"
#include "densities.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::algorithm {
namespace {

using parallel::Communicator;
using testing::BetaBernoulli;

/// {name: pilot} of all algorithms that can be one.
std::vector<std::pair<std::string, std::shared_ptr<PilotAlgorithm>>> pilots() {
    std::vector<std::pair<std::string, std::shared_ptr<PilotAlgorithm>>> all;
    for (const auto& entry : entries())
        if (auto pilot = entry.pilot())
            all.emplace_back(entry.name, std::move(pilot));
    return all;
}

PilotTask task_of(Index particles) {
    const auto path = testing::path_of(BetaBernoulli{});
    const auto kernel = [path](const Matrix* learnt) -> std::unique_ptr<kernel::Kernel> {
        if (learnt)
            return std::make_unique<kernel::RandomWalk>(path, 5, *learnt);
        return std::make_unique<kernel::RandomWalk>(path, 5);
    };
    return {Communicator::alone(), path, path::AdaptiveSchedule{1, 0.9}, kernel, {particles, 16, 3}};
}

/// Stages at their first steps.
std::vector<Index> run(Sampler& sampler) {
    std::vector<Index> stages;
    for (sampler.begin(); !sampler.finished(); sampler.step())
        if (const Index stage = sampler.progress().stages_before; stages.empty() || stages.back() != stage)
            stages.push_back(stage);
    return stages;
}

TEST(Pilots, AreThoseOfTheGuide) {
    std::vector<std::string> names;
    for (const auto& [name, pilot] : pilots())
        names.push_back(name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"annealed-importance", "smc", "parallel-tempering", "importance-squared"}));
}

TEST(Pilots, LeaveWhatTheySay) {
    for (const auto& [name, pilot] : pilots()) {
        SCOPED_TRACE(name);
        const auto sampler = pilot->sampler(task_of(512));
        run(*sampler);
        const auto found = tuning_of(Communicator::alone(), *sampler, PilotReference::wanted);
        const auto& b = found.inverse_temperatures;
        const bool has_path = b.size() > 2 && b.front() == 0 && b.back() == 1 && std::ranges::is_sorted(b) &&
                              found.variance_u.size() == b.size() && found.mobility.size() == b.size() &&
                              found.kernel.rows() == static_cast<Index>(b.size());
        EXPECT_EQ(has_path, pilot->leaves_path());
        const auto [mean, covariance] = weighted_moments(found.reference.points, found.reference.weights());
        const double sd = std::sqrt(0.25 / 103); // of Beta(51, 51)
        EXPECT_EQ(std::abs(mean(0) - 0.5) < 0.5 * sd && std::abs(std::sqrt(covariance(0, 0)) / sd - 1) < 0.35,
                  pilot->leaves_reference());
    }
}

TEST(Pilots, CountTheirStagesAndThoseOfTheMainRun) {
    for (const auto& [name, pilot] : pilots()) {
        SCOPED_TRACE(name);
        const auto task = task_of(64);
        auto sampler = pilot->sampler(task);
        const Index stages_of_pilot = dynamic_cast<const Piloted*>(sampler.get()) ? 2 : 1;
        Piloted piloted(Communicator::alone(), std::move(sampler), [&](const Tuning&) {
            return std::make_unique<Smc>(task.ranks, task.target, path::linear_schedule(3, 1), *task.kernel(nullptr),
                                         task.population, SmcSettings{});
        });
        const auto stages = run(piloted);
        ASSERT_EQ(static_cast<Index>(stages.size()), stages_of_pilot + 1);
        for (std::size_t s = 0; s < stages.size(); ++s)
            EXPECT_EQ(stages[s], static_cast<Index>(s));
        EXPECT_GE(piloted.progress().pilot_likelihoods.value_or(0), 64);
    }
}

} // namespace
} // namespace pearlite::algorithm
