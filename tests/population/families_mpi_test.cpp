// Families by owner on any number of ranks and any deal of the blocks, against sums that one rank makes of everything.
#include "population/families.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/error.hpp"
#include "population/uneven_layouts.hpp"
#include "population/weight_cases.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>

namespace pearlite::population {
namespace {

using namespace testing;
using parallel::BlockLayout;
using parallel::Communicator;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Genealogy {
    std::string name;
    std::vector<std::int64_t> eves;
};

/// Every particle its own Eve, a few families scattered over the slots, one family, and many drawn at random.
std::vector<Genealogy> genealogies(Index size) {
    std::vector<Genealogy> cases{{"own", {}}, {"few", {}}, {"one", {}}, {"random", {}}};
    random::Stream stream({61, random::Purpose::test, static_cast<std::uint64_t>(size), 0});
    for (Index i = 0; i < size; ++i) {
        cases[0].eves.push_back(i);
        cases[1].eves.push_back((i * 7919) % std::min<Index>(size, 11));
        cases[2].eves.push_back(size - 1);
        cases[3].eves.push_back(static_cast<std::int64_t>(stream.index(static_cast<std::uint64_t>(size))));
    }
    return cases;
}

/// Numbers of opposite signs over many orders of magnitude, weights, and ones.
Matrix numbers(Index size) {
    random::Stream stream({62, random::Purpose::test, static_cast<std::uint64_t>(size), 0});
    Matrix values(3, size);
    for (Index i = 0; i < size; ++i)
        values.col(i) << stream.normal() * std::exp(30 * stream.normal()), stream.uniform() / 7, 1;
    return values;
}

std::map<std::int64_t, ExactSum> gathered_sums(const std::vector<std::int64_t>& eves, const Matrix& values, Index row) {
    std::map<std::int64_t, ExactSum> sums;
    for (std::size_t i = 0; i < eves.size(); ++i)
        sums[eves[i]].add(values(row, static_cast<Index>(i)));
    return sums;
}

/// Normalised weights of the families that have any.
std::vector<double> gathered_weights(const std::vector<double>& log_weights, const std::vector<std::int64_t>& eves) {
    const double log_sum = log_sum_exp(log_weights);
    std::map<std::int64_t, ExactSum> families;
    for (std::size_t i = 0; i < eves.size(); ++i)
        if (log_weights[i] > log_zero)
            families[eves[i]].add(std::exp(log_weights[i] - log_sum));
    std::vector<double> weights;
    for (const auto& [eve, sum] : families)
        weights.push_back(sum.value());
    return weights;
}

TEST(FamiliesMpi, SumsAreThoseOfTheGatheredFamilies) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index size : {1, 2, 5, 33, 700})
        for (const auto& genealogy : genealogies(size))
            for (const auto& layout : uneven_layouts(ranks, size, 4)) {
                const Matrix values = numbers(size);
                const Families one(alone, size, genealogy.eves);
                const Families many(ranks, size, local_part(genealogy.eves, layout));
                const Matrix whole = one.sums(values);
                const Matrix mine = many.sums(values.middleCols(layout.first_local_item(), layout.local_items()));
                const Index first = many.slots().first_local_item();
                ASSERT_EQ(mine, whole.middleCols(first, many.slots().local_items())) << genealogy.name << " " << size;
                for (Index row = 0; row < values.rows(); ++row) {
                    auto sums = gathered_sums(genealogy.eves, values, row);
                    const double largest = values.row(row).cwiseAbs().maxCoeff();
                    for (Index e = 0; e < mine.cols(); ++e)
                        ASSERT_NEAR(mine(row, e), sums[first + e].value(),
                                    1e-24 * largest + 2e-16 * std::abs(mine(row, e)));
                }
                ASSERT_EQ(many.surviving(), static_cast<Index>(gathered_sums(genealogy.eves, values, 0).size()));
            }
}

// Large ones too: many messages of each pair of ranks.
TEST(FamiliesMpi, ManyFamilies) {
    const auto ranks = Communicator::world();
    constexpr Index size = 40000;
    const auto genealogy = genealogies(size).back();
    const BlockLayout layout(size, 16, ranks.size(), ranks.rank());
    const Matrix values = numbers(size);
    const Families one(Communicator::alone(), size, genealogy.eves),
        many(ranks, size, local_part(genealogy.eves, layout));
    const Matrix mine = many.sums(values.middleCols(layout.first_local_item(), layout.local_items()));
    EXPECT_EQ(mine, one.sums(values).middleCols(many.slots().first_local_item(), many.slots().local_items()));
    EXPECT_EQ(many.surviving(), one.surviving());
}

TEST(FamiliesMpi, WeightsAreThoseOfTheGatheredFamilies) {
    const auto ranks = Communicator::world(), alone = Communicator::alone();
    for (const Index size : {1, 5, 33, 700})
        for (const auto& weights : weight_cases(size))
            for (const auto& genealogy : genealogies(size)) {
                const BlockLayout whole(size, 4, 1, 0);
                const auto sums = gathered_weights(weights.log_weights, genealogy.eves);
                const auto one =
                    family_weights(alone, whole, weights.log_weights, Families(alone, size, genealogy.eves));
                ASSERT_EQ(one.families, static_cast<Index>(sums.size())) << weights.name << " " << genealogy.name;
                double squares = 0, fourth_powers = 0;
                for (const double s : sums) {
                    squares += s * s;
                    fourth_powers += s * s * s * s;
                }
                ASSERT_NEAR(one.squares, squares, 1e-14 * squares);
                ASSERT_NEAR(one.fourth_powers, fourth_powers, 1e-14 * fourth_powers);
                for (const auto& layout : uneven_layouts(ranks, size, 4)) {
                    const auto many = family_weights(ranks, layout, local_part(weights.log_weights, layout),
                                                     Families(ranks, size, local_part(genealogy.eves, layout)));
                    ASSERT_EQ(many.families, one.families);
                    ASSERT_EQ(many.squares, one.squares);
                    ASSERT_EQ(many.fourth_powers, one.fourth_powers);
                }
            }
}

TEST(FamiliesMpi, ExtremeMagnitudesAndWhatIsNoNumber) {
    const auto ranks = Communicator::world();
    constexpr Index size = 40;
    const BlockLayout layout(size, 4, ranks.size(), ranks.rank());
    std::vector<std::int64_t> eves(size, 3);
    Matrix values = Matrix::Zero(5, size);
    values.row(2).setConstant(5e-324 * 4096);
    values(3, 39) = infinity;
    values(4, 0) = std::nan("");
    values.row(1).tail(39).setConstant(1e306);
    values(1, 0) = 1e308;
    values(1, 7) = -1e308;
    const Families families(ranks, size, local_part(eves, layout));
    const Matrix sums = families.sums(values.middleCols(layout.first_local_item(), layout.local_items()));
    for (Index e = 0; e < sums.cols(); ++e) {
        const bool is_three = families.slots().first_local_item() + e == 3;
        EXPECT_EQ(sums(0, e), 0);
        EXPECT_NEAR(sums(1, e) / 1e306, is_three ? 38 : 0, 1e-12);
        EXPECT_NEAR(sums(2, e) / (5e-324 * 4096), is_three ? 40 : 0, 0.01 * 40);
        EXPECT_TRUE(std::isnan(sums(3, e)) && std::isnan(sums(4, e)));
    }
}

TEST(FamiliesMpi, AnEveThatIsNoSlotIsAnErrorOnAllRanks) {
    const auto ranks = Communicator::world();
    const BlockLayout layout(40, 4, ranks.size(), ranks.rank());
    std::vector<std::int64_t> eves(40, 3);
    eves[39] = 40;
    EXPECT_THROW(Families(ranks, 40, local_part(eves, layout)), ContractViolation);
}

} // namespace
} // namespace pearlite::population
