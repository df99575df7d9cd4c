#include "algorithm/plans/algorithm.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pearlite::app {
namespace {

TEST(Algorithm, NamesAreInTheOrderOfTheEnumeration) {
    EXPECT_EQ(algorithm_name(Algorithm::annealed_importance), "annealed-importance");
    EXPECT_EQ(algorithm_name(Algorithm::parallel_tempering), "parallel-tempering");
    EXPECT_EQ(algorithm_name(Algorithm::pseudo_marginal), "pseudo-marginal");
    EXPECT_EQ(algorithm_name(Algorithm::sa), "sa");
    EXPECT_EQ(algorithm_name(Algorithm::aesamc), "aesamc");
    EXPECT_EQ(algorithm_names().back(), "aesamc");
}

TEST(Algorithm, EveryOneHasItsOwnNameAndDescriptionAndOneFamilyAtMost) {
    std::set<std::string> names, descriptions;
    for (std::size_t a = 0; a < algorithm_names().size(); ++a) {
        const auto algorithm = static_cast<Algorithm>(a);
        names.insert(algorithm_name(algorithm));
        descriptions.insert(algorithm_description(algorithm));
        EXPECT_FALSE(is_at_posterior(algorithm) && is_search(algorithm)) << algorithm_name(algorithm);
    }
    EXPECT_EQ(names.size(), algorithm_names().size());
    EXPECT_EQ(descriptions.size(), algorithm_names().size());
    EXPECT_EQ(descriptions.count(""), 0u);
}

TEST(Algorithm, Families) {
    EXPECT_TRUE(is_at_posterior(Algorithm::importance_squared) && is_at_posterior(Algorithm::pseudo_marginal));
    EXPECT_FALSE(is_at_posterior(Algorithm::smc) || is_at_posterior(Algorithm::sa));
    EXPECT_TRUE(is_search(Algorithm::sa) && is_search(Algorithm::pisaa) && is_search(Algorithm::aesamc));
    EXPECT_FALSE(is_search(Algorithm::pseudo_marginal) || is_search(Algorithm::smc));
}

} // namespace
} // namespace pearlite::app
