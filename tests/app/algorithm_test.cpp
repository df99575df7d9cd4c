#include "app/configured/prepare.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace pearlite::app {
namespace {

using model::Task;

ModelTraits annealed_traits(bool is_density) {
    ModelTraits traits;
    traits.continuous = is_density;
    traits.is_time_reversible = true;
    return traits;
}
ModelTraits searched_traits() {
    ModelTraits traits;
    traits.search = SearchTraits{};
    return traits;
}

ModelTraits trained_traits() {
    ModelTraits traits;
    traits.is_trained = true;
    return traits;
}

TEST(Registry, EveryAlgorithmHasItsOwnNameAndDescription) {
    std::set<std::string> names, descriptions;
    for (const auto& entry : algorithms()) {
        names.insert(entry.name);
        descriptions.insert(entry.about);
        EXPECT_EQ(&algorithm_of_name(entry.name), &entry);
    }
    EXPECT_EQ(names.size(), algorithms().size());
    EXPECT_EQ(descriptions.size(), algorithms().size());
    EXPECT_EQ(names.count("") + descriptions.count(""), 0u);
    EXPECT_THROW(algorithm_of_name("annealed"), ContractViolation);
}

TEST(Registry, AlgorithmsObjectToModelsOfOtherTasks) {
    for (const auto& entry : algorithms())
        for (const auto& traits : {annealed_traits(true), searched_traits(), trained_traits()})
            if (entry.task == Task::annealing)
                EXPECT_TRUE(traits.task() != Task::annealing || entry.objection(traits).empty()) << entry.name;
            else
                EXPECT_EQ(entry.objection(traits).empty(), entry.task == traits.task()) << entry.name;
    for (const auto& [name, traits] : {std::pair("pisaa", searched_traits()),
                                       {"smc", annealed_traits(true)},
                                       {"annealed-importance", annealed_traits(false)},
                                       {"contrastive-divergence", trained_traits()}}) {
        EXPECT_EQ(standard_algorithm(traits).name, name);
        EXPECT_EQ(standard_algorithm(traits).task, traits.task());
    }
}

TEST(Registry, AlgorithmsAtThePosteriorNeedDensities) {
    std::set<std::string> refusing;
    for (const auto& entry : algorithms())
        if (entry.task == Task::annealing && !entry.objection(annealed_traits(false)).empty())
            refusing.insert(entry.name);
    EXPECT_EQ(refusing, (std::set<std::string>{"importance-squared", "likelihood-constrained", "pseudo-marginal"}));
}

} // namespace
} // namespace pearlite::app
