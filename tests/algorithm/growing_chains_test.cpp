// A user's growing model behind the interface of growing targets.
#include "algorithm/growing_chains.hpp"

#include "algorithm/densities.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;

static_assert(model::GrowingModel<WeighedChain> && !model::HasProposal<WeighedChain>);
static_assert(model::GrowingModel<ProposedChain> && !model::HasSmoothingWeight<ProposedChain>);
static_assert(!model::GrowingModel<HardChain>);

constexpr double activity = 1.7;
constexpr Index sites = 10;
/// Beyond which a right mean lies once in 16 000 tests.
constexpr double limit = 4;

/// (mean - 1)/standard error of Z over its exact value, of many runs of few particles.
double z_of(const GrowingPointer& target, const std::shared_ptr<const Generator>& generator,
            const ResampleMoveSettings& settings) {
    constexpr Index runs = 3000, particles = 20;
    double sum = 0, squares = 0;
    for (Index r = 0; r < runs; ++r) {
        const auto seed = random::derive_seed(random::Seed(41), static_cast<std::uint64_t>(r));
        auto sampler = growing_run(parallel::Communicator::alone(), target, generator, {particles, 16, seed}, settings);
        complete(sampler);
        const double ratio = std::exp(sampler.log_ratio() - *target->exact_log_normaliser());
        sum += ratio;
        squares += ratio * ratio;
    }
    const auto n = static_cast<double>(runs);
    const double mean = sum / n;
    return (mean - 1) / std::sqrt((squares / n - mean * mean) / (n - 1));
}

TEST(GrowingChains, NormalisersAreUnbiasedWithEitherWayToTheNextVariable) {
    const auto weighed = growing_chain<WeighedChain>(sites, activity, activity),
               proposed = growing_chain<ProposedChain>(sites, activity, activity);
    for (const Index sweeps : {0, 1}) {
        EXPECT_LT(std::abs(z_of(weighed, nullptr, {.sweeps = sweeps})), limit) << sweeps;
        EXPECT_LT(std::abs(z_of(proposed, nullptr, {.sweeps = sweeps})), limit) << sweeps;
    }
    // Particles of weight 0 that stay for some steps.
    EXPECT_LT(std::abs(z_of(proposed, nullptr, {.resample_below = 0.3})), limit);
    const double wrong = 3 * activity;
    EXPECT_GT(std::abs(z_of(growing_chain<WeighedChain>(sites, activity, wrong), nullptr, {})), limit)
        << "the test cannot fail";
    EXPECT_GT(std::abs(z_of(growing_chain<ProposedChain>(sites, activity, wrong), nullptr, {})), limit)
        << "the test cannot fail";
}

TEST(GrowingChains, QuantitiesAreThoseOfTheWholeDensity) {
    const auto target = growing_chain<WeighedChain>(sites, activity, activity);
    const auto* quantities = target->offers<model::ReportedParameters>();
    ASSERT_NE(quantities, nullptr);
    EXPECT_EQ(quantities->parameter_names(), std::vector<std::string>{"ones"});
    constexpr Index particles = 4000;
    auto sampler = growing_run(parallel::Communicator::alone(), target, nullptr, {particles, 64, 42},
                               {.sweeps = 3, .resample_below = 1});
    complete(sampler);
    double mean = 0;
    for (Index b = 0; b < sampler.population().generation(0).local_blocks(); ++b)
        mean += quantities->parameters(sampler.population().generation(0).block(b)).sum() / particles;
    // activity d log Z/d activity
    const auto log_normaliser = [](double a) { return *WeighedChain(sites, a, a).exact_log_normaliser(); };
    constexpr double step = 1e-5;
    const double exact = activity * (log_normaliser(activity + step) - log_normaliser(activity - step)) / (2 * step);
    // The number of ones has a standard deviation of about 0.8, and copies of particles count for less.
    EXPECT_NEAR(mean, exact, 0.06);
}

TEST(GrowingChains, AModelWithoutVariablesIsRefused) {
    EXPECT_THROW(growing_chain<WeighedChain>(0, activity, activity), InputError);
}

} // namespace
} // namespace pearlite::algorithm
