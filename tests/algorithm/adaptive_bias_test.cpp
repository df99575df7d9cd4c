#include "algorithm/search/bias/adaptive_bias.hpp"

#include "algorithm/search/search_settings.hpp"
#include "core/log_space.hpp"
#include "core/stored_fields.hpp"
#include "pearlite/model/energy/detail/energy_partition.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

/// The plain recursion: every iteration changes theta_j of every region in S.
struct PlainBias {
    std::vector<double> desired, theta;
    std::vector<bool> in_use;
    std::vector<std::int64_t> visits;
    std::int64_t truncations = 0;

    explicit PlainBias(std::vector<double> probabilities)
        : desired(std::move(probabilities)), theta(desired.size()), in_use(desired.size()), visits(desired.size()) {}

    void update(double gain, std::span<const std::int32_t> regions) {
        std::vector<double> frequencies(desired.size());
        for (const auto j : regions) {
            frequencies[static_cast<std::size_t>(j)] += 1 / static_cast<double>(regions.size());
            ++visits[static_cast<std::size_t>(j)];
        }
        double norm = 0;
        for (std::size_t j = 0; j < theta.size(); ++j) {
            if (in_use[j])
                theta[j] += gain * (frequencies[j] - desired[j]);
            norm = std::hypot(norm, theta[j]);
        }
        if (norm > std::pow(10, 100 + 10 * static_cast<double>(truncations))) {
            theta.assign(theta.size(), 0);
            ++truncations;
        }
    }
};

constexpr Index n_regions = 40;

/// Regions of the proposals of an iteration, more of them in later iterations; and regions of the states, a subset of
/// these.
struct Visits {
    std::vector<std::int32_t> proposed, states;
    Visits(std::uint32_t t, std::size_t chains) {
        random::Stream stream({7, random::Purpose::test, 0, t});
        const std::uint64_t known = std::min<std::uint64_t>(3 + t / 8, n_regions - 5); // five are never proposed to
        for (std::size_t i = 0; i < chains; ++i) {
            proposed.push_back(static_cast<std::int32_t>(stream.index(known)));
            states.push_back(proposed[stream.index(i + 1)]);
        }
    }
};

/// The largest difference from the plain recursion in any iteration, in units of `unit`(t).
template <class Gain>
double worst_difference(AdaptiveBias& bias, PlainBias& plain, std::size_t chains, int iterations, const Gain& gain) {
    double worst = 0, largest_gain = 0;
    for (int t = 1; t <= iterations; ++t) {
        const Visits visits(static_cast<std::uint32_t>(t), chains);
        for (const auto j : visits.proposed) {
            bias.touch(j);
            plain.in_use[static_cast<std::size_t>(j)] = true;
        }
        largest_gain = std::max(largest_gain, gain(t));
        bias.update(gain(t), visits.states);
        plain.update(gain(t), visits.states);
        for (Index j = 0; j < n_regions; ++j) {
            EXPECT_EQ(bias.is_in_use(j), plain.in_use[static_cast<std::size_t>(j)]);
            worst = std::max(worst, std::fabs(bias.theta(j) - plain.theta[static_cast<std::size_t>(j)]) / largest_gain);
        }
    }
    return worst;
}

TEST(AdaptiveBias, IsThePlainRecursion) {
    for (const std::size_t chains : {1u, 7u}) {
        const auto desired = model::desired_probabilities(n_regions, 0.1);
        AdaptiveBias bias(desired);
        PlainBias plain(desired);
        EXPECT_LT(worst_difference(bias, plain, chains, 2000, GainFactor{50, 0.55}), 1e-11);
        EXPECT_EQ(bias.truncations(), 0);
        EXPECT_TRUE(std::equal(bias.visits().begin(), bias.visits().end(), plain.visits.begin()));
        for (Index j = n_regions - 5; j < n_regions; ++j)
            EXPECT_EQ(bias.theta(j), 0);
    }
}

TEST(AdaptiveBias, IsTruncatedAsThePlainRecursion) {
    const auto desired = model::desired_probabilities(n_regions, 0.1);
    AdaptiveBias bias(desired);
    PlainBias plain(desired);
    // Gains of 1e108 pass the bounds 1e100 and, by and by, not 1e110; those of 1e112 pass that one, too.
    const auto gain = [](int t) { return t < 20 ? 1.0 : t < 60 ? 1e108 : 1e112; };
    EXPECT_LT(worst_difference(bias, plain, 3, 200, gain), 1e-11);
    EXPECT_EQ(bias.truncations(), plain.truncations);
    EXPECT_EQ(bias.truncations(), 2);
}

TEST(AdaptiveBias, IsZeroAfterATruncationAndGoesOn) {
    AdaptiveBias bias({0.25, 0.25, 0.5});
    for (const Index j : {0, 2})
        bias.touch(j);
    bias.update(1e101, std::vector<std::int32_t>{0});
    EXPECT_EQ(bias.truncations(), 1);
    EXPECT_TRUE(bias.is_in_use(0) && !bias.is_in_use(1) && bias.is_in_use(2));
    for (Index j = 0; j < 3; ++j)
        EXPECT_EQ(bias.theta(j), 0);
    bias.update(1e101, std::vector<std::int32_t>{0});
    EXPECT_EQ(bias.truncations(), 1); // the bound is 1e110 now
    EXPECT_NEAR(bias.theta(0) / 1e101, 0.75, 1e-12);
    EXPECT_EQ(bias.theta(1), 0);
    EXPECT_NEAR(bias.theta(2) / 1e101, -0.5, 1e-12);
}

TEST(AdaptiveBias, NormalisedOverTheRegionsInUse) {
    AdaptiveBias bias({0.2, 0.3, 0.1, 0.4});
    for (const Index j : {0, 1, 3})
        bias.touch(j);
    for (int t = 0; t < 5; ++t)
        bias.update(0.5, std::vector<std::int32_t>{0, 3, 3});
    const auto values = bias.normalised();
    EXPECT_EQ(values[2], log_zero);
    EXPECT_NEAR(std::exp(values[0]) + std::exp(values[1]) + std::exp(values[3]), 1, 1e-14);
    EXPECT_NEAR(values[3] - values[0], bias.theta(3) - bias.theta(0), 1e-14);
    EXPECT_NEAR(bias.theta(1), -0.3 * 2.5, 1e-14);
}

TEST(AdaptiveBias, IsReadAsItWasWritten) {
    const auto desired = model::desired_probabilities(n_regions, 0.1);
    AdaptiveBias bias(desired), copy(desired);
    PlainBias plain(desired);
    worst_difference(bias, plain, 3, 100, [](int t) { return t == 50 ? 1e101 : 1.0; });
    const auto stored = store(bias);
    RestoringFields reader(stored);
    copy.fields(reader);
    EXPECT_EQ(reader.left(), 0u);
    for (AdaptiveBias* one : {&bias, &copy})
        one->update(0.3, std::vector<std::int32_t>{1, 2});
    for (Index j = 0; j < n_regions; ++j)
        EXPECT_EQ(copy.theta(j), bias.theta(j));
    EXPECT_EQ(copy.truncations(), 1);
    EXPECT_TRUE(std::equal(bias.visits().begin(), bias.visits().end(), copy.visits().begin()));
}

} // namespace
} // namespace pearlite::algorithm
