#include "app/commands/registry.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pearlite::app {
namespace {

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

TEST(Registry, EveryAlgorithmHasItsOwnNameAndDescription) {
    std::set<std::string> names, descriptions;
    for (const auto& entry : algorithms()) {
        names.insert(entry->name());
        descriptions.insert(entry->about());
        EXPECT_EQ(&algorithm_of_name(entry->name()), entry.get());
    }
    EXPECT_EQ(names.size(), algorithms().size());
    EXPECT_EQ(descriptions.size(), algorithms().size());
    EXPECT_EQ(names.count("") + descriptions.count(""), 0u);
    EXPECT_THROW(algorithm_of_name("annealed"), ContractViolation);
}

TEST(Registry, SearchesWorkOnEnergiesAlone) {
    for (const auto& entry : algorithms()) {
        EXPECT_EQ(entry->is_search(), entry->objection(searched_traits()).empty() && entry->is_search());
        if (entry->is_search())
            EXPECT_FALSE(entry->objection(annealed_traits(true)).empty()) << entry->name();
        else
            EXPECT_TRUE(entry->objection(annealed_traits(true)).empty()) << entry->name();
    }
    EXPECT_EQ(standard_algorithm(searched_traits()).name(), "pisaa");
    EXPECT_EQ(standard_algorithm(annealed_traits(true)).name(), "annealed-importance");
}

TEST(Registry, AlgorithmsAtThePosteriorNeedDensities) {
    std::set<std::string> refusing;
    for (const auto& entry : algorithms())
        if (!entry->is_search() && !entry->objection(annealed_traits(false)).empty())
            refusing.insert(entry->name());
    EXPECT_EQ(refusing, (std::set<std::string>{"importance-squared", "pseudo-marginal"}));
}

} // namespace
} // namespace pearlite::app
